"""Figures of klein2011's slides: separators in the plane, stoplights, documents, SVM dual variables, kernels."""

import numpy as np

from structbench.bench.drawing import colours, plotted, style
from structbench.bench.drawing import method_looks as looks
from structbench.bench.papers.klein2011 import readings
from structbench.bench.papers.klein2011 import runs as ways
from structbench.bench.papers.klein2011.runs import OVERLAPPING, SEPARABLE, Scale, spec_of
from structbench.bench.papers.measured import last
from structbench.bench.papers.panels import legend_beside, log, with_range
from structbench.bench.papers.terms import Axes, Drawn, Registry, Rows, Run, Runs, Spec
from structbench.bench.runs import problem_store
from structbench.bench.runs.store import weights_of
from structbench.datasets import data_ref

draws = Registry()
CLASSES = (("#0072B2", "o"), ("#D55E00", "s"))
EDGE = 1.3  # of the panels, in the points' coordinates
ON_THE_MARGIN = 1.01
PLANE = ways.GROUPS["plane"]
BOTH_RED, ONE_RED = (2.0, 0.0, 1.0), (1.0, 1.0, 1.0)
LIGHTS = {"both red": (BOTH_RED, "#D55E00"), "one red": (ONE_RED, "#0072B2")}
SLIDE = ((1, 1, -1, -2), (1, -1, 1, -2), (-2, -1, -1, 1))  # "Linear Models: Scoring": by class, words in order
SMALL = {"lights": ("toy-stoplights", 0, 500.0), "documents": ("toy-documents", 0, 200.0)}  # data, seed, passes
ZERO = 1e-6
ALPHAS = {"0 in the end": "#999999", "between 0 and 1 / C": "#D55E00", "1 / C in the end": "#0072B2"}
BY_SIZE = {  # fields of a run's summary, drawn against n
    "test error (%)": ("test_error", 100.0),
    "CPU seconds of learning": ("cpu_seconds", 1.0),
    "wall seconds to predict": ("test_seconds", 1.0),
}


def needed(scale: Scale) -> list[Spec]:
    """Return the runs of all figures but that on digits."""
    shown = [scale.on_points(way, kind)[0] for kind in (SEPARABLE, OVERLAPPING) for way in PLANE]
    shown += [spec for way in (ways.PERCEPTRON, ways.AVERAGED) for spec in _crowd(scale, way)]
    shown += [spec for margin in scale.margins for specs in _counted(scale, margin) for spec in specs]
    return [*shown, *_small("lights").values(), *_small("documents").values(), *_of_alphas(scale)]


def _small(group: str) -> dict[str, Spec]:
    """Return the runs of a group of learners on one of the slides' small data sets."""
    return {way.name: spec_of(way, *SMALL[group], ways.LEVEL) for way in ways.GROUPS[group]}


def _of_alphas(scale: Scale) -> list[Spec]:
    """Return runs of the same SVM on overlapping points; each continues where the one before it ends."""
    data = scale.plane(OVERLAPPING, 0)
    return [spec_of(ways.DUAL, data, 0, passes, 1e-6) for passes in scale.dual]


def on_digits(scale: Scale) -> list[Spec]:
    """Return all runs on more and more digits."""
    return [spec for way in ways.GROUPS["by-size"] for each in scale.by_size(way).values() for spec in each]


@draws("separators")
def separators(scale: Scale, runs: Runs) -> Drawn:
    figure, panels = style.panels(2, len(PLANE), height=2.55, width=2.35)
    for row, kind in zip(panels, (SEPARABLE, OVERLAPPING), strict=True):
        for axes, way in zip(row, PLANE, strict=True):
            axes.set(title=way.name, ylabel=kind if way is PLANE[0] else "")
            if (run := runs[scale.on_points(way, kind)[0]]) is not None:
                _points(axes, run)
                _separator(axes, run, "separator", margins=way.loss == "hinge")
            _frame(axes)
    return style.legend_above(figure)


