"""Outputs of examples with probabilities, of which a kernel may keep another or drop one at any time.

All lie in one array. Where an example needs more room, its record moves to the array's end, with room for twice as
many outputs. So moves cost less than the outputs that they make room for.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

BEGIN, COUNT, MOST, WIDTH = range(4)  # rows of ``about``
VECTORS = 5  # numbers of an output besides inner products and parts
FIRST = 4  # outputs that an example has room for at first


class Kept(NamedTuple):
    """``numbers``: the records of n examples, float64. ``about``: int64 (4, n). ``used``: int64 (1,).

    The record of example i begins at about[BEGIN, i]. It has about[COUNT, i] outputs, and room for about[MOST, i]
    of at most about[WIDTH, i] parts each.
    """

    numbers: np.ndarray
    about: np.ndarray
    used: np.ndarray

    @property
    def with_more_room(self) -> "Kept":
        """The same in an array of twice the size."""
        return self._replace(numbers=np.concatenate([self.numbers, np.empty(max(len(self.numbers), 1024))]))


class Listed(NamedTuple):
    """The outputs of an example in memory, of all: ``alpha``, their probabilities; ``costs``; ``h``, their scores.

    ``before``: earlier probabilities. ``idle``: for how many visits alpha was 0. ``gram``: f(x_i, y) . f(x_i, z),
    with room for more. ``part``: the parts of each, with repeats, then -1.
    """

    alpha: np.ndarray
    costs: np.ndarray
    h: np.ndarray
    before: np.ndarray
    idle: np.ndarray
    gram: np.ndarray
    part: np.ndarray


def gold(split: Any) -> Kept:
    """The gold output of each example, with probability 1."""
    n = parts.num_examples(split)
    outputs, done = Kept(np.empty(0), np.zeros((4, n), np.int64), np.zeros(1, np.int64)), 0
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
    products[:] = 0.0
    parts.add_gram(split, i, 1.0, y, products)
    for a in range(count + 1):
        own.gram[a, count] = own.gram[count, a] = score(own, a, products)
    return True


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
