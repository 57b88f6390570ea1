"""A sparse accumulator: sums in a dense vector over all weights, and a list of the entries that were added to.

Reading the sum costs as much as adding the terms did, however many weights there are, and resets the vector to 0.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Ints
from structbench.algorithms.runtime.kernel import kernel

ROOM = 2**20  # terms, at least, before terms of one weight are combined; unused memory costs nothing
ROUNDING = 1e-12  # rounding that may remain where shares of paths cancel


class Sum(NamedTuple):
    """dense: float64 (weights,), the sum. terms: int64 (1,), their number. keys: int64, the terms' weights.

    After ``combine``, keys[:terms[0]] are distinct, ``values`` holds their sums, and ``dense`` is 0. Before, keys
    may repeat.
    """

    keys: Ints
    values: Floats
    terms: Ints
    dense: Floats


def empty_sum(num_weights: int, room: int = 0) -> Sum:
    """An empty sum. With ``room`` it takes that many terms at most; else any number, a feature row at a time."""
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
    """Make room for ``terms`` more terms: at most one for each weight."""
    if total.terms[0] + terms > total.keys.shape[0]:
        combine(total, 0.0)
        for p in range(total.terms[0]):
            total.dense[total.keys[p]] = total.values[p]


@kernel
def combine(total, rounding):
    """Read the sum, in the order of the weights' first terms. Values up to ``rounding`` are left out."""
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
