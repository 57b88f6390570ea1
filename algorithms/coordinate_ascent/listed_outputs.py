"""Dual variables alpha_i(y) of all outputs, listed one by one, for methods that change single ones of them.

klein2011, "Coordinate Descent" and "SMO": w = sum_i sum_y alpha_i(y) (f(x_i, y_i) - f(x_i, y)). The outputs of an
example are those that ``parts.k_best`` finds if all scores are 0, in that order. That is all classes, all
candidates of a list, or all label sequences of a short chain.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, dot
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


class Visit(NamedTuple):
    """An example's outputs ``Y`` (k, parts) with their ``alpha`` (k,), of which ``right`` is the gold output's.

    ``s``, ``e``: scores and costs of its parts. ``step``, ``moved``: memory for parts, ``before`` for outputs.
    """

    Y: np.ndarray
    alpha: np.ndarray
    right: int
    s: np.ndarray
    e: np.ndarray
    step: np.ndarray
    moved: np.ndarray
    before: np.ndarray


@kernel
def room(split, examples, starts):
    """Memory for a visit to any of these examples: for the parts of all outputs, for parts, and for outputs."""
    size, longest, most = 0, 0, 0
    for i in examples:
        m, k = parts.num_parts(split, i), starts[i + 1] - starts[i]
        size, longest, most = max(size, m * k), max(longest, m), max(most, k)
    return np.empty(size), np.empty((4, longest)), np.empty(most)


@kernel
def begin(split, i, alphas, w, memory):
    """Begin a visit to example i at the weights w."""
    starts, alpha, right = alphas
    of_lists, of_parts, of_outputs = memory
    m, k = parts.num_parts(split, i), starts[i + 1] - starts[i]
    s, e, step, moved = of_parts[0, :m], of_parts[1, :m], of_parts[2, :m], of_parts[3, :m]
    Y, own, before = of_lists[: m * k].reshape((k, m)), alpha[starts[i] : starts[i + 1]], of_outputs[:k]
    outputs(split, i, Y)
    parts.scores(split, i, w, s)
    e[:] = 0.0
    parts.add_costs(split, i, 1.0, e)
    copy_to(own, before)
    return Visit(Y, own, right[i], s, e, step, moved, before)


@kernel
def end(split, i, visit, w):
    """Let w follow the change of alpha. Returns e . alpha, the sum of alpha, and its largest change."""
    Y, alpha, y, _, e, _, moved, before = visit
    moved[:] = 0.0
    losses = total = largest = 0.0
    for a in range(alpha.shape[0]):
        largest = max(largest, abs(alpha[a] - before[a]))
        add_delta(alpha[a] - before[a], Y, y, a, moved)
        losses += alpha[a] * (dot(e, Y[a]) - dot(e, Y[y]))
        total += alpha[a]
    parts.add_features(split, i, 1.0, moved, w)
    return losses, total, largest


@kernel
def add_delta(c, Y, y, a, out):
    """out += c times (the parts of the gold output y minus the parts of output a)."""
    for r in range(out.shape[0]):
        out[r] += c * (Y[y, r] - Y[a, r])


def recompute_dual(split: Any, C: float, alphas: Alphas) -> tuple[float, np.ndarray]:
    """conj(u) and w(u) of u = C alpha; the gold output has what is missing to a sum of 1."""
    w = np.zeros(parts.num_weights(split))
    return C * _recompute_dual(split, alphas, w), C * w


@kernel
def _recompute_dual(split, alphas, w):
    total = 0.0
    examples = np.arange(alphas.right.shape[0])
    memory = room(split, examples, alphas.starts)
    for i in examples:
        visit = begin(split, i, alphas, w, memory)
        visit.before[:] = 0.0
        total += end(split, i, visit, w)[0]
    return total
