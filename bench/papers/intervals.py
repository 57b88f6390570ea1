"""Means over repetitions with their 95 % intervals."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

SURE = 0.95
FEWEST = 3  # repetitions with an interval that decides


class Interval(NamedTuple):
    """The mean over repetitions and its 95 % interval by Student's t; infinite with too few repetitions."""

    mean: float
    low: float
    high: float

    def points(self) -> str:
        """Format an interval of errors in percentage points."""
        return f"{100 * self.mean:+.2f} [{100 * self.low:+.2f}, {100 * self.high:+.2f}] points"


def interval(values: Sequence[float] | np.ndarray, least: int = 2) -> Interval:
    """Return the mean with its interval; infinite with fewer than ``least`` values, or if one is not finite."""
    values = np.asarray(values, float)
    mean = float(values.mean())
    if len(values) < least or not np.isfinite(values).all():
        return Interval(mean, -np.inf, np.inf)
    off = float(quantile(len(values)) * values.std(ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - off, mean + off)


@cache
def quantile(count: int) -> float:
    """Return how many standard errors of the mean of ``count`` repetitions the interval reaches to each side."""
    from scipy.special import stdtrit  # Student's t; scipy.stats takes a second to load

    return float(stdtrit(count - 1, (1 + SURE) / 2))