@draws("thrashing")
def thrashing(scale: Scale, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, 2, height=3.4, width=3.4)
    for axes, way in zip(panels[0], (ways.PERCEPTRON, ways.AVERAGED), strict=True):
        found = runs.present(_crowd(scale, way))
        for rank, run in enumerate(found):
            share = 0.25 + 0.75 * rank / max(1, len(found) - 1)
            _separator(axes, run, f"after pass {run.spec.passes:g}", alpha=share)
        if found:
            _points(axes, found[0])
        axes.set(title=f"{way.name}: {len(found)} passes")
        _frame(axes)
    return figure


def _crowd(scale: Scale, way: ways.Way) -> list[Spec]:
    """Return runs of the same learner that end one pass after another."""
    return [scale.on_points(way, OVERLAPPING, scale.passes - k)[0] for k in range(scale.crowd - 1, -1, -1)]


@draws("mistakes")
def mistakes(scale: Scale, runs: Runs) -> Drawn:
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
            label = f"points at least {margin:g} from the border"
            plotted.line(axes, x, np.maximum(y, 0.5), label=label, **look)
    if bounds:
        ends = np.array([min(bounds), max(bounds)])
        look = {"color": style.INK, "linestyle": style.REFERENCE, "label": "bound $(R / \\gamma)^2$"}
        plotted.line(axes, ends, ends, **look)
        log(axes, "xy")
        axes.margins(x=0.05)
    axes.set(xlabel="$(R / \\gamma)^2$ of the data", ylabel="mistakes until there are none")
    figure.set_size_inches(7.2, 3.6)
    legend_beside(axes)
    return figure


def _counted(scale: Scale, margin: float) -> list[list[Spec]]:
    """Return the runs of the perceptron and of a hard margin on points with this margin."""
    both = (ways.PERCEPTRON, ways.HARD_MARGIN)
    return [scale.on_points(way, SEPARABLE, 1000.0, margin=margin) for way in both]


def _points(axes: Axes, run: Run) -> None:
    """Draw a run's training points by class; for the hinge, circle those with a margin of 1 or less."""
    data = readings.examples(run)
    x = data.x.dense
    for k, (colour, mark) in enumerate(CLASSES):
        look = {"color": colour, "marker": mark, "linestyle": "none", "markersize": 3.2, "zorder": 3}
        plotted.line(axes, *x[data.y == k, :2].T, label=f"class {k + 1}", **look)
    if run.spec.loss == "hinge":
        held = readings.margins(run, unit=False).each <= ON_THE_MARGIN
        ring = {"marker": "o", "markerfacecolor": "none", "color": style.INK, "linestyle": "none", "markersize": 7}
        plotted.line(axes, *x[held, :2].T, label="support vectors", markeredgewidth=0.8, zorder=4, **ring)


def _separator(axes: Axes, run: Run, name: str, margins: bool = False, alpha: float = 1.0) -> None:
    """Draw the line where both classes score the same and, with ``margins``, those where they differ by 1."""
    W = weights_of(run).reshape(-1, 2)
    w = W[:, 0] - W[:, 1]
    look = {"color": style.INK, "alpha": alpha, "linewidth": 1.4}
    _line(axes, w, 0.0, label=name, **look)
    for level in (-1.0, 1.0) if margins else ():
        named = {"label": "margin"} if level > 0 else {"name": "margin"}
        _line(axes, w, level, **look | named | {"linestyle": style.REFERENCE, "linewidth": 1.0})


def _line(axes: Axes, w: np.ndarray, level: float, **look) -> None:
    """Draw the points with w . (x, y, 1) = level within the panel."""
    normal = w[:2]
    if not np.linalg.norm(normal):
        return
    foot = (level - w[2]) * normal / (normal @ normal)
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    ends = foot + np.outer([-3 * EDGE, 3 * EDGE], along)
    plotted.line(axes, *ends.T, **look)


def _frame(axes: Axes) -> None:
    axes.set(xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE), aspect="equal")
    axes.set_xticks([-1, 0, 1])
    axes.set_yticks([-1, 0, 1])
    axes.grid(visible=False)


def posterior(run: Run, lights: tuple[float, ...]) -> float:
    """Return P(broken | lights) = exp(score) / sum of exp(scores) under the run's weights."""
    scores = np.array(lights) @ weights_of(run).reshape(len(lights), -1)
    shares = np.exp(scores - scores.max())
    return float(shares[1] / shares.sum())


