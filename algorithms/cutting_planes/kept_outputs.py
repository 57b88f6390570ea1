"""The working sets of examples in one array: outputs with their dual probabilities, which kernels add and drop.

Where an example needs more room, its record moves to the array's end, with room for twice as
many outputs. So moves cost less than the outputs that they make room for.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.sparse_features import features_of, room_for
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import Sum
from structbench.algorithms.structures import interface as parts

BEGIN, COUNT, MOST, WIDTH = range(4)  # rows of ``about``
VECTORS = 7  # numbers of an output besides inner products and parts
FIRST = 4  # outputs that an example has room for at first
GARBAGE = 1.5  # times the features after they were last compacted


class Kept(NamedTuple):
    """``numbers``: the records of n examples, float64. ``about``: int64 (4, n). ``used``: int64 (3,).

    The record of example i begins at about[BEGIN, i]. It has about[COUNT, i] outputs, and room for about[MOST, i]
    of at most about[WIDTH, i] parts each. ``keys`` and ``values`` hold f(x_i, y_i) - f(x_i, y) of outputs y (see
    ``store_features``), as weights and their values. ``used`` counts ``numbers``, ``keys``, and ``keys`` when last
    compacted. ``memory`` is for one example's features.
    """

    numbers: np.ndarray
    about: np.ndarray
    used: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    memory: Sum

    @property
    def with_more_room(self) -> "Kept":
        """The same with twice the room, where room is short."""
        longest = len(self.memory.keys)
        if self.used[1] + longest > len(self.keys):
            more = max(len(self.keys), longest)
            keys = np.concatenate([self.keys, np.empty(more, np.int32)])
            return self._replace(keys=keys, values=np.concatenate([self.values, np.empty(more)]))
        return self._replace(numbers=np.concatenate([self.numbers, np.empty(max(len(self.numbers), 1024))]))


class Listed(NamedTuple):
    """The outputs of an example in memory, of all: ``alpha``, their probabilities; ``costs``; ``h``, their scores.

    ``before``: earlier probabilities. ``idle``: for how many visits alpha was 0. ``gram``: f(x_i, y) . f(x_i, z),
    with room for more. ``part``: the parts of each, with repeats, then -1. ``begin``, ``length``: where
    ``Kept.keys`` has features; ``length`` is -1 if it has none yet.
    """

    alpha: np.ndarray
    costs: np.ndarray
    h: np.ndarray
    before: np.ndarray
    idle: np.ndarray
    gram: np.ndarray
    part: np.ndarray
    begin: np.ndarray
    length: np.ndarray


def gold(split: Any) -> Kept:
    """The gold output of each example, with probability 1."""
    n = parts.num_examples(split)
    about, used = np.zeros((4, n), np.int64), np.zeros(3, np.int64)
    outputs, done = Kept(np.empty(0), about, used, np.empty(0, np.int32), np.empty(0), room_for(split)), 0
    while done < n:
        outputs = outputs.with_more_room
        done = _keep_gold(done, split, outputs)
    return outputs


@kernel
def _keep_gold(done, split, outputs):
    for i in range(done, outputs.about.shape[1]):
        y = np.empty(parts.num_parts(split, i))
        parts.gold(split, i, y)
        if not append(split, i, y, 0.0, 0.0, np.empty_like(y), outputs):
            return i
    return outputs.about.shape[1]


@kernel
def of_example(outputs, i):
    """The ``Listed`` of example i."""
    about = outputs.about
    return _record(outputs.numbers, about[BEGIN, i], about[COUNT, i], about[MOST, i], about[WIDTH, i])


@kernel
def _record(numbers, begin, count, most, width):
    after = begin + VECTORS * most
    behind = after + most * most
    return Listed(
        numbers[begin : begin + count],
        numbers[begin + most : begin + most + count],
        numbers[begin + 2 * most : begin + 2 * most + count],
        numbers[begin + 3 * most : begin + 3 * most + count],
        numbers[begin + 4 * most : begin + 4 * most + count],
        numbers[after:behind].reshape((most, most)),
        numbers[behind : behind + most * width].reshape((most, width)),
        numbers[begin + 5 * most : begin + 5 * most + count],
        numbers[begin + 6 * most : begin + 6 * most + count],
    )


@kernel
def score(own, a, s):
    """s . y of output a."""
    total = 0.0
    for p in range(own.part.shape[1]):
        r = int(own.part[a, p])
        if r < 0:
            break
        total += s[r]
    return total


@kernel
def add_outputs(own, c, mu):
    """mu += sum_a c_a y_a."""
    for a in range(c.shape[0]):
        for p in range(own.part.shape[1]):
            r = int(own.part[a, p])
            if r < 0 or c[a] == 0.0:
                break
            mu[r] += c[a]


@kernel
def append(split, i, y, cost, h, products, outputs):
    """Keep y, whose score is h, too: with probability 0, or 1 if it is the first. Returns whether there is room.

    ``products``: memory as long as y.
    """
    about, size = outputs.about, 0
    for r in range(y.shape[0]):
        size += int(y[r] + 0.5)
    count, most, width = about[COUNT, i], about[MOST, i], about[WIDTH, i]
    if (count == most or size > width) and not _move(
        outputs, i, max(FIRST, 2 * most if count == most else most), max(size, width)
    ):
        return False
    about[COUNT, i] += 1
    own = of_example(outputs, i)
    own.alpha[count] = 1.0 if count == 0 else 0.0
    own.costs[count], own.h[count], own.before[count], own.idle[count] = cost, h, 0.0, 0.0
    p = 0
    for r in range(y.shape[0]):
        for _ in range(int(y[r] + 0.5)):
            own.part[count, p] = r
            p += 1
    own.part[count, p:] = -1.0
    own.begin[count], own.length[count] = 0.0, -1.0
    products[:] = 0.0
    parts.add_gram(split, i, 1.0, y, products)
    for a in range(count + 1):
        own.gram[a, count] = own.gram[count, a] = score(own, a, products)
    return True


def with_features(split: Any, outputs: Kept) -> Kept:
    """The same with the features of all outputs, and without most features of outputs that are no longer kept."""
    if outputs.used[1] > GARBAGE * outputs.used[2]:
        begins = np.empty((3, int(outputs.about[COUNT].sum())), np.int64)
        _list_features(outputs, begins)
        _close_gaps(outputs, begins[:, np.argsort(begins[0])])
    done = 0
    while (done := _store_features(done, split, outputs)) < outputs.about.shape[1]:
        outputs = outputs.with_more_room
    return outputs


@kernel
def _store_features(first, split, outputs):
    """Store features that are not stored, from this example on. Returns the first for which there is no room."""
    memory = outputs.memory
    for i in range(first, outputs.about.shape[1]):
        own = of_example(outputs, i)
        for a in range(own.alpha.shape[0]):
            if own.length[a] >= 0:
                continue
            begin = outputs.used[1]
            if begin + memory.keys.shape[0] > outputs.keys.shape[0]:
                return i
            difference = np.empty(parts.num_parts(split, i))
            parts.gold(split, i, difference)
            for p in range(own.part.shape[1]):
                r = int(own.part[a, p])
                if r < 0:
                    break
                difference[r] -= 1.0
            length = features_of(split, i, difference, memory)
            for p in range(length):
                outputs.keys[begin + p], outputs.values[begin + p] = memory.keys[p], memory.values[p]
            own.begin[a], own.length[a] = begin, length
            outputs.used[1] += length
    return outputs.about.shape[1]


@kernel
def product(outputs, own, a, w):
    """w . (f(x_i, y_i) - f(x_i, y)) of output a."""
    begin, total = int(own.begin[a]), 0.0
    for p in range(begin, begin + int(own.length[a])):
        total += w[outputs.keys[p]] * outputs.values[p]
    return total


@kernel
def add_difference(outputs, own, a, c, w):
    """w += c (f(x_i, y_i) - f(x_i, y)) of output a."""
    begin = int(own.begin[a])
    for p in range(begin, begin + int(own.length[a])):
        w[outputs.keys[p]] += c * outputs.values[p]


@kernel
def _list_features(outputs, begins):
    """Where the features of each output begin, its example and its number there."""
    at = 0
    for i in range(outputs.about.shape[1]):
        own = of_example(outputs, i)
        for a in range(own.alpha.shape[0]):
            begins[0, at], begins[1, at], begins[2, at] = int(own.begin[a]), i, a
            at += 1


@kernel
def _close_gaps(outputs, begins):
    """Move the features of outputs, in the order of their places, to the left."""
    keys, values, to = outputs.keys, outputs.values, 0
    for k in range(begins.shape[1]):
        begin, own = begins[0, k], of_example(outputs, begins[1, k])
        own.begin[begins[2, k]] = to
        for p in range(begin, begin + int(own.length[begins[2, k]])):
            keys[to], values[to] = keys[p], values[p]
            to += 1
    outputs.used[1:] = to


@kernel
def _move(outputs, i, most, width):
    """Give example i a record with more room, at the end. Returns whether the array has that much room left."""
    about, begin = outputs.about, outputs.used[0]
    end = begin + most * (VECTORS + most + width)
    if end > outputs.numbers.shape[0]:
        return False
    old = of_example(outputs, i)
    about[BEGIN, i], about[MOST, i], about[WIDTH, i] = begin, most, width
    outputs.used[0] = end
    new = of_example(outputs, i)
    new.part[:] = -1.0
    for a in range(about[COUNT, i]):
        _copy(old, a, new, a, about[COUNT, i])
    return True


@kernel
def _copy(old, a, new, to, count):
    """Put output ``a`` of ``old`` in place ``to`` of ``new``, with its inner products with ``count`` outputs."""
    new.alpha[to], new.costs[to], new.h[to] = old.alpha[a], old.costs[a], old.h[a]
    new.before[to], new.idle[to] = old.before[a], old.idle[a]
    new.begin[to], new.length[to] = old.begin[a], old.length[a]
    for b in range(count):
        new.gram[to, b] = old.gram[a, b]
        new.gram[b, to] = old.gram[b, a]
    new.gram[to, to] = old.gram[a, a]
    for p in range(old.part.shape[1]):
        new.part[to, p] = old.part[a, p]


@kernel
def drop(i, patience, outputs):
    """Drop the outputs of example i whose probability was 0 in this many calls."""
    own = of_example(outputs, i)
    count, a = own.alpha.shape[0], 0
    while a < count:
        own.idle[a] = 0.0 if own.alpha[a] > 0.0 else own.idle[a] + 1.0
        if own.idle[a] >= patience:  # never all: probabilities add up to 1
            count -= 1
            _copy(own, count, own, a, count)
        else:
            a += 1
    outputs.about[COUNT, i] = count
