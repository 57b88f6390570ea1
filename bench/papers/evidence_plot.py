"""The forest plot of a paper: conditions of its claims as dots with intervals, one row for each sentence.

Each kind of number has panels of its own: factors, shares in percent, and differences or values by their unit.
"""

import itertools
import math
from collections.abc import Iterable

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.drawing.plotted import Artist, Axes, Drawn
from structbench.bench.papers.evidence import ABOVE, AT_LEAST, AT_MOST, FACTORS, Evidence
from structbench.bench.papers.judged import Judged

COLOURS = {
    "holds": "#009E73", "weaker": "#56B4E9", "side only": "#56B4E9", "no difference": "#E69F00",
    "too small": "#E69F00", "differs": "#D55E00", "opposite": "#D55E00", "open": "#999999",
}  # fmt: skip
PERCENT = "percent"
FACTOR = "factor (1: no effect, or the paper's number)"
ROW, WIDTH, FRAME, HEAD = 0.2, 9.6, 0.75, 0.5  # inches: a row, the figure, what is above a panel, the legend
LEFT, RIGHT = 0.49, 0.98  # of the width: the edges of a panel
MOST_ROWS = 24  # of a panel: of more the axis is out of sight
SUPPORTS = "#DDF1E6"  # where a number supports the sentence
FACTOR_LIMITS = (0.05, 200.0)  # what is beyond is drawn at the edge
LINEAR = 100.0  # percent: a dual that was below 0 ends 20,000 % off, so the axis is logarithmic from here
SPREAD = 0.62  # of a row: where its conditions lie
MARKS = {  # by kind: its sign, its size in points, and the width of its edge
    "exact": ("o", 3.6, 0.0), "at least": (">", 3.6, 0.0), "at most": ("<", 3.6, 0.0),
    "ends below": ("<", 3.0, 0.0), "ends above": (">", 3.0, 0.0),
    "size": ("|", 5.0, 0.8), "theirs": ("D", 3.2, 0.7),
}  # fmt: skip

Rows = list[tuple[str, list[Evidence]]]  # sentences with those of their conditions that a panel shows


def draw_evidence(claims: Iterable[Judged]) -> Drawn | None:
    """Draw judged claims that have conditions; None if none has.

    Factors are ratios to no effect or to the paper's number, on a logarithmic axis. Of other numbers, no effect is
    subtracted. The kind of number with most rows comes first.
    """
    from matplotlib.figure import Figure

    found: dict[
        str, dict[tuple[str, str], list[Evidence]]
    ] = {}  # by axis: claims and what is said of their numbers
    for claim in claims:
        for each in claim.conditions:
            if each.counted and math.isfinite(each.value) and each.kind != "category":
                found.setdefault(_axis(each), {}).setdefault((claim.name, each.says), []).append(each)
    if not found:
        return None
    panels: list[tuple[str, Rows]] = []
    for axis, rows in sorted(found.items(), key=lambda panel: -len(panel[1])):
        named = [*zip(_names([*rows]), rows.values(), strict=True)]
        panels += [(axis, named[k : k + MOST_ROWS]) for k in range(0, len(named), MOST_ROWS)]
    height = HEAD + sum(FRAME + ROW * len(rows) for _, rows in panels) + FRAME / 2
    bottom = height - HEAD
    with style.context():
        figure = Figure(figsize=(WIDTH, height))
        for axis, rows in panels:
            bottom -= FRAME + ROW * len(rows)
            _panel(figure.add_axes((LEFT, bottom / height, RIGHT - LEFT, ROW * len(rows) / height)), axis, rows)
        _legend(figure)
    return figure


def _names(rows: list[tuple[str, str]]) -> list[str]:
    """What is said of each claim's number; where several say the same, with the last word of their names."""
    said = [says for _, says in rows]
    more = ["" if said.count(says) == 1 else f", {claim.rpartition('-')[2]}" for claim, says in rows]
    return [says.replace("{}", "N") + end for says, end in zip(said, more, strict=True)]


def _axis(condition: Evidence) -> str:
    """What the axis of a number is called; numbers with one name share a panel."""
    if condition.kind in FACTORS:
        return FACTOR
    unit = PERCENT if condition.kind == "share" else condition.unit or "a number"
    return f"{unit} (0: no effect, or the sentence's number)"


