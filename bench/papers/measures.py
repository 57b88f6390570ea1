"""Measures for all papers: when curves reach a level, how far they are from an optimum, what a pass costs."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.measured import Value, times
from structbench.bench.runs.store import Run

PASSES, SECONDS = "passes", "cpu_seconds"
CERTAIN = 0.1  # of a level: so well an optimum has to be known


def last(run: Run, column: str) -> float:
    """Return the last value of a column."""
    return float(run.curve[column].iloc[-1])


def ticks(run: Run, clock: str) -> np.ndarray:
    """Return passes, or seconds from the first checkpoint on, after the algorithm's set-up."""
    values = run.curve[clock].to_numpy()
    return values if clock == PASSES else values - values[0]


def until(run: Run, excess: np.ndarray, clock: str = PASSES) -> float:
    """Return the passes or seconds from which on ``excess`` stays at or below 0; infinite if it does not.

    NaN if no seconds are known.
    """
    values = ticks(run, clock)
    return math.nan if np.isnan(values).any() else curves.settled(values, np.asarray(excess))


def until_level(run: Run, best: curves.Optimum, level: float, clock: str = PASSES) -> float:
    """Return the passes or seconds until the primal stays within a level, relative, of the optimum."""
    above = (run.curve["primal"] - best.primal).to_numpy()
    return until(run, curves.decades_above(above, level * abs(best.primal)), clock)


def until_error(run: Run, goal: float, clock: str = PASSES) -> float:
    """Return the passes or seconds until the test error stays at or below ``goal``."""
    return until(run, run.curve["test_error"].to_numpy() - goal, clock)


def longer(
    where: Mapping[str, Any],
    other: Run,
    mine: Run,
    best: curves.Optimum,
    level: float,
    clock: str = PASSES,
    exact: bool = False,
) -> Value:
    """Return how many times as long ``other`` takes as ``mine`` until near the optimum."""
    where = {**where, "to": f"{level:.3%}".rstrip("0%").rstrip(".") + "%"}
    if not best.relative_gap <= CERTAIN * level:
        return Value(where, math.nan, state="a certified optimum")
    found = [until_level(run, best, level, clock) for run in (other, mine)]
    return times(where, *found, tuple(ticks(run, clock)[-1] for run in (other, mine)), exact)


def distance(run: Run, best: curves.Optimum, passes: float) -> float:
    """Return how far the primal is above the optimum after so many passes, relative to it."""
    return float(curves.at(run.curve, "primal", passes) - best.primal) / abs(best.primal)


def farther(where: Mapping[str, Any], other: float, mine: float, **more: Any) -> Value:
    """Return how many times as far ``other`` is from the optimum as ``mine``; both are distances above 0."""
    if mine <= curves.SMALLEST or other <= curves.SMALLEST:  # at the optimum, to rounding
        kept = max(other, curves.SMALLEST) / max(mine, curves.SMALLEST)
        bound = (
            "at least" if mine <= curves.SMALLEST < other else "at most" if other <= curves.SMALLEST < mine else ""
        )
        return Value(where, kept if bound else math.nan, bound=bound, **more)
    return Value(where, other / mine, **more)


def seconds_per(run: Run, units: float, less: float = 0.0) -> float:
    """Return CPU seconds of the algorithm, without its set-up and ``less``, for each of ``units``."""
    return (ticks(run, SECONDS)[-1] - less) / units if units else math.nan
