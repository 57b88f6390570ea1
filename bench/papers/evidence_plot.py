"""The forest plot of a paper: each condition of its claims as a dot with its interval, a row a claim.

Each kind of number has a panel of its own: factors, shares in percent, and differences or values by their unit.
"""

import math
from collections.abc import Iterable

from structbench.bench.drawing import style
from structbench.bench.drawing.plotted import Axes, Drawn
from structbench.bench.papers.evidence import FACTORS, Evidence
from structbench.bench.papers.judged import Judged

COLOURS = {
    "holds": "#009E73", "weaker": "#56B4E9", "side only": "#56B4E9", "no difference": "#E69F00",
    "too small": "#E69F00", "differs": "#D55E00", "opposite": "#D55E00", "open": "#999999",
}  # fmt: skip
FACTOR = "factor (1: no effect, or the paper's number)"
ROW, WIDTH, FRAME, HEAD = 0.2, 11.0, 0.7, 0.6  # inches: a claim, the figure, what is below a panel, the legend
FACTOR_LIMITS = (0.05, 200.0)  # what is beyond is drawn at the edge
SPREAD = 0.62  # of a row: where its conditions lie

Rows = list[tuple[str, list[Evidence]]]  # claims with those of their conditions that a panel shows


def draw_evidence(claims: Iterable[Judged]) -> Drawn | None:
    """Draw judged claims that have conditions; None if none has.

    Factors are ratios to no effect or to the paper's number, on a logarithmic axis. Of other numbers, no effect is
    subtracted. A panel lies in the column that is shorter, the largest first.
    """
    from matplotlib.figure import Figure

    panels: dict[str, Rows] = {}
    for claim in claims:
        shown: dict[str, list[Evidence]] = {}
        for each in claim.conditions:
            if each.counted and math.isfinite(each.value) and each.kind != "category":
                shown.setdefault(_axis(each), []).append(each)
        for axis, conditions in shown.items():
            panels.setdefault(axis, []).append((claim.name, conditions))
    if not panels:
        return None
    heights, places = [HEAD, HEAD], []  # of two columns, from the top
    for axis, rows in sorted(panels.items(), key=lambda panel: -len(panel[1])):
        shorter = heights.index(min(heights))
        places.append((shorter, heights[shorter] + ROW * len(rows), axis, rows))
        heights[shorter] = places[-1][1] + FRAME
    height = max(heights)
    with style.context():
        figure = Figure(figsize=(WIDTH, height))
        for column, bottom, axis, rows in places:
            place = (0.185 + 0.495 * column, 1 - bottom / height, 0.3, ROW * len(rows) / height)
            _panel(figure.add_axes(place), axis, rows)
        _legend(figure)
    return figure


def _axis(condition: Evidence) -> str:
    """What the axis of a number is called; numbers with one name share a panel."""
    if condition.kind in FACTORS:
        return FACTOR
    unit = "percent" if condition.kind == "share" else condition.unit or "a number"
    return f"{unit} (0: no effect, or the sentence's number)"


def _panel(axes: Axes, axis: str, rows: Rows) -> None:
    most = max(1.0, 1.1 * max(abs(_less_none(each, each.value)) for _, some in rows for each in some))
    limits = FACTOR_LIMITS if axis == FACTOR else (-most, most)
    for place, (_, conditions) in enumerate(rows):
        axes.axhspan(place - 0.5, place + 0.5, color="#f4f5f7" if place % 2 else "white", zorder=0)
        for k, each in enumerate(conditions):
            _dot(axes, each, place + SPREAD * ((k + 0.5) / len(conditions) - 0.5), limits)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.set(xscale="log" if axis == FACTOR else "linear", xlabel=axis, xlim=limits, ylim=(len(rows) - 0.5, -0.5))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.axvline(1.0 if axis == FACTOR else 0.0, color=style.INK, lw=0.8)


def _dot(axes: Axes, condition: Evidence, y: float, limits: tuple[float, float]) -> None:
    """The estimate with its interval, the adverb's size as a tick, the paper's number as a diamond."""
    colour, c = COLOURS[condition.outcome], condition
    low, value, high, size, theirs = (
        min(max(_less_none(c, number), limits[0]), limits[1])
        for number in (c.low, c.value, c.high, c.size, c.theirs)
    )
    if math.isfinite(c.low) or math.isfinite(c.high):
        axes.plot([low, high], [y, y], color=colour, lw=1.0, solid_capstyle="butt")
    mark = {"at least": ">", "at most": "<"}.get(c.bound, "o")
    axes.plot([value], [y], mark, color=colour, ms=3.6, mew=0)
    if not math.isnan(c.size):
        axes.plot([size], [y], "|", color=style.INK, ms=5, mew=0.8)
    if not math.isnan(c.theirs):
        axes.plot([theirs], [y], "D", mfc="none", mec=style.INK, ms=3.2, mew=0.7)


def _less_none(condition: Evidence, value: float) -> float:
    """A number as a factor of no effect, or less no effect in its unit or in percent."""
    if condition.kind in FACTORS:
        return value / condition.none
    return (value - condition.none) * (100 if condition.kind == "share" else 1)


def _legend(figure: Drawn) -> None:
    from matplotlib.lines import Line2D

    names = {
        "holds": "holds", "weaker": "weaker, or its size is open", "too small": "no difference, or too small",
        "opposite": "opposite, or differs", "open": "open",
    }  # fmt: skip
    marks = [Line2D([], [], color=COLOURS[key], marker="o", ms=3.6, lw=1, label=names[key]) for key in names]
    ink = {"color": style.INK, "lw": 0}
    marks.append(Line2D([], [], marker="|", ms=5, label="the adverb's size", **ink))
    marks.append(Line2D([], [], marker="D", ms=3.2, mfc="none", label="the paper's number", **ink))
    figure.legend(handles=marks, loc="upper left", ncols=4, fontsize=7, frameon=False)
