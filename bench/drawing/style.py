"""The look that all figures share, and their lines, labels, legends and axes.

Colours and markers of algorithms are those of ``colours``. A dash is a setting of an algorithm's parameters, a
thin line a dual value.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from structbench.bench.drawing import colours, curves, plotted
from structbench.bench.drawing.curves import Curve
from structbench.bench.drawing.plotted import Artist, Axes, Axis, Drawn
from structbench.bench.runs.store import Run

DASHES = (  # of an algorithm's settings, its defaults first
    "-",
    (0, (7, 1.4, 1, 1.4)),
    (0, (6, 1.4, 1, 1.4, 1, 1.4)),
    (0, (5, 1.6)),
    (0, (1, 1.2)),
    (0, (2.2, 1.4)),
    (0, (9, 2.4)),
)
DUAL: plotted.Look = {"linewidth": 0.8}  # of a dual value: thin beside its primal, as dashes are settings
REFERENCE = (0, (2.2, 1.4))  # the dash of what is no algorithm, such as a bound
CYCLE = ("#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D1F", "#7A4FA3")  # for what is no algorithm
INK = "#333333"
SIZE = 2.9  # inches: the height of a panel
SAMPLE = (1.045, 1.09, 1.135)  # of the width of a panel: the sample of a line before its name
DOT = 14  # square points
BAND = 0.22  # opacity
PASSES = "passes"
LABEL_SPACING = 0.076  # of the axes' height, between two labels at lines' ends, for axes 2.7 inches high
LEGEND_KEY, LEGEND_CHARACTER = 0.6, 0.078  # inches: what an entry of a legend takes, and a character of its name
LEGEND_ROW = 0.2  # inches
LEAD: plotted.Look = {"color": "#B4B4B4", "linewidth": 0.5}  # of a line that leads to a name
LEAD_GAP = 0.02  # of the width of a panel: between the end of a line and what leads to its name
LEAST_DECADES = 0.7  # a logarithmic axis of fewer has round numbers at even steps

Column = str | Callable[[Curve], ArrayLike]


def context() -> AbstractContextManager:
    """Matplotlib's settings, for drawing and for saving."""
    import matplotlib

    return matplotlib.rc_context(
        {
            "font.family": "DejaVu Sans",
            "font.size": 9,
            "axes.titlesize": 9.5,
            "axes.titlelocation": "left",
            "axes.labelcolor": INK,
            "axes.edgecolor": "#777777",
            "axes.linewidth": 0.7,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "axes.xmargin": 0,
            "grid.color": "#E4E4E4",
            "grid.linewidth": 0.6,
            "xtick.color": INK,
            "ytick.color": INK,
            "lines.linewidth": 1.6,
            "lines.solid_capstyle": "round",
            "legend.frameon": True,
            "legend.framealpha": 0.9,
            "legend.edgecolor": "none",
            "legend.fontsize": 8.5,
            "legend.handlelength": 2.6,
            "figure.facecolor": "white",
            "svg.hashsalt": "structbench",
            "pdf.fonttype": 42,
        }
    )


def panels(rows: int, columns: int, height: float = SIZE, width: float = 3.9) -> tuple[Drawn, np.ndarray]:
    """A figure and its axes, shape (rows, columns); sizes in inches a panel."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)
    figure = Figure(figsize=(width * columns, height * rows), layout=layout)
    return figure, figure.subplots(rows, columns, squeeze=False)


def sentence(text: str) -> Drawn:
    """A figure that says something in place of curves, in as many lines as it takes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.9, max(1.0, 0.4 + LEGEND_ROW * len(text) / 45)))
    figure.text(0.5, 0.5, text.replace("$", r"\$"), ha="center", va="center", wrap=True, color=INK)
    return figure


def mark(figure: Drawn, text: str) -> None:
    """Write a warning along the left side of a figure, outside of it: where it covers nothing."""
    look: plotted.Look = {"fontsize": "small", "color": "#B00020", "weight": "bold", "rotation": "vertical"}
    figure.text(-0.01, 0.5, text, ha="right", va="center", **look)


def shade(algorithm: str, rank: int, of: int) -> tuple[float, float, float]:
    """The rank-th of ``of`` shades of an algorithm's hue, from light to dark, for its runs at several C or so."""
    return colours.mixed(colours.hue(algorithm), rank / max(1, of - 1))


