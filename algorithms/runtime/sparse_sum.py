"""A sum of few features out of many: a vector of all weights, and a list of those that have a term in it.

Reading the sum off costs as much as the terms did, however many weights there are, and leaves zeros behind.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Ints
from structbench.algorithms.runtime.kernel import kernel

ROOM = 2**20  # terms, at least, before those of one weight are put together; what is unused costs nothing
ROUNDING = 1e-12  # what shares of paths that cancel may leave


class Sum(NamedTuple):
    """dense: float64 (weights,), the sum. terms: int64 (1,), how many were added. keys: int64, of which weights
    they are, some twice.

    After ``combine``: keys[:terms[0]] each once, ``values`` beside them, and ``dense`` is 0.
    """

    keys: Ints
    values: Floats
    terms: Ints
    dense: Floats


def empty_sum(num_weights: int, room: int = 0) -> Sum:
    """0. With ``room`` it takes no more terms than that; otherwise any number, a row of features at a time."""
    room = room or max(ROOM, 2 * num_weights)
    return Sum(np.empty(room, np.int64), np.empty(room), np.zeros(1, np.int64), np.zeros(num_weights))


@kernel
def add(total, key, value):
    """total += value at one weight."""
    make_room(total, 1)
    count = total.terms[0]
    total.keys[count] = key
    total.dense[key] += value
    total.terms[0] = count + 1


@kernel
def make_room(total, terms):
    """See that so many more terms fit in: at most one for each weight."""
    if total.terms[0] + terms > total.keys.shape[0]:
        combine(total, 0.0)
        for p in range(total.terms[0]):
            total.dense[total.keys[p]] = total.values[p]


@kernel
def combine(total, rounding):
    """Read the sum off, in the order of the weights' first terms; values up to ``rounding`` are left out."""
    keys, values, dense = total.keys, total.values, total.dense
    kept = 0
    for p in range(total.terms[0]):
        key = keys[p]
        value = dense[key]
        dense[key] = 0.0
        if not abs(value) <= rounding:  # NaN stays
            keys[kept], values[kept] = key, value
            kept += 1
    total.terms[0] = kept
