"""Bootstrap of F1 and its differences: resample the test sentences, the same for all methods, and the seeds."""

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from structbench.bench.papers.intervals import SURE, Interval

SAMPLES = 2000


def f1_samples(counts: Sequence[np.ndarray], name: str) -> np.ndarray:
    """Return the mean F1 over runs, then that of ``SAMPLES`` resamples; (1 + SAMPLES,).

    Every ``name`` draws the same sentences, so that differences are paired. Each draws its own seeds.

    Args:
        counts: For each seed, the chunks found and correct, found, and wanted by sentence; int (sentences, 3).
    """
    drawn = _sentences(len(counts[0]))
    each = np.array([_f1(np.vstack([one.sum(axis=0), drawn @ one])) for one in counts])  # (seeds, 1 + SAMPLES)
    seeds = np.random.default_rng(zlib.crc32(name.encode())).integers(len(counts), size=(len(counts), SAMPLES))
    means = np.take_along_axis(each[:, 1:], seeds, axis=0).mean(axis=0)
    return np.concatenate([[each[:, 0].mean()], means])


def interval(samples: np.ndarray) -> Interval:
    """Return the first sample with the 95 % interval of the others; infinite if one is not known."""
    if not np.isfinite(samples).all():
        return Interval(float(samples[0]), -np.inf, np.inf)
    low, high = np.quantile(samples[1:], ((1 - SURE) / 2, (1 + SURE) / 2)).round(9)
    return Interval(float(samples[0].round(9)), float(low), float(high))


@lru_cache(maxsize=2)
def _sentences(n: int) -> np.ndarray:
    """Draw how often each of n sentences is in each resample; (SAMPLES, n)."""
    return np.random.default_rng(n).multinomial(n, np.full(n, 1 / n), size=SAMPLES).astype(np.float64)


def _f1(counts: np.ndarray) -> np.ndarray:
    both, found, wanted = counts.T
    with np.errstate(invalid="ignore"):
        return 2 * both / (found + wanted)
