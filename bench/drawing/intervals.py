"""95 % intervals: of means over repetitions, and of scores whose examples are resampled."""

import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

SURE = 0.95
FEWEST = 3  # repetitions with an interval that decides
SAMPLES = 2000  # of a bootstrap
LEAST = 10  # examples that are resampled: fewer say nothing of others
MOST = 4000  # examples that are resampled one by one; of more, neighbours are drawn together


class Interval(NamedTuple):
    """The mean over repetitions and its 95 % interval by Student's t; infinite with too few repetitions."""

    mean: float
    low: float
    high: float

    def within(self, least: float, greatest: float) -> "Interval":
        """Return it with ends that the mean can have; infinite ends say that nothing is known, and stay."""
        if not np.isfinite(self.low):
            return self
        return self._replace(low=max(self.low, least), high=min(self.high, greatest))

    def points(self) -> str:
        """Format an interval of errors in percentage points; without its ends if they are infinite."""
        if not np.isfinite(self.low):
            return f"{100 * self.mean:+.2f} [?] points"
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


def resampled(counts: Sequence[np.ndarray], name: str) -> np.ndarray:
    """Return the mean F1 over runs, then that of ``SAMPLES`` resamples, NaN of few examples; (1 + SAMPLES,).

    Every ``name`` draws the same examples, so that differences are paired. Each draws its own seeds.

    Args:
        counts: For each seed, what is found and correct, found, and wanted in each example; int (examples, 3).
    """
    together = -(-len(counts[0]) // MOST)
    blocks = [np.add.reduceat(one, np.arange(0, len(one), together), axis=0) for one in counts]
    drawn = _examples(len(blocks[0]))
    each = np.array([_f1(np.vstack([one.sum(axis=0), drawn @ one])) for one in blocks])  # (seeds, 1 + SAMPLES)
    seeds = np.random.default_rng(zlib.crc32(name.encode())).integers(len(counts), size=(len(counts), SAMPLES))
    means = np.take_along_axis(each[:, 1:], seeds, axis=0).mean(axis=0)
    return np.concatenate([[each[:, 0].mean()], means if len(counts[0]) >= LEAST else np.full(SAMPLES, np.nan)])


def percentiles(samples: np.ndarray) -> Interval:
    """Return the first sample with the 95 % interval of the others; infinite if one is not known."""
    if not np.isfinite(samples).all():
        return Interval(float(samples[0]), -np.inf, np.inf)
    low, high = np.quantile(samples[1:], ((1 - SURE) / 2, (1 + SURE) / 2)).round(9)
    return Interval(float(samples[0].round(9)), float(low), float(high))


@lru_cache(maxsize=2)
def _examples(n: int) -> np.ndarray:
    """Draw how often each of n examples is in each resample; (SAMPLES, n)."""
    return np.random.default_rng(n).multinomial(n, np.full(n, 1 / n), size=SAMPLES).astype(np.float64)


def _f1(counts: np.ndarray) -> np.ndarray:
    both, found, wanted = counts.T
    with np.errstate(invalid="ignore"):
        return 2 * both / (found + wanted)