def _panel(axes: Axes, axis: str, rows: Rows) -> None:
    most = max(1.0, 1.1 * max(abs(_less_none(each, each.value)) for _, some in rows for each in some))
    limits = FACTOR_LIMITS if axis == FACTOR else (-most, most)
    dots: list[tuple[Evidence, float]] = []  # with their heights
    for place, (_, conditions) in enumerate(rows):
        axes.axhspan(place - 0.5, place + 0.5, color="#f4f5f7" if place % 2 else "white", zorder=0)
        edges = np.linspace(place - 0.5, place + 0.5, len(conditions) + 1)
        supporting = [_supporting(each, limits) for each in conditions]
        for supports, same in itertools.groupby(range(len(conditions)), supporting.__getitem__):
            first, *others = same
            ends = [edges[first], edges[first + len(others) + 1]]
            axes.fill_betweenx(ends, *supports, color=SUPPORTS, lw=0, zorder=0.5)
        for k, each in enumerate(conditions):
            dots.append((each, place + SPREAD * ((k + 0.5) / len(conditions) - 0.5)))
    _draw_dots(axes, dots, limits)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", top=True, labeltop=True)
    axes.xaxis.set_label_position("top")
    axes.set(xlabel=axis, ylim=(len(rows) - 0.5, -0.5))
    if axis == FACTOR:
        axes.set_xscale("log")
    elif axis.startswith(PERCENT) and most > 10 * LINEAR:
        axes.set_xscale("symlog", linthresh=LINEAR)
        axes.set_xlabel(f"{axis}; logarithmic beyond {LINEAR:g}")
    axes.set_xlim(limits)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.axvline(1.0 if axis == FACTOR else 0.0, color=style.INK, lw=0.8)


def _draw_dots(axes: Axes, dots: list[tuple[Evidence, float]], limits: tuple[float, float]) -> None:
    """Estimates with their intervals, the adverb's size as a tick, the paper's number as a diamond.

    Marks of a kind are drawn by one call, which about halves the file.
    """
    lines: list[tuple[float, float, float, str]] = []  # height, from, to, colour
    marks: dict[str, list[tuple[float, float, str]]] = {}  # by kind: place, height, colour
    for c, y in dots:
        colour = COLOURS[c.outcome]
        low, value, high, size, theirs = (
            min(max(_less_none(c, number), limits[0]), limits[1])
            for number in (c.low, c.value, c.high, c.size, c.theirs)
        )
        if math.isfinite(c.low) or math.isfinite(c.high):
            lines.append((y, low, high, colour))
            for end, limit, kind in ((low, limits[0], "ends below"), (high, limits[1], "ends above")):
                if end == limit:
                    marks.setdefault(kind, []).append((end, y, colour))
        marks.setdefault(c.bound or "exact", []).append((value, y, colour))
        for kind, number, place in (("size", c.size, size), ("theirs", c.theirs, theirs)):
            if not math.isnan(number):
                marks.setdefault(kind, []).append((place, y, style.INK))
    if lines:
        heights, lows, highs, colours = zip(*lines, strict=True)
        axes.hlines(heights, lows, highs, colors=colours, lw=1.0, zorder=2)
    for kind, (mark, size, width) in MARKS.items():
        if kind in marks:
            xs, ys, colours = zip(*marks[kind], strict=True)
            drawn = axes.scatter(xs, ys, size**2, colours, marker=mark, linewidths=width, zorder=2.5, label=kind)
            drawn.set_clip_on(not kind.startswith("ends"))
            if kind == "theirs":
                drawn.set(facecolor="none", edgecolor=style.INK)


def _supporting(c: Evidence, limits: tuple[float, float]) -> tuple[float, float]:
    """Where a number supports the sentence, on the axis: a side of no effect with its band, or the band."""
    low, high = (_less_none(c, edge) for edge in c.edges)
    if c.claimed == ABOVE:
        return high, limits[1]
    if c.claimed in (AT_MOST, AT_LEAST):
        return (limits[0], high) if c.claimed == AT_MOST else (low, limits[1])
    return low, high


def _less_none(condition: Evidence, value: float) -> float:
    """A number as a factor of no effect, or less no effect in its unit or in percent."""
    if condition.kind in FACTORS:
        return value / condition.none
    return (value - condition.none) * (100 if condition.kind == "share" else 1)


def _legend(figure: Drawn) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    names = {
        "holds": "holds", "weaker": "weaker, or its size is open", "too small": "no difference, or too small",
        "opposite": "opposite, or differs", "open": "open",
    }  # fmt: skip
    marks: list[Artist] = [
        Line2D([], [], color=COLOURS[key], marker="o", ms=3.6, lw=1, label=names[key]) for key in names
    ]
    ink = {"color": style.INK, "lw": 0}
    marks.append(Line2D([], [], marker="|", ms=5, label="the adverb's size", **ink))
    marks.append(Line2D([], [], marker="D", ms=3.2, mfc="none", label="the paper's number", **ink))
    marks.append(Patch(color=SUPPORTS, label="supports the sentence"))
    marks.append(Line2D([], [], marker=">", ms=3, label="goes on beyond the axis", **ink))
    figure.legend(handles=marks, loc="upper left", ncols=4, fontsize=7, frameon=False)