@draws("stoplights")
def stoplights(scale: Scale, runs: Runs) -> Drawn:
    figure, ((axes,),) = style.panels(1, 1, height=3.3, width=6.4)
    present = {name: run for name, spec in _small("lights").items() if (run := runs[spec]) is not None}
    for side, (name, (lights, colour)) in zip((-0.19, 0.19), LIGHTS.items(), strict=True):
        heights = [posterior(run, lights) for run in present.values()]
        places = np.arange(len(heights)) + side
        bars = plotted.bars(axes, places, heights, width=0.36, color=colour, label=f"P(broken | {name})")
        axes.bar_label(bars.artist, [f"{height:.2f}" for height in heights], fontsize=8, padding=2)
    look = {"color": "#777777", "linewidth": 0.8, "linestyle": style.REFERENCE}
    plotted.level(axes, 0.5, label="guess: broken above this", **look)
    names = (f"naive Bayes,\n{n}" if n.startswith("P(b)") else n.replace(", ", ",\n") for n in present)
    plotted.ticks(axes.xaxis, range(len(present)), [*names])
    axes.set(ylabel="P(broken | lights)", ylim=(0, 1.12))
    axes.margins(x=0.03)
    return style.legend_above(figure)


@draws("table-documents")
def table_documents(scale: Scale, runs: Runs) -> Rows:
    found = {name: run for name, spec in _small("documents").items() if (run := runs[spec]) is not None}
    problem, _ = problem_store.obtain(data_ref(SMALL["documents"][0]))
    x = problem.train.x.dense[0]
    weights = {"the slide's weights": np.array(SLIDE, float).T}
    weights |= {name: weights_of(run).reshape(len(x), -1) for name, run in found.items()}
    for name, W in weights.items():
        scores = x @ W
        told = {label: f"{score:.3g}" for label, score in zip(problem.labels, scores, strict=True)}
        yield {"learner": name} | told | {"predicted": problem.labels[int(scores.argmax())]}


@draws("alphas")
def alphas(scale: Scale, runs: Runs) -> Drawn:
    """Draw each point's alpha, which is 0 off the support vectors, and the number of these against passes."""
    figure, ((left, right),) = style.panels(1, 2, height=3.3, width=4.4)
    if found := runs.present(_of_alphas(scale)):
        passes = [run.summary["passes"] for run in found]
        each = np.array([np.abs(weights_of(run).reshape(-1, 2)).max(axis=1) for run in found])
        last, bound = each[-1], 1.0 / ways.DUAL.C
        kinds = np.where(last <= ZERO * bound, 0, np.where(last < (1 - 1e-3) * bound, 1, 2))
        for k, (name, colour) in enumerate(ALPHAS.items()):
            for rank, values in enumerate(each[:, kinds == k].T):
                named = {"name": name} if rank else {"label": name}
                plotted.line(left, passes, values, color=colour, linewidth=0.9, **named)
        look = {"color": colours.colour(ways.DUAL.algorithm), "marker": "o", "markersize": 3.6}
        plotted.line(right, passes, (each > ZERO * bound).sum(axis=1), label="support vectors", **look)
        log(left, "x")
        log(right, "x")
        right.set_ylim(bottom=0)
        right.margins(x=0.04)
    left.set(xlabel="passes", ylabel="alpha of each point", title="dual variables")
    right.set(xlabel="passes", ylabel="points with alpha above 0", title="support vectors")
    return style.legend_above(figure)


@draws("kernels")
def kernels(scale: Scale, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, len(BY_SIZE), height=3.4, width=3.6)
    for axes, (label, (name, unit)) in zip(panels[0], BY_SIZE.items(), strict=True):
        for way in ways.GROUPS["by-size"]:
            found = {n: runs.present(each) for n, each in scale.by_size(way).items()}
            values = {n: unit * np.array([run.summary[name] for run in each], float) for n, each in found.items()}
            # neighbours learn nothing: their seconds are of prediction
            if (name, way.algorithm) != ("cpu_seconds", "nearest-neighbours"):
                with_range(axes, values, way.name, **looks.look(way.algorithm, **way.params) | {"markevery": None})
        axes.set(xlabel="training images", ylabel=label)
        log(axes, "xy")
        if axes.lines:
            axes.margins(x=0.05)
    return style.legend_above(figure)