def line(axes: Axes, runs: list[Run], y: Column, x: str = "passes", **look: Any) -> plotted.Series | None:
    """A curve: of one run, or the mean of runs with different seeds and their range as a band, until one diverges.

    Rows that are not finite, or not positive on a logarithmic axis, are left out. A full dot ends runs that
    reached their gap, an open one runs that ended at a limit before the end of the axis (``marks``).
    Where rows at the end are left out, there is no dot. None if no run has a point.
    """
    drawable = [(run, found) for run in runs if len((found := _points(run, y, x))[0])]
    if not drawable:
        return None
    (xs, mean), values = drawable[0][1], np.empty(0)
    if len(drawable) > 1:
        stops = [points[0][-1] for run, points in drawable if run.summary["status"] == "diverged"]
        xs = np.unique(np.concatenate([points[0] for _, points in drawable]))
        xs = xs[xs <= min(stops, default=np.inf)]
        values = np.array([np.interp(xs, *points) for _, points in drawable])
        mean = values.mean(axis=0)
    alone = {"marker": look.get("marker") or "o", "markevery": None} if len(xs) == 1 else {}
    drawn = plotted.line(axes, xs, mean, **look | alone)
    colour = drawn.artist.get_color()
    if len(drawable) > 1:
        ends = values.min(axis=0), values.max(axis=0)
        drawn.band = plotted.band(axes, xs, *ends, drawn.name, color=colour, alpha=BAND)
    drawn.runs = [run for run, _ in drawable]
    if any(curves.own(run)[x].iloc[-1] > points[0][-1] for run, points in drawable):
        return drawn
    drawn.is_open = not all(run.summary["status"] == "converged" for run, _ in drawable)
    face = "white" if drawn.is_open else colour
    drawn.dot = axes.scatter(xs[-1:], mean[-1:], s=DOT, edgecolors=[colour], facecolors=[face], zorder=3)
    return drawn


def _points(run: Run, y: Column, x: str) -> tuple[np.ndarray, np.ndarray]:
    curve = curves.own(run)
    values = np.asarray(curve[y] if isinstance(y, str) else y(curve), dtype=float)
    xs = curve[x].to_numpy()
    keep = np.isfinite(values) & np.isfinite(xs)
    return xs[keep], values[keep]


def label_ends(axes: Axes, lines: Sequence[tuple[plotted.Series | None, str]]) -> None:
    """Write each line's name to the right of the axes, at the height of its last finite point.

    A sample of the line is before its name. Set the limits before. If a line ends inside of the axes, grey dots
    lead to its name.
    """
    grid, figure = axes.get_gridspec(), axes.get_figure(root=True)
    spacing = LABEL_SPACING * SIZE / (figure.get_figheight() / grid.nrows if grid and figure else SIZE)
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())  # what leads to names moves no limits
    to_fraction = axes.transData + axes.transAxes.inverted()
    ends = []
    for drawn, text in lines:
        if drawn is not None and (there := np.isfinite(drawn.y)).any():
            drawn.call(text)
            right, xs, ys = axes.get_xlim()[1], drawn.x[there], drawn.y[there]
            if (begin := to_fraction.transform((xs[-1], ys[-1]))[0] + LEAD_GAP) < 1:
                dotted = {"linestyle": ":", "transform": axes.get_yaxis_transform()}
                axes.plot([begin, 1], [ys[-1]] * 2, **LEAD, **dotted)
                drawn.is_led = True
            end = np.interp(right, xs, ys)
            height = float(np.clip(to_fraction.transform((xs[0], end))[1], 0, 1))
            ends.append([height, text, drawn.artist])
    ends.sort(key=lambda end: end[0])
    outside = {"transform": axes.transAxes, "clip_on": False}
    for height, (end, text, drawn) in zip(_spread([end[0] for end in ends], spacing), ends, strict=True):
        axes.plot([1.005, SAMPLE[0] - 0.005], [end, height], **LEAD, **outside)
        (sample,) = axes.plot(SAMPLE, [height] * 3, **outside)
        sample.update_from(drawn)
        sample.set(markevery=[1], label="_", **outside)
        place = SAMPLE[-1] + 0.02, height
        axes.text(*place, text, color=drawn.get_color(), va="center", fontsize=8.5, transform=axes.transAxes)


