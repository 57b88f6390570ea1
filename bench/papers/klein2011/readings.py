"""Numbers read off klein2011's runs, with their intervals over repetitions."""

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
    """Return the mean over repetitions with its interval; infinite with fewer than ``LEAST``."""
    return intervals.interval(values, LEAST)


def ratio(mine: list[float], others: list[float]) -> Interval:
    """Return the geometric mean of mine over others', by repetition; 0 counts as 1e-12."""
    logs = np.log(np.maximum(mine, 1e-12)) - np.log(np.maximum(others, 1e-12))
    return Interval(*np.exp(interval(logs)).round(9).tolist())


def above(found: Interval, good: float, bad: float) -> str:
    """Judge "it is above ``good``": not reproduced if the interval is below ``bad``."""
    return graded(found.low > good, found.high < bad)


def within(found: Interval, most: float) -> str:
    """Judge "it is at most ``most`` away from 0"."""
    inside = -most <= found.low and found.high <= most
    return graded(inside, found.low > most or found.high < -most)


def last_error(run: Run) -> float:
    """Return the test error of the last weights."""
    return float(run.curve["test_error"].iloc[-1])


def differences(mine: list[Run], others: list[Run]) -> Interval:
    """Return the interval of last test errors, mine less the other's, paired by data."""
    return interval([last_error(a) - last_error(b) for a, b in zip(mine, others, strict=True)])


def errors_by_pass(run: Run) -> np.ndarray:
    """Return test errors after passes 1, 2, ...; learners that minimise nothing have all of them."""
    curve = run.curve
    whole = (curve["passes"] > 0) & (np.abs(curve["passes"] - curve["passes"].round()) < 1e-9)
    return curve[whole].drop_duplicates("passes", keep="last")["test_error"].to_numpy()


def swing(run: Run) -> float:
    """Return the standard deviation of the test error over the checkpoints of a run's later part."""
    curve = run.curve
    later = curve["test_error"][curve["passes"] >= LATER * curve["passes"].iloc[-1]].to_numpy()
    return float(later.std(ddof=1)) if len(later) > 1 else np.nan


def spread(runs: list[Run]) -> float:
    """Return the standard deviation of the last test error over runs that differ in their seed."""
    return float(np.std([last_error(run) for run in runs], ddof=1)) if len(runs) > 1 else np.nan


def pass_seconds(run: Run) -> float:
    """Return CPU seconds a pass."""
    return curves.seconds_per_pass(run.curve, "cpu_seconds")


def seconds_until(run: Run, goal: float) -> float:
    """Return CPU seconds until the test error stays at most ``goal``; infinity if it does not."""
    curve = run.curve
    return curves.settled(curve["cpu_seconds"].to_numpy(), curve["test_error"].to_numpy() - goal)


def growth(sizes: list[float], seconds: list[float]) -> float:
    """Return the power of n with which seconds grow: the slope of their logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def known(*values: float) -> bool:
    """Tell whether all were measured."""
    return bool(np.isfinite(values).all())


def unless_unknown(verdict: str, *values: float) -> str:
    return verdict if known(*values) else INCONCLUSIVE
