"""Draw points in the plane: separators, margins and support vectors; thrashing; mistakes against their bound."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import plotted, style
from structbench.bench.papers.klein2011 import readings
from structbench.bench.papers.klein2011.runs import OVERLAPPING, SEPARABLE, Scale
from structbench.bench.papers.klein2011.setting import AVERAGED, HARD_MARGIN, PERCEPTRON, PLANE, Way
from structbench.bench.papers.measures import last
from structbench.bench.papers.panels import legend_beside, log
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run, weights_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

CLASSES = (("#0072B2", "o"), ("#D55E00", "s"))
EDGE = 1.3  # of the panels, in the points' coordinates
ON_THE_MARGIN = 1.01
COUNTED = (PERCEPTRON, HARD_MARGIN)


def separators(scale: Scale, runs: Runs) -> "Drawn":
    """Draw each learner on the same separable and overlapping points."""
    figure, panels = style.panels(2, len(PLANE), height=2.55, width=2.35)
    for row, kind in zip(panels, (SEPARABLE, OVERLAPPING), strict=True):
        for axes, way in zip(row, PLANE, strict=True):
            axes.set(title=way.name, ylabel=kind if way is PLANE[0] else "")
            if (run := runs[scale.pictured(way, kind)]) is not None:
                _points(axes, run)
                _separator(axes, run, style.INK, "separator", margins=way.loss == "hinge")
            _frame(axes)
    style.legend_above(figure)
    return figure


def thrashing(scale: Scale, runs: Runs) -> "Drawn":
    """Draw the separators after successive passes over overlapping points, of last and of averaged weights."""
    figure, panels = style.panels(1, 2, height=3.4, width=3.4)
    for axes, way in zip(panels[0], (PERCEPTRON, AVERAGED), strict=True):
        found = runs.present(_crowd(scale, way))
        for rank, run in enumerate(found):
            share = 0.25 + 0.75 * rank / max(1, len(found) - 1)
            _separator(axes, run, style.INK, f"after pass {run.spec['passes']:g}", alpha=share)
        if found:
            _points(axes, found[0])
        axes.set(title=f"{way.name}: {len(found)} passes")
        _frame(axes)
    return figure


def _crowd(scale: Scale, way: Way) -> list[Spec]:
    """Return runs of the same learner that end one pass after another."""
    return [scale.on_points(way, OVERLAPPING, scale.passes - k)[0] for k in range(scale.crowd - 1, -1, -1)]


def mistakes(scale: Scale, runs: Runs) -> "Drawn":
    """Draw the perceptron's mistakes on separable points against (R / gamma)^2."""
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=4.8)
    bounds = []
    for rank, margin in enumerate(scale.margins):
        pairs = [(runs[mine], runs[best]) for mine, best in zip(*_counted(scale, margin), strict=True)]
        found = [(readings.mistake_bound(best), last(run, "updates")) for run, best in pairs if run and best]
        found = [pair for pair in found if np.isfinite(pair[0])]
        if found:
            x, y = np.array(found).T
            bounds += [*x]
            look = {"color": style.CYCLE[rank], "marker": "o", "linestyle": "none", "markersize": 4}
            axes.plot(x, np.maximum(y, 0.5), label=f"points at least {margin:g} from the border", **look)
    if bounds:
        ends = np.array([min(bounds), max(bounds)])
        axes.plot(ends, ends, color=style.INK, linestyle=style.DUAL, label="bound $(R / \\gamma)^2$")
        log(axes, "xy")
        axes.margins(x=0.05)
    axes.set(xlabel="$(R / \\gamma)^2$ of the data", ylabel="mistakes until there are none")
    figure.set_size_inches(7.2, 3.6)
    legend_beside(axes)
    return figure


def _counted(scale: Scale, margin: float) -> list[list[Spec]]:
    """Return the runs of each learner of ``COUNTED`` on points with this margin."""
    return [scale.on_points(way, SEPARABLE, 1000.0, margin=margin) for way in COUNTED]


def _points(axes: "Axes", run: Run) -> None:
    """Draw a run's training points by class; for the hinge, circle those with a margin of 1 or less."""
    data = readings.examples(run)
    x = data.x.dense
    for k, (colour, mark) in enumerate(CLASSES):
        look = {"color": colour, "marker": mark, "linestyle": "none", "markersize": 3.2, "zorder": 3}
        axes.plot(*x[data.y == k, :2].T, label=f"class {k + 1}", **look)
    if run.spec["loss"] == "hinge":
        held = readings.margins(run, unit=False).each <= ON_THE_MARGIN
        ring = {"marker": "o", "markerfacecolor": "none", "color": style.INK, "linestyle": "none", "markersize": 7}
        axes.plot(*x[held, :2].T, label="support vectors", markeredgewidth=0.8, zorder=4, **ring)


def _separator(axes: "Axes", run: Run, colour: str, name: str, margins: bool = False, alpha: float = 1.0) -> None:
    """Draw the line where both classes score the same and, with ``margins``, those where they differ by 1."""
    W = weights_of(run).reshape(-1, 2)
    w = W[:, 0] - W[:, 1]
    look = {"color": colour, "alpha": alpha, "linewidth": 1.4}
    _line(axes, w, 0.0, label=name, **look)
    for level in (-1.0, 1.0) if margins else ():
        label = "margin" if level > 0 else plotted.DECORATION
        _line(axes, w, level, label=label, **look | {"linestyle": style.DUAL, "linewidth": 1.0})


def _line(axes: "Axes", w: np.ndarray, level: float, **look) -> None:
    """Draw the points with w . (x, y, 1) = level within the panel."""
    normal = w[:2]
    if not np.linalg.norm(normal):
        return
    foot = (level - w[2]) * normal / (normal @ normal)
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    ends = foot + np.outer([-3 * EDGE, 3 * EDGE], along)
    axes.plot(*ends.T, **look)


def _frame(axes: "Axes") -> None:
    axes.set(xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE), aspect="equal")
    axes.set_xticks([-1, 0, 1])
    axes.set_yticks([-1, 0, 1])
    axes.grid(visible=False)


def needed(scale: Scale) -> list[Spec]:
    """Return the runs of these pictures."""
    shown = [scale.pictured(way, kind) for kind in (SEPARABLE, OVERLAPPING) for way in PLANE]
    crowds = [spec for way in (PERCEPTRON, AVERAGED) for spec in _crowd(scale, way)]
    counted = [_counted(scale, margin) for margin in scale.margins]
    return [*shown, *crowds, *(spec for k in range(len(COUNTED)) for each in counted for spec in each[k])]


DRAWN = {"separators": separators, "mistakes": mistakes, "thrashing": thrashing}
