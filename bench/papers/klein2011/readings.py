"""Numbers of klein2011's runs, and how sure they are over repetitions."""

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import intervals
from structbench.bench.papers.intervals import Interval
from structbench.bench.papers.judging import INCONCLUSIVE, graded
from structbench.bench.papers.klein2011.setting import LATER
from structbench.bench.runs.store import Run

POINT = 0.01  # of an error
LEAST = 3  # repetitions


def interval(values: list[float] | np.ndarray) -> Interval:
    """Of the mean over repetitions; infinite for fewer than ``LEAST``."""
    return intervals.interval(values, LEAST)


def ratio(mine: list[float], others: list[float]) -> Interval:
    """The geometric mean of mine over the other's, repetition by repetition; what is 0 counts as next to it."""
    logs = np.log(np.maximum(mine, 1e-12)) - np.log(np.maximum(others, 1e-12))
    return Interval(*np.exp(interval(logs)).round(9).tolist())


def above(found: Interval, good: float, bad: float) -> str:
    """The verdict on "it is above ``good``": not reproduced if surely below ``bad``."""
    return graded(found.low > good, found.high < bad)


def within(found: Interval, most: float) -> str:
    """The verdict on "it is at most ``most`` away from 0"."""
    inside = -most <= found.low and found.high <= most
    return graded(inside, found.low > most or found.high < -most)


def last_error(run: Run) -> float:
    """The test error of the last weights."""
    return float(run.curve["test_error"].iloc[-1])


def differences(mine: list[Run], others: list[Run]) -> Interval:
    """Of last test errors, mine less the other's, each time on the same data."""
    return interval([last_error(a) - last_error(b) for a, b in zip(mine, others, strict=True)])


def errors_by_pass(run: Run) -> np.ndarray:
    """Test errors at the ends of passes 1, 2, ..., which learners that minimise nothing have all of."""
    curve = run.curve
    whole = (curve["passes"] > 0) & (np.abs(curve["passes"] - curve["passes"].round()) < 1e-9)
    return curve[whole].drop_duplicates("passes", keep="last")["test_error"].to_numpy()


def swing(run: Run) -> float:
    """Standard deviation of the test error over the checkpoints of the later part of a run."""
    curve = run.curve
    later = curve["test_error"][curve["passes"] >= LATER * curve["passes"].iloc[-1]].to_numpy()
    return float(later.std(ddof=1)) if len(later) > 1 else np.nan


def spread(runs: list[Run]) -> float:
    """Standard deviation of the last test error over runs that differ in their seed."""
    return float(np.std([last_error(run) for run in runs], ddof=1)) if len(runs) > 1 else np.nan


def pass_seconds(run: Run) -> float:
    """CPU seconds a pass."""
    return curves.seconds_per_pass(run.curve, "cpu_seconds")


def seconds_until(run: Run, goal: float) -> float:
    """CPU seconds after which the test error stays at most ``goal``; infinity if it does not."""
    curve = run.curve
    return curves.settled(curve["cpu_seconds"].to_numpy(), curve["test_error"].to_numpy() - goal)


def growth(sizes: list[float], seconds: list[float]) -> float:
    """The power of n with which seconds grow: slope of their logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def known(*values: float) -> bool:
    """Whether all were measured."""
    return bool(np.isfinite(values).all())


def unless_unknown(verdict: str, *values: float) -> str:
    return verdict if known(*values) else INCONCLUSIVE
