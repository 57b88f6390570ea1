"""Inner products of the feature rows of a sequence, and products with them.

A short sequence keeps its Gram matrix. A long sequence keeps its columns: its Gram matrix would take far more
memory, and products with it more time.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import Bytes, Floats, Ints, frozen, ranges, starts_of
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import gram_square
from structbench.algorithms.structures import features as ft

SHORT = 128  # rows: their Gram matrix takes at most a kilobyte a row
NO_BYTES = frozen(np.empty(0), np.uint8)


class Products(NamedTuple):
    """The inner products of the rows of n sequences, of each row with the rows of its own sequence.

    Sequence i, of T rows, has the numbers starts[i] .. starts[i + 1] - 1; starts is (n + 1,). If there are T x T
    numbers, they are its Gram matrix. Fewer are its columns, one after another: first how many values a column
    stores, then, for each value, its row in the sequence and the value. If all are integers below 256, as with
    binary features, they are in ``small`` instead.
    """

    starts: Ints
    numbers: Floats
    small: Bytes = NO_BYTES

    def as_floats(self) -> "Products":
        """The same, all in ``numbers``."""
        return Products(self.starts, frozen(self.small, np.float64)) if len(self.small) else self


def of_sequences(x: ft.Features, starts: np.ndarray) -> Products:
    """The inner products of the rows starts[i] .. starts[i + 1] - 1 of each sequence i.

    A sequence is long if it has over ``SHORT`` rows and its columns take fewer numbers than its Gram matrix.
    """
    lengths = np.diff(starts)
    stored = lengths * x.dense.shape[1] if x.kind == ft.DENSE else np.diff(x.indptr[starts])
    is_long = (lengths > SHORT) & (lengths**2 > 3 * stored)
    long, sizes = np.flatnonzero(is_long), lengths**2
    columns, sizes[long] = _columns(x, starts, long)
    own = starts_of(sizes)
    numbers = np.zeros(own[-1])
    numbers[ranges(own, long)] = columns
    parallel.for_each(_fill, len(lengths), x, frozen(starts, np.int64), is_long, own, numbers)
    with np.errstate(invalid="ignore"):  # of those that are no bytes
        small = numbers.astype(np.uint8)
    if np.array_equal(small, numbers):
        return Products(own, frozen(np.empty(0), np.float64), frozen(small, np.uint8))
    return Products(own, frozen(numbers, np.float64))


def unread(x: ft.Features, starts: np.ndarray) -> Products:
    """Return no inner products, for sequences whose products nothing reads."""
    return Products(frozen(np.zeros(len(starts)), np.int64), frozen(np.empty(0), np.float64))


def _columns(x: ft.Features, starts: np.ndarray, long: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the sequences ``long``, as columns, and how many numbers each has."""
    rows = ranges(starts, long)
    if x.kind == ft.DENSE:
        row, column = np.nonzero(x.dense[rows])
        values = x.dense[rows[row], column]
    else:
        places = ranges(x.indptr, rows)
        row, column = np.repeat(np.arange(len(rows)), np.diff(x.indptr)[rows]), x.indices[places]
        values = x.values[places] if x.kind == ft.SPARSE else np.ones(len(places))
    sequence = np.repeat(np.arange(len(long)), np.diff(starts)[long])[row]
    order = np.lexsort((column, sequence))
    sequence, column = sequence[order], column[order]
    begins = (np.diff(sequence, prepend=-1) != 0) | (np.diff(column, prepend=-1) != 0)
    first, met = np.flatnonzero(begins), np.cumsum(begins)
    found, place = np.empty(len(first) + 2 * len(order)), met + 2 * np.arange(len(order))
    found[place[first] - 1] = np.diff(first, append=len(order))
    found[place] = rows[row[order]] - starts[long[sequence]]
    found[place + 1] = values[order]
    sizes = np.bincount(sequence[first], minlength=len(long)) + 2 * np.bincount(sequence, minlength=len(long))
    return found, sizes


