"""Lists of outputs of each example, which grow by the k best outputs of changing weights."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts


class Lists(NamedTuple):
    """Outputs of n examples; those of example i are starts[i] .. starts[i + 1] - 1. ``losses``: e_i of each.

    The parts of output o, with repeats, are part[part_starts[o] : part_starts[o + 1]], as in ``working_sets``.
    """

    starts: np.ndarray
    part_starts: np.ndarray
    part: np.ndarray
    losses: np.ndarray


def empty(split: Any) -> Lists:
    """No outputs yet."""
    starts = np.zeros(parts.num_examples(split) + 1, np.int64)
    return Lists(starts, np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))


def grown(split: Any, lists: Lists, k: int, w: np.ndarray) -> Lists:
    """The lists with the k best outputs at w added, if they are new; old outputs come first."""
    starts = np.zeros_like(lists.starts)
    part_starts = np.zeros(len(lists.losses) + k * (len(starts) - 1) + 1, np.int64)
    losses, room = np.empty(len(part_starts) - 1), 2 * len(lists.part) + 16
    while True:
        part = np.empty(room, np.int32)
        found = _grow(split, lists, k, w, Lists(starts, part_starts, part, losses))
        if found >= 0:
            end = part_starts[found]
            return Lists(starts, part_starts[: found + 1].copy(), part[:end], losses[:found].copy())
        room *= 2


@kernel
def _grow(split, old, k, w, new):
    """Fill ``new``; returns the number of outputs, -1 if there is no room for their parts."""
    found, at = 0, 0
    for i in range(new.starts.shape[0] - 1):
        m = parts.num_parts(split, i)
        s, e, y, Y, values = np.empty(m), np.zeros(m), np.empty(m), np.empty((k, m)), np.empty(k)
        parts.scores(split, i, w, s)
        parts.add_costs(split, i, 1.0, e)
        listed = parts.k_best(split, i, s, Y, values)
        for o in range(old.starts[i], old.starts[i + 1]):
            y[:] = 0.0
            for p in range(old.part_starts[o], old.part_starts[o + 1]):
                y[old.part[p]] += 1.0
            for r in range(listed):
                if np.array_equal(Y[r], y):
                    Y[r, :] = -1.0  # known
            at = _append(new, found, at, y, e)
            found += 1
            if at < 0:
                return -1
        for r in range(listed):
            if Y[r, 0] >= 0.0:
                at = _append(new, found, at, Y[r], e)
                found += 1
                if at < 0:
                    return -1
        new.starts[i + 1] = found
    return found


@kernel
def _append(lists, o, at, y, e):
    """Write output o, whose parts begin at ``at``. Returns where the next output's begin, -1 without room."""
    for r in range(y.shape[0]):
        for _ in range(round(y[r])):
            if at == lists.part.shape[0]:
                return -1
            lists.part[at] = r
            at += 1
    lists.losses[o] = dot(y, e)
    lists.part_starts[o + 1] = at
    return at


@kernel
def loss_of_best(lists, a):
    """The sum of the costs of the outputs with the largest a; of several, the first."""
    total = 0.0
    for i in range(lists.starts.shape[0] - 1):
        best = lists.starts[i]
        for o in range(lists.starts[i], lists.starts[i + 1]):
            if a[o] > a[best]:
                best = o
        if best < lists.starts[i + 1]:
            total += lists.losses[best]
    return total
