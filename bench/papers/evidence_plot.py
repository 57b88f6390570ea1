"""The forest plot of a paper: each condition of its claims as a dot with its interval, a line a claim."""

import math
from collections.abc import Iterable

from structbench.bench.drawing import style
from structbench.bench.drawing.plotted import Axes, Drawn
from structbench.bench.papers.evidence import FACTORS, Evidence
from structbench.bench.papers.judged import Judged

COLOURS = {
    "holds": "#009E73", "weaker": "#56B4E9", "side only": "#56B4E9", "no difference": "#E69F00",
    "differs": "#D55E00", "opposite": "#D55E00", "open": "#999999",
}  # fmt: skip
ROW, WIDTH = 0.24, 9.0  # inches
FACTOR_LIMITS, POINT_LIMITS = (0.05, 200.0), (-100.0, 100.0)  # what is beyond is drawn at the edge
SPREAD = 0.62  # of a row: where its conditions lie


def draw_evidence(claims: Iterable[Judged]) -> Drawn | None:
    """Draw judged claims that have conditions; None if none has.

    On the left factors, as ratios to no effect or to the paper's number, on a logarithmic axis. On the right
    differences in points and shares in percent, less no effect.
    """
    from matplotlib.figure import Figure

    shown = []
    for claim in claims:
        counted = [each for each in claim.conditions if each.counted]
        if drawn := [each for each in counted if math.isfinite(each.value) and each.kind != "category"]:
            shown.append((claim, drawn))
    if not shown:
        return None
    with style.context():
        figure = Figure(figsize=(WIDTH, 1.3 + ROW * len(shown)), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        for place, (_, conditions) in enumerate(shown):
            for k, each in enumerate(conditions):
                y = place + SPREAD * ((k + 0.5) / len(conditions) - 0.5)
                _dot(left if each.kind in FACTORS else right, each, y)
        left.set_yticks(range(len(shown)), [claim.name for claim, _ in shown], fontsize=7)
        left.set_ylim(len(shown) - 0.5, -0.5)
        left.set(xscale="log", xlim=FACTOR_LIMITS, xlabel="factor (1: no effect, or the paper's number)")
        right.set_xscale("symlog", linthresh=1.0)
        right.set(xlim=POINT_LIMITS, xlabel="points or percent (0: no effect)")
        left.axvline(1.0, color=style.INK, lw=0.8)
        right.axvline(0.0, color=style.INK, lw=0.8)
        for axes in (left, right):
            axes.tick_params(axis="y", length=0)
            for place in range(len(shown)):
                axes.axhspan(place - 0.5, place + 0.5, color="#f4f5f7" if place % 2 else "white", zorder=0)
        _legend(figure)
    return figure


def _dot(axes: Axes, condition: Evidence, y: float) -> None:
    """The estimate with its interval, the adverb's size as a tick, the paper's number as a diamond."""
    colour = COLOURS[condition.outcome]
    low, value, high = (
        _position(condition, number) for number in (condition.low, condition.value, condition.high)
    )
    if math.isfinite(condition.low) or math.isfinite(condition.high):
        axes.plot([low, high], [y, y], color=colour, lw=1.0, solid_capstyle="butt")
    mark = {"at least": ">", "at most": "<"}.get(condition.bound, "o")
    axes.plot([value], [y], mark, color=colour, ms=3.6, mew=0)
    if not math.isnan(condition.size):
        axes.plot([_position(condition, condition.size)], [y], "|", color=style.INK, ms=5, mew=0.8)
    if not math.isnan(condition.theirs):
        axes.plot([_position(condition, condition.theirs)], [y], "D", mfc="none", mec=style.INK, ms=3.2, mew=0.7)


def _position(condition: Evidence, value: float) -> float:
    """Where a number stands: as a factor of no effect, or less no effect in points or percent."""
    if condition.kind in FACTORS:
        least, most = FACTOR_LIMITS
        return min(max(value / condition.none, least), most) if value > 0 else least
    least, most = POINT_LIMITS
    return min(max((value - condition.none) * (100 if condition.kind == "share" else 1), least), most)


def _legend(figure: Drawn) -> None:
    from matplotlib.lines import Line2D

    names = {"holds": "holds", "weaker": "weaker, or its size is open", "no difference": "no difference",
             "opposite": "opposite, or differs", "open": "open"}  # fmt: skip
    marks = [Line2D([], [], color=COLOURS[key], marker="o", ms=3.6, lw=1, label=names[key]) for key in names]
    ink = {"color": style.INK, "lw": 0}
    marks.append(Line2D([], [], marker="|", ms=5, label="the adverb's size", **ink))
    marks.append(Line2D([], [], marker="D", ms=3.2, mfc="none", label="the paper's number", **ink))
    figure.legend(handles=marks, loc="outside upper left", ncols=4, fontsize=7, frameon=False)
