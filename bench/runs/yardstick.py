"""A fixed piece of work by which machines are compared: how much slower is this one, now?

The rates of a workflow's plan and the costs of compiling are relative to it. It is timed without pause. Other work
on this machine slows it, and will slow the runs as much.
"""

import time
from functools import cache
from statistics import median

SECONDS = 0.04607  # of ``once`` where rates and costs were measured
LONG = 1.0  # seconds to measure for
STRETCHES = 5  # the median counts: a short disturbance shows in one stretch only


@cache
def slowness(long: float = LONG) -> float:
    """How much longer work takes here, in seconds of wall time, than where the rates were measured."""
    return median(_seconds(long / STRETCHES) for _ in range(STRETCHES)) / SECONDS


def _seconds(long: float) -> float:
    """Mean wall seconds of ``once``, called for ``long`` seconds."""
    begun = time.perf_counter()
    count = 0
    while time.perf_counter() - begun < long:
        once()
        count += 1
    return (time.perf_counter() - begun) / count


def once() -> None:
    """Work like a visit's: inner products, exponentials, sums."""
    import numpy as np

    weights, pixels = np.full((784, 10), 1e-3), np.full(784, 0.1)
    for _ in range(2_000):
        scores = pixels @ weights
        scores = np.exp(scores - scores.max())
        weights[:, 0] += 1e-9 * pixels * (scores / scores.sum())[0]


def cpu_seconds() -> float:
    """CPU seconds of ``once`` here, the least of a few. Costs that are CPU seconds are compared by it."""
    found = []
    for _ in range(20):
        begun = time.process_time()
        once()
        found.append(time.process_time() - begun)
    return min(found)
