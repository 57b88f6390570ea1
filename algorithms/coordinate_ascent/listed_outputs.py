"""Dual variables alpha_i(y) of all outputs, listed one by one, for methods that change single ones of them.

klein2011, "Coordinate Descent" and "SMO": w = sum_i sum_y alpha_i(y) (f(x_i, y_i) - f(x_i, y)). The outputs of an
example are those that ``parts.k_best`` finds if all scores are 0, in that order. That is all classes, all
candidates of a list, or all label sequences of a short chain.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

MOST = 1000  # outputs of an example


class Alphas(NamedTuple):
    """``alpha``: float64, those of example i at starts[i]:starts[i + 1]. ``starts``: int64 (n + 1,).

    ``right``: int64 (n,), the place of the gold output in its example's list.
    """

    starts: np.ndarray
    alpha: np.ndarray
    right: np.ndarray


def zeros(split: Any, algorithm: str) -> Alphas:
    """The dual variables of all outputs, all 0.

    Raises:
        UserError: an example has more than ``MOST`` outputs, or its gold output is none of them.
    """
    n = parts.num_examples(split)
    starts, right = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    _count(split, MOST + 1, starts, right)
    if len(starts) > 1 and starts.max() > MOST:
        raise UserError(
            f"{algorithm} lists all outputs one by one, at most {MOST} of an example: example "
            f"{int(starts.argmax()) - 1} has more; smo, frank-wolfe and cutting-plane list none"
        )
    if n and right.min() < 0:
        raise UserError(
            f"{algorithm} needs the right output among those that are listed: that of example "
            f"{int(right.argmin())} is not"
        )
    np.cumsum(starts, out=starts)
    return Alphas(starts, np.zeros(starts[-1]), right)


@kernel
def _count(split, most, starts, right):
    """starts[i + 1] = the number of outputs of example i, at most ``most``. right[i]: the gold output's, or -1."""
    for i in range(right.shape[0]):
        m = parts.num_parts(split, i)
        Y, y = np.empty((most, m)), np.empty(m)
        parts.gold(split, i, y)
        starts[i + 1] = outputs(split, i, Y)
        right[i] = -1
        for a in range(starts[i + 1]):
            if np.array_equal(Y[a], y):
                right[i] = a


@kernel
def outputs(split, i, Y):
    """Y = the outputs of the example, as many as Y has rows for; returns how many."""
    return parts.k_best(split, i, np.zeros(Y.shape[1]), Y, np.empty(Y.shape[0]))


@kernel
def room(split, examples, starts):
    """The largest size of any of these examples' lists, the most parts, and the most outputs."""
    size, longest, most = 0, 0, 0
    for i in examples:
        m, k = parts.num_parts(split, i), starts[i + 1] - starts[i]
        size, longest, most = max(size, m * k), max(longest, m), max(most, k)
    return size, longest, most


def recompute_dual(split: Any, C: float, alphas: Alphas) -> tuple[float, np.ndarray]:
    """conj(u) and w(u) of u = C alpha; the gold output has what is missing to a sum of 1."""
    w = np.zeros(parts.num_weights(split))
    return C * _recompute_dual(split, alphas, w), C * w


@kernel
def _recompute_dual(split, alphas, w):
    starts, alpha, right = alphas
    total = 0.0
    examples = np.arange(right.shape[0])
    size, longest, _ = room(split, examples, starts)
    memory, rest = np.empty(size), np.empty((2, longest))
    for i in examples:
        m, k = parts.num_parts(split, i), starts[i + 1] - starts[i]
        Y, e, moved = memory[: m * k].reshape((k, m)), rest[0, :m], rest[1, :m]
        outputs(split, i, Y)
        e[:] = 0.0
        moved[:] = 0.0
        parts.add_costs(split, i, 1.0, e)
        for a in range(k):
            c = alpha[starts[i] + a]
            for r in range(m):
                total += c * e[r] * (Y[a, r] - Y[right[i], r])
                moved[r] += c * (Y[right[i], r] - Y[a, r])
        parts.add_features(split, i, 1.0, moved, w)
    return total
