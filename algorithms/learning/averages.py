"""Averages of weights over the points of a run."""

from collections.abc import Callable, Iterator

import numpy as np

from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.runtime.kernel import kernel


def averaged(points: Iterator[Iterate], share: Callable[[int], float]) -> Iterator[Iterate]:
    """The same dual points with averages of the weights: at point k, from 1, mean += share(k) (w_k - mean)."""
    mean = np.zeros(0)
    for k, point in enumerate(points, 1):
        mean = mean if len(mean) else np.zeros_like(point.vector)
        _move(mean, point.vector, share(k))
        dual = point.dual
        if dual and dual.weights is None:
            dual = dual._replace(weights=point.vector)
        yield point._replace(kept=mean, dual=dual)


def by_power(power: float) -> Callable[[int], float]:
    """Shares for which the k-th point weighs k^power; approximately, for powers other than 0 and 1."""
    return lambda k: (power + 1) / (k + power)


@kernel
def _move(mean, w, share):
    for k in range(w.shape[0]):
        mean[k] += share * (w[k] - mean[k])
