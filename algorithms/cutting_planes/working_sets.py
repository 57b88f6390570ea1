"""The working sets of outputs, one for each example, that the n-slack cutting planes optimise over.

An output is kept as the list of its parts, so that its memory is that of its decisions, not of its features. The
inner products of all outputs of an example are kept, too. So a step between two of them costs a few operations.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.gold_outputs import observed
from structbench.algorithms.learning.objective import blocks
from structbench.algorithms.losses.terms import expected_cost
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


class WorkingSets(NamedTuple):
    """Outputs of n examples; those of example i are starts[i] .. starts[i + 1] - 1.

    ``alpha``: their probabilities u_i. ``losses``: e_i. ``idle``: rounds for which alpha was 0. ``part_starts``,
    ``part``: the parts of output p are part[part_starts[p] : part_starts[p + 1]], with repeats. ``gram_starts``,
    ``gram``: f(x_i, y) . f(x_i, z) of all pairs of an example's outputs, a square matrix from gram_starts[i].
    """

    starts: np.ndarray
    alpha: np.ndarray
    losses: np.ndarray
    idle: np.ndarray
    part_starts: np.ndarray
    part: np.ndarray
    gram_starts: np.ndarray
    gram: np.ndarray


def initial(split: Any) -> WorkingSets:
    """One output each, of the least cost: the gold output, if training saw all its labels."""
    n = parts.num_examples(split)
    sets = _empty(np.zeros(n + 1, np.int64), np.zeros(1, np.int64), np.zeros(n + 1, np.int64))
    for begin, offsets in blocks(split):
        y = np.empty(offsets[-1])
        count = len(offsets) - 1
        parallel.for_each(_least_losses, count, split, begin, offsets, y)
        sets = extended(split, sets, begin, np.ones(count, np.bool_), offsets, y, patience=1)
    return sets


def extended(
    split: Any, sets: WorkingSets, first: int, add: np.ndarray, offsets: np.ndarray, y: np.ndarray, patience: int
) -> WorkingSets:
    """The sets without the outputs idle for ``patience`` rounds, and with new outputs.

    Args:
        first: the number of the first example in ``add``, bool (count,).
        add: whether example first + j gets the output whose parts are y[offsets[j] : offsets[j + 1]].
    """
    n = len(sets.starts) - 1
    counts, sizes = np.zeros((2, n + 1), np.int64)
    parallel.for_each(_count, n, sets, first, add, offsets, y, patience, counts[1:], sizes[1:])
    starts = np.cumsum(counts)
    new = _empty(starts, np.concatenate([np.zeros(starts[-1], np.int64), [sizes.sum()]]), np.cumsum(counts**2))
    parallel.for_each(_fill, n, split, sets, first, add, offsets, y, patience, np.cumsum(sizes), new)
    return new


def features(split: Any, sets: WorkingSets, c: np.ndarray) -> np.ndarray:
    """sum_p c_p f(x_i, y_p) over all outputs p, shape (num_weights,)."""
    return _expected(split, _mix, sets, c)


def _expected(split: Any, fill: Any, *given: Any) -> np.ndarray:
    """The features of the parts' masses mu, which the kernel ``fill`` finds from what is given, block by block."""
    total = np.zeros(parts.num_weights(split))
    for begin, offsets in blocks(split):
        mu = np.zeros(offsets[-1])
        parallel.for_each(fill, len(offsets) - 1, *given, begin, offsets, mu)
        parts.add_expected_features(split, begin, offsets, mu, total)
    return total


def scores(split: Any, sets: Any, w: np.ndarray) -> np.ndarray:
    """w . f(x_i, y_p) of all outputs p of ``WorkingSets``, or of other lists with their first fields."""
    found = np.empty(len(sets.losses))
    parallel.for_each(_scores, len(sets.starts) - 1, split, sets, w, found)
    return found


def conjugate(sets: WorkingSets) -> float:
    """E_u[e]."""
    return float(sets.alpha @ sets.losses)


def weights(split: Any, sets: WorkingSets) -> np.ndarray:
    """w(u)."""
    return observed(split) - features(split, sets, sets.alpha)


def weights_of_little_mass(split: Any, sets: WorkingSets) -> np.ndarray:
    """w(u) in which a gold output has what the others lack to a sum of 1, so that little mass keeps its digits."""
    return _expected(split, _differ, split, sets)


def _empty(starts: np.ndarray, part_starts: np.ndarray, gram_starts: np.ndarray) -> WorkingSets:
    size = starts[-1]
    return WorkingSets(
        starts, np.empty(size), np.empty(size), np.empty(size, np.int64),
        part_starts, np.empty(part_starts[-1], np.int32), gram_starts, np.empty(gram_starts[-1]),
    )  # fmt: skip