@kernel
def _fill(begin, end, x, starts, is_long, own, numbers):
    """The Gram matrices (T, T) of these sequences, where the numbers of each begin. Long sequences get none."""
    latest = np.full(x.counts.shape[0], -1)  # of the values that a column stores, the place of the last one met
    for i in range(begin, end):
        if is_long[i]:
            continue
        first, length = starts[i], starts[i + 1] - starts[i]
        G = numbers[own[i] : own[i + 1]].reshape((length, length))
        if x.kind == ft.DENSE:
            for t in range(length):
                for u in range(t + 1):
                    G[t, u] = _dot(x.dense, first + t, first + u)
        else:
            _add_shared(x, first, length, latest, G)
        for t in range(length):
            for u in range(t):
                G[u, t] = G[t, u]


@kernel
def _dot(rows, r, t):
    total = 0.0
    for a in range(rows.shape[1]):
        total += rows[r, a] * rows[t, a]
    return total


@kernel
def _add_shared(x, first, length, latest, G):
    """The lower half of G += the inner products of sparse rows: for each value, those before it in its column.

    Two rows of text share few columns, so that this takes a fraction of the time of comparing them.
    """
    origin = x.indptr[first]
    size = x.indptr[first + length] - origin
    before, row = np.empty(size, np.int64), np.empty(size, np.int64)
    for t in range(length):
        for p in range(x.indptr[first + t] - origin, x.indptr[first + t + 1] - origin):
            value = x.values[origin + p] if x.kind == ft.SPARSE else 1.0
            column = x.indices[origin + p]
            row[p], before[p] = t, latest[column] - origin
            latest[column] = origin + p
            q = p
            while q >= 0:
                G[t, row[q]] += value * (x.values[origin + q] if x.kind == ft.SPARSE else 1.0)
                q = before[q]


@kernel
def squared_norm(products, i, first, rows):
    """|| sum_t x_{first + t} (outer) rows_t ||^2, of the rows x of sequence i."""
    begin, end = products.starts[i], products.starts[i + 1]
    if products.small.shape[0] > 0:
        return _squared_norm(products.small[begin:end], first, rows)
    return _squared_norm(products.numbers[begin:end], first, rows)


@kernel
def add_product(products, i, first, weight, rows, out):
    """out_t += weight sum_u (x_{first + t} . x_{first + u}) rows_u, of the rows x of sequence i."""
    begin, end = products.starts[i], products.starts[i + 1]
    if products.small.shape[0] > 0:
        _add_product(products.small[begin:end], first, weight, rows, out)
    else:
        _add_product(products.numbers[begin:end], first, weight, rows, out)


@kernel(fastmath={"reassoc"})
def _squared_norm(numbers, first, rows):
    length = first + rows.shape[0]
    if numbers.shape[0] == length * length:
        return gram_square(numbers.reshape((length, length)), first, rows)
    total = 0.0
    v, p = np.empty(rows.shape[1]), 0
    while p < numbers.shape[0]:
        p = _column_times(numbers, p, first, rows, v)
        for k in range(v.shape[0]):
            total += v[k] * v[k]
    return total


@kernel
def _add_product(numbers, first, weight, rows, out):
    length = first + rows.shape[0]
    if numbers.shape[0] != length * length:
        v, p = np.empty(rows.shape[1]), 0
        while p < numbers.shape[0]:
            begin, p = p + 1, _column_times(numbers, p, first, rows, v)
            for q in range(begin, p, 2):
                t, value = int(numbers[q]) - first, weight * numbers[q + 1]
                for k in range(v.shape[0]):
                    out[t, k] += value * v[k]
        return
    G = numbers.reshape((length, length))
    for t in range(rows.shape[0]):
        for u in range(rows.shape[0]):
            g = weight * G[first + t, first + u]
            if g != 0.0:
                for k in range(rows.shape[1]):
                    out[t, k] += g * rows[u, k]


@kernel
def _column_times(numbers, p, first, rows, v):
    """v = the sum of rows_t times the value of row first + t in the column at p. Returns where the next begins."""
    end = p + 1 + 2 * int(numbers[p])
    v[:] = 0.0
    for q in range(p + 1, end, 2):
        t, value = int(numbers[q]) - first, numbers[q + 1]
        for k in range(v.shape[0]):
            v[k] += value * rows[t, k]
    return end
