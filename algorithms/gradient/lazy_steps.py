"""Lazy proximal steps for an l1 norm in SGD and SAG: a weight catches up when an example next uses it.

A step of SGD or SAG ends with w <- soft(w, b A): each weight shrinks towards 0 (``learning.penalties``). Between
two visits that use weight j, its steps are w <- soft(a_t w + b_t W, b_t A). W stays: it is 0 for SGD, w(u)_j for
SAG. Divide w by the product of the a_t so far. The steps become y <- soft(y + d_t W, d_t A). Those that wait need
only the sums of the d_t:

    While y > 0, it moves by d_t (W - A); while y < 0, by d_t (W + A).
    If |W| <= A, y stops at 0. If W > A or W < -A, y leaves 0, and crosses it at most once.

Bisection of the sums finds the step that reaches 0. So k steps cost O(1), or O(log k) where y crosses 0. They give
what k single steps give but for rounding. Each tick of a pass ends with a pass over all weights.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.sparse_features import largest_support
from structbench.algorithms.runtime.arrays import Floats, Ints
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


class Waiting(NamedTuple):
    """last[j]: the steps that weight j has taken. ``A``: as above, 0 without an l1 norm. The rest is memory."""

    A: float
    last: Ints
    ones: Floats
    used: Ints


def waiting(split: Any, A: float) -> Waiting:
    """No steps wait."""
    if not A:
        return Waiting(0.0, np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
    longest, used = int(np.diff(parts.offsets(split)).max()), int(largest_support(split))
    return Waiting(A, np.zeros(parts.num_weights(split), np.int64), np.ones(longest), np.empty(used, np.int64))


@kernel
def catch_up(split, i, own, now, sums, W, y):
    """Take the steps before ``now`` of the weights of example i; W is empty where it is 0."""
    for p in range(parts.feature_support(split, i, own.ones[: parts.num_parts(split, i)], own.used)):
        j = own.used[p]
        if own.last[j] < now:
            y[j] = after_steps(y[j], W[j] if W.shape[0] > 0 else 0.0, own.A, sums, own.last[j], now)
            own.last[j] = now


@kernel
def finish(own, now, sums, W, factor, y):
    """Take the steps before ``now`` of all weights, and multiply them by a factor. Then counts begin at 0."""
    for j in range(y.shape[0]):
        y[j] = factor * after_steps(y[j], W[j] if W.shape[0] > 0 else 0.0, own.A, sums, own.last[j], now)
        own.last[j] = 0


@kernel
def after_steps(y, W, A, sums, first, last):
    """y after y <- soft(y + d W, d A), for each d = sums[t + 1] - sums[t], first <= t < last."""
    sign = -1.0 if y < 0.0 or (y == 0.0 and W < 0.0) else 1.0
    y, W = sign * y, sign * W
    if y == 0.0 and W <= A:
        return 0.0
    moved = y + (sums[last] - sums[first]) * (W - A)
    if moved > 0.0 or W >= A:
        return sign * moved
    if W >= -A:
        return 0.0
    before, crossed = first, last
    while crossed - before > 1:
        middle = (before + crossed) // 2
        if y + (sums[middle] - sums[first]) * (W - A) > 0.0:
            before = middle
        else:
            crossed = middle
    y += (sums[before] - sums[first]) * (W - A) + (sums[crossed] - sums[before]) * (W + A)
    return sign * (min(y, 0.0) + (sums[last] - sums[crossed]) * (W + A))
