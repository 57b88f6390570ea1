"""Panels of many lines: the best and the user's own in colour, with names at their ends, the others in grey."""

from collections.abc import Callable, Collection, Mapping

import numpy as np

from structbench.bench.drawing import colours, style
from structbench.bench.drawing.plotted import Axes, Look, Series
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

MOST = 8  # lines in colour in a panel
NAMED = 2  # lines in grey that have names of their own
POOR = 0.5  # a gap or a distance that never gets below it tells nothing of its method
LEVEL = 1e-3  # at which gaps and distances are ranked
GREY = "#A6A6A6"
BEST_SHARES = f"those that come to {LEVEL:g} first, or else come nearest"
BEST_ERRORS = "those that end with the least error"

Rank = Callable[[np.ndarray, np.ndarray], tuple[float, ...]]  # of the points of a line: the best has the least


def by_level(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """Rank shares of the optimum by where they come to ``LEVEL``, then by the least of them."""
    there = np.flatnonzero(y <= LEVEL)
    return float(x[there[0]]) if len(there) else np.inf, float(y.min())


def by_end(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """Rank errors by the last of them."""
    return (float(y[-1]),)


def by_area(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """Rank shares of problems, which are the better the more: by the last, then by how soon they rise."""
    return -float(y[-1]), -float(np.mean(y))


def own(names: Mapping[Spec, str]) -> set[str]:
    """The names of methods of the user's own."""
    return {name for spec, name in names.items() if colours.hue(spec.algorithm) == colours.OWN}


def caption(count: int, of_shares: bool, own: Collection[str] = ()) -> list[str]:
    """What a caption says of a figure with ``count`` methods: of gaps and distances, or of errors."""
    best = BEST_SHARES if of_shares else BEST_ERRORS
    many = [f"A panel names {MOST} methods: {best}. The others are grey."] if count > MOST else []
    poor = [f"What never gets below {POOR:g} is grey."] * of_shares
    return many + poor + ["Your own are never grey."] * bool(own)


def width(names: "list[str]") -> float:
    """The inches that a panel needs with such names to its right."""
    return 3.3 + style.LEGEND_CHARACTER * max(map(len, names), default=0)


def lines_by_name(
    axes: Axes, runs: Runs, names: dict[Spec, str], looks: dict[str, Look], y: style.Column, x: str
) -> dict[str, Series]:
    """Draw a line for each name, the mean over the runs that have it; return those with points."""
    seeds = {name: runs.present([spec for spec in names if names[spec] == name]) for name in looks}
    lines = {name: style.line(axes, seeds[name], y, x, label=name, **look) for name, look in looks.items()}
    return {name: line for name, line in lines.items() if line is not None}


def label_best(
    axes: Axes, lines: dict[str, Series], rank: Rank, poor: float = np.inf, own: Collection[str] = ()
) -> None:
    """Name the best lines and the user's own at their ends, and turn the others grey. Set the limits before.

    Args:
        lines: By name, each with points.
        poor: What never gets below it is grey whatever its rank.
        own: The names of the user's own methods.
    """
    ordered = sorted(lines, key=lambda name: rank(lines[name].x, lines[name].y))
    best = [name for name in ordered if lines[name].y.min() < poor][:MOST]
    best += [name for name in ordered if name in own and name not in best]
    others = [name for name in ordered if name not in best]
    for line in map(lines.__getitem__, others):
        line.artist.set(color=GREY, linewidth=0.9, zorder=1.5, markersize=3)
        if line.band is not None:
            line.band.artist.set(facecolor=GREY, alpha=0.12)
        if line.dot is not None:
            line.dot.set(edgecolor=GREY, facecolor="white" if line.is_open else GREY)
    named = [(lines[name], name) for name in best + others * (len(others) <= NAMED)]
    if len(others) > NAMED:
        named.append((lines[others[0]], f"{len(others)} others"))
    style.label_ends(axes, named)
