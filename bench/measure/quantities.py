"""The quantities that contests compare, read off finished runs: time, passes, objective, test error, memory."""

import math
from collections.abc import Callable
from typing import NamedTuple

from structbench.bench.drawing import curves
from structbench.bench.runs.store import Run

Read = Callable[[Run, str, float, float], float | None]


class Quantity(NamedTuple):
    """A number of a run."""

    about: str  # what it is; braces are for the clock, CPU or wall, and for the level
    form: str  # this, the unit and ``scale`` say how a table writes it
    unit: str
    # the number of a run, given the clock's column, the level and a lower bound of the optimum: infinity if the
    # run does not reach the level, and NaN or None if it does not say
    read: Read
    timed: bool = False  # whether it counts only of runs that had the machine to themselves
    scale: float = 1.0
    ratio: str = ".3g"
    greatest: bool = False  # whether the greatest number is the best

    @property
    def worst(self) -> float:
        """The number of a run that diverged, if it has no other."""
        return 0.0 if self.greatest else math.inf

    def written(self, *values: float) -> str:
        """One value, or a range, in the unit."""
        return " to ".join(f"{value * self.scale:{self.form}}" for value in values) + self.unit


def _of_a_pass(run: Run, clock: str, level: float, bound: float) -> float:
    """The mean of all passes after the first, which may hold what is done once."""
    after = run.curve.loc[run.curve["passes"] >= 1]
    return curves.seconds_per_pass(after, clock) if len(after) else math.nan


def _to_distance(run: Run, clock: str, level: float, bound: float) -> float:
    return curves.seconds_to(curves.own(run), bound, level, clock) if math.isfinite(bound) else math.nan


def _to_gap(run: Run, clock: str, level: float, bound: float) -> float:
    return curves.to_gap(curves.own(run), level, clock)


def _last(name: str) -> Read:
    return lambda run, *_: run.summary.get(name)


QUANTITIES = {
    "distance-seconds": Quantity("{clock} seconds to a distance of {level:g}", ".3g", " s", _to_distance, True),
    "gap-seconds": Quantity("{clock} seconds to a certified gap of {level:g}", ".3g", " s", _to_gap, timed=True),
    "gap-passes": Quantity("passes to a certified gap of {level:g}", ".1f", " passes", _to_gap),
    "pass-seconds": Quantity("{clock} seconds a pass after the first", ".3g", " s", _of_a_pass, timed=True),
    "prediction-seconds": Quantity("wall seconds of predicting", ".3g", " s", _last("test_seconds"), timed=True),
    "primal": Quantity("objective", ".8g", "", _last("primal"), ratio=".8g"),
    "test-error": Quantity("test error", ".2f", " %", _last("test_error"), scale=100),
    "test-f1": Quantity("test F1", ".2f", " %", _last("test_f1"), scale=100, greatest=True),
    "sentence-seconds": Quantity(
        "CPU seconds of labelling one sentence a call", ".3g", " ms", _last("sentence_seconds"), True, scale=1e3
    ),
    "memory": Quantity("peak memory", ".2f", " GB", _last("peak_memory"), scale=1e-9),
}