def _spread(heights: list[float], spacing: float) -> list[float]:
    """The rising heights moved apart, by as little as it takes, to lie at least ``spacing`` apart.

    They stay between 0 and 1 if there is room.
    """
    if not heights:
        return []
    from scipy.optimize import isotonic_regression

    steps = spacing * np.arange(len(heights))
    moved = isotonic_regression(np.array(heights) - steps).x
    return [*(np.clip(moved, 0, max(0, 1 - steps[-1])) + steps)]


def frame(
    axes: Axes,
    shown: list[tuple[list[Run], float]],
    y: Column,
    end: float,
    x: str = "passes",
    besides: float = np.nan,
) -> None:
    """Set the limits: x from 0 to ``end`` passes, y to what the curves show there.

    Args:
        shown: Runs, and the passes from which on all that they do is to be seen: EG's primal begins above
            what matters by a factor of thousands. Their least value is seen wherever it is.
        besides: A value that the y axis includes too; NaN for none. Without any runs nothing is set.
    """
    seen = [besides] if np.isfinite(besides) else []
    right = end if x == "passes" else 0.0
    for runs, start in shown:
        for run in runs:
            xs, values = _points(run, y, "passes")
            inside = xs <= end * 1.0001
            if inside.any():
                seen.extend(values[inside & (xs >= min(start, xs[-1]))])
                seen.append(values[inside].min())
                right = max(right, float(curves.at(run.curve, x, end)))
    if seen:
        margin = 0.04 * (max(seen) - min(seen)) or 0.01 * abs(max(seen)) or 1.0
        axes.set_xlim(0, right or 1.0)  # 0: no seconds are known
        axes.set_ylim(min(seen) - margin, max(seen) + margin)


def legend_above(figure: Drawn, entries: Mapping[str, Artist] | None = None) -> Drawn:
    """One legend above the figure, in as few rows as fit: of these entries, or of the labels of all its axes.

    Returns the figure, as does ``legend_below``.
    """
    if entries is None:
        named = [axes.get_legend_handles_labels() for axes in figure.axes]
        entries = {name: handle for handles, names in named for name, handle in zip(names, handles, strict=True)}
    if entries:
        width = LEGEND_KEY + LEGEND_CHARACTER * max(map(len, entries))
        rows = -(-len(entries) // max(1, int(figure.get_size_inches()[0] / width)))
        columns = -(-len(entries) // rows)
        figure.legend(entries.values(), entries.keys(), loc="outside upper center", ncols=columns)
    return figure


def legend_below(figure: Drawn, entries: Mapping[str, Artist]) -> Drawn:
    """One legend below the figure, which grows by its height; in up to four columns, as its width allows."""
    if entries:
        width, height = figure.get_size_inches()
        entry = LEGEND_KEY + LEGEND_CHARACTER * max(map(len, entries))
        columns = max(1, min(4, len(entries), int(width / entry)))
        figure.set_size_inches(width, height + LEGEND_ROW * (-(-len(entries) // columns) - 1))
        figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns)
    return figure


def log_ticks(axis: Axis) -> None:
    """Make an axis logarithmic, if it shows a positive number.

    If it spans little, it gets more labels than the powers of ten. Numbers of six digits have no room for more.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

    axes = axis.axes
    name: Literal["x", "y"] = "x" if axis is axes.xaxis else "y"
    if not np.isfinite(axis.get_minpos()):
        return
    axes.set(**{f"{name}scale": "log"})
    low, high = np.sort(axis.get_view_interval())
    if low <= 0:  # fixed with the other end when the axis was linear
        axes.autoscale(axis=name)
        low = min(axis.get_view_interval())
        axes.set(**{f"{name}lim": (low, high)})
    decades = np.log10(high / low)
    if decades < 2.5 and high < 1e5:
        several = LogLocator(subs=(1, 2, 5) if decades < 1.5 else (1, 3))
        axis.set_major_locator(MaxNLocator(3) if decades < LEAST_DECADES else several)
        axis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_minor_formatter(NullFormatter())
    if decades > 4:
        axis.set_minor_locator(NullLocator())


def thousands(axes: Axes) -> None:
    """Write the y ticks with separators of thousands."""
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
