"""Numbers read off klein2011's runs."""

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.klein2011.setting import LATER
from structbench.bench.runs.store import Run

POINT = 0.01  # of an error


def last_error(run: Run) -> float:
    """Return the test error of the last weights."""
    return float(run.curve["test_error"].iloc[-1])


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