@kernel
def _least_losses(first, last, split, begin, offsets, y):
    for j in range(first, last):
        y_j = y[offsets[j] : offsets[j + 1]]
        s = np.zeros(y_j.shape[0])
        parts.add_costs(split, begin + j, -1.0, s)
        parts.argmax(split, begin + j, s, y_j)


@kernel
def _count(first, last, sets, begin, add, offsets, y, patience, counts, sizes):
    """How many outputs each example will have, and the total number of their parts."""
    for i in range(first, last):
        for p in range(sets.starts[i], sets.starts[i + 1]):
            if sets.idle[p] < patience:
                counts[i] += 1
                sizes[i] += sets.part_starts[p + 1] - sets.part_starts[p]
        j = i - begin
        if 0 <= j < add.shape[0] and add[j]:
            counts[i] += 1
            sizes[i] += round(y[offsets[j] : offsets[j + 1]].sum())


@kernel
def _fill(first, last, split, old, begin, add, offsets, y, patience, part_offsets, new):
    for i in range(first, last):
        k_old, k = old.starts[i + 1] - old.starts[i], new.starts[i + 1] - new.starts[i]
        gram_old = old.gram[old.gram_starts[i] : old.gram_starts[i + 1]].reshape((k_old, k_old))
        gram = new.gram[new.gram_starts[i] : new.gram_starts[i + 1]].reshape((k, k))
        p, at = new.starts[i], part_offsets[i]
        a = 0
        for a_old in range(k_old):
            q = old.starts[i] + a_old
            if old.idle[q] >= patience:
                continue
            new.alpha[p], new.losses[p], new.idle[p] = old.alpha[q], old.losses[q], old.idle[q]
            new.part_starts[p] = at
            for r in range(old.part_starts[q], old.part_starts[q + 1]):
                new.part[at] = old.part[r]
                at += 1
            b = 0
            for b_old in range(k_old):
                if old.idle[old.starts[i] + b_old] < patience:
                    gram[a, b] = gram_old[a_old, b_old]
                    b += 1
            p += 1
            a += 1
        j = i - begin
        if not (0 <= j < add.shape[0] and add[j]):
            continue
        y_i = y[offsets[j] : offsets[j + 1]]
        new.alpha[p], new.losses[p], new.idle[p] = 1.0 if k == 1 else 0.0, expected_cost(split, i, y_i), 0
        new.part_starts[p] = at
        for r in range(y_i.shape[0]):
            for _ in range(round(y_i[r])):
                new.part[at] = r
                at += 1
        products = np.zeros(y_i.shape[0])
        parts.add_gram(split, i, 1.0, y_i, products)
        for b in range(k):
            q = new.starts[i] + b
            total = 0.0
            for r in range(new.part_starts[q], new.part_starts[q + 1] if q < p else at):
                total += products[new.part[r]]
            gram[k - 1, b] = total
            gram[b, k - 1] = total


@kernel
def _mix(first, last, sets, c, begin, offsets, mu):
    """Add c_p y_p to the part vector of each example of a block."""
    for j in range(first, last):
        mu_j = mu[offsets[j] : offsets[j + 1]]
        for p in range(sets.starts[begin + j], sets.starts[begin + j + 1]):
            for r in range(sets.part_starts[p], sets.part_starts[p + 1]):
                mu_j[sets.part[r]] += c[p]


@kernel
def _differ(first, last, split, sets, begin, offsets, mu):
    """Add alpha_p (y_i - y_p) to the part vector of each example of a block."""
    for j in range(first, last):
        mu_j = mu[offsets[j] : offsets[j + 1]]
        gold, y = np.empty(mu_j.shape[0]), np.empty(mu_j.shape[0])
        parts.gold(split, begin + j, gold)
        for p in range(sets.starts[begin + j], sets.starts[begin + j + 1]):
            y[:] = 0.0
            for r in range(sets.part_starts[p], sets.part_starts[p + 1]):
                y[sets.part[r]] += 1.0
            for r in range(y.shape[0]):
                mu_j[r] += sets.alpha[p] * (gold[r] - y[r])


@kernel
def _scores(first, last, split, sets, w, found):
    for i in range(first, last):
        s = np.empty(parts.num_parts(split, i))
        parts.scores(split, i, w, s)
        for p in range(sets.starts[i], sets.starts[i + 1]):
            found[p] = score(sets, p, s)


@kernel
def score(sets, p, s):
    """s . y of output p, with s the scores of its example's parts."""
    total = 0.0
    for r in range(sets.part_starts[p], sets.part_starts[p + 1]):
        total += s[sets.part[r]]
    return total
