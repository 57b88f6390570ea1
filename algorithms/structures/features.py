"""Feature rows x_r (one per example, token or edge) and the products that the structures need of them.

``Dense``, ``Sparse`` and ``Binary`` (sparse, all values 1) answer the same operations, so that a
structure is written once for all three. Weights of a block of rows form a matrix W of shape
(columns, K): one row of K weights per feature, so that the score of a row is a sum of short contiguous
vectors.
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

from algorithms.runtime import parallel
from algorithms.structures.interface import implements, operation


class Dense(NamedTuple):
    """values: float64 (rows, columns)."""

    values: np.ndarray


class Sparse(NamedTuple):
    """Compressed rows; ``counts``: int64 (columns,), how many values each column stores."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    counts: np.ndarray


class Binary(NamedTuple):
    """Compressed rows whose stored values are all 1."""

    indptr: np.ndarray
    indices: np.ndarray
    counts: np.ndarray


Features = Dense | Sparse | Binary


def frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    """A C-contiguous, read-only array: the one type that kernels are compiled for, mapped or not."""
    array = np.ascontiguousarray(array, dtype=dtype)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def dense(values: np.ndarray) -> Dense:
    """Dense features from an array of shape (rows, columns)."""
    return Dense(frozen(values, np.float64))


def sparse(matrix: sp.spmatrix | sp.sparray) -> Sparse | Binary:
    """Sparse features from a scipy matrix (rows, columns); ``Binary`` where all stored values are 1."""
    rows = sp.csr_array(matrix)
    rows.sum_duplicates()
    where = frozen(rows.indptr, np.int64), frozen(rows.indices, np.int32)
    counts = frozen(np.bincount(rows.indices, minlength=rows.shape[1]), np.int64)
    if np.all(rows.data == 1):
        return Binary(*where, counts)
    return Sparse(*where, frozen(rows.data, np.float64), counts)


def empty() -> Binary:
    """No rows and no columns."""
    return sparse(sp.csr_array((0, 0)))


@singledispatch
def shape(x) -> tuple[int, int]:
    """(rows, columns)."""
    raise TypeError(f"{type(x).__name__} holds no features")


@shape.register
def _(x: Dense) -> tuple[int, int]:
    return x.values.shape


@shape.register(Sparse)
@shape.register(Binary)
def _(x: Sparse | Binary) -> tuple[int, int]:
    return len(x.indptr) - 1, len(x.counts)


def as_matrix(x: Features) -> np.ndarray | sp.csr_array:
    """The features as a numpy or scipy matrix, shape (rows, columns)."""
    if isinstance(x, Dense):
        return x.values
    values = x.values if isinstance(x, Sparse) else np.ones(len(x.indices))
    return sp.csr_array((values, x.indices, x.indptr), shape=shape(x))


def take_rows(x: Features, rows: np.ndarray) -> Features:
    """The features of these rows, in this order; the columns stay."""
    if isinstance(x, Dense):
        return dense(x.values[rows])
    taken = as_matrix(x)[rows]
    made = sparse(taken)
    if isinstance(x, Sparse) and isinstance(made, Binary):  # the kernels' types must not change
        values = frozen(np.ones(len(made.indices)), np.float64)
        made = Sparse(made.indptr, made.indices, values, made.counts)
    return made


def take_columns(x: Features, columns: np.ndarray) -> Features:
    """The features of these columns, rising, of all rows."""
    if isinstance(x, Dense):
        return dense(x.values[:, columns])
    place = np.full(len(x.counts), -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    found = place[x.indices]
    kept = found >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    shorter = {"indptr": frozen(before[x.indptr], np.int64), "indices": frozen(found[kept], np.int32)}
    if isinstance(x, Sparse):
        shorter["values"] = frozen(x.values[kept], np.float64)
    return x._replace(counts=frozen(x.counts[columns], np.int64), **shorter)


def block_rows(x: Features, first: int, last: int) -> Features:
    """The rows first .. last - 1 on the same memory, for the operations on rows; columns and counts stay."""
    if isinstance(x, Dense):
        return Dense(x.values[first:last])
    return x._replace(indptr=x.indptr[first : last + 1])


# ---- operations on one row -------------------------------------------------------------------------


@operation
def add_row_times(x, r, W, out) -> None:
    """out += x_r W."""


@operation
def add_outer(x, r, c, W, begin, end) -> None:
    """W[begin:end] += (x_r^T c)[begin:end]."""


@implements(add_outer, Dense)
def _(x, r, c, W, begin, end):
    for a in range(begin, end):
        value = x.values[r, a]
        for k in range(c.shape[0]):
            W[a, k] += value * c[k]


@implements(add_outer, Sparse)
def _(x, r, c, W, begin, end):
    for p in range(x.indptr[r], x.indptr[r + 1]):
        a = x.indices[p]
        if begin <= a < end:
            value = x.values[p]
            for k in range(c.shape[0]):
                W[a, k] += value * c[k]


@implements(add_outer, Binary)
def _(x, r, c, W, begin, end):
    for p in range(x.indptr[r], x.indptr[r + 1]):
        a = x.indices[p]
        if begin <= a < end:
            for k in range(c.shape[0]):
                W[a, k] += c[k]


@operation
def row_columns(x, r, k, stride, out, count) -> int:
    """out[count], ... = a stride + k for the columns a that x_r stores, as far as there is room; the new count."""


@implements(row_columns, Dense)
def _(x, r, k, stride, out, count):
    for a in range(x.values.shape[1]):
        if x.values[r, a] != 0.0:
            if count < out.shape[0]:
                out[count] = a * stride + k
            count += 1
    return count


@implements(row_columns, Sparse)
@implements(row_columns, Binary)
def _(x, r, k, stride, out, count):
    for p in range(x.indptr[r], x.indptr[r + 1]):
        if count < out.shape[0]:
            out[count] = x.indices[p] * stride + k
        count += 1
    return count


@operation
def row_dot(x, r, t) -> float:
    """x_r . x_t."""


@implements(add_row_times, Dense)
def _(x, r, W, out):
    for a in range(x.values.shape[1]):
        value = x.values[r, a]
        for k in range(out.shape[0]):
            out[k] += value * W[a, k]


@implements(row_dot, Dense)
def _(x, r, t):
    total = 0.0
    for a in range(x.values.shape[1]):
        total += x.values[r, a] * x.values[t, a]
    return total


@implements(add_row_times, Sparse)
def _(x, r, W, out):
    for p in range(x.indptr[r], x.indptr[r + 1]):
        a = x.indices[p]
        value = x.values[p]
        for k in range(out.shape[0]):
            out[k] += value * W[a, k]


@implements(row_dot, Sparse)
def _(x, r, t):
    total = 0.0
    p, q = x.indptr[r], x.indptr[t]
    while p < x.indptr[r + 1] and q < x.indptr[t + 1]:
        if x.indices[p] < x.indices[q]:
            p += 1
        elif x.indices[p] > x.indices[q]:
            q += 1
        else:
            total += x.values[p] * x.values[q]
            p += 1
            q += 1
    return total


@implements(add_row_times, Binary)
def _(x, r, W, out):
    p, end = x.indptr[r], x.indptr[r + 1]
    while p + 1 < end:  # two at a time: each addition waits for the one before
        a, b = x.indices[p], x.indices[p + 1]
        for k in range(out.shape[0]):
            out[k] += W[a, k] + W[b, k]
        p += 2
    if p < end:
        a = x.indices[p]
        for k in range(out.shape[0]):
            out[k] += W[a, k]


@implements(row_dot, Binary)
def _(x, r, t):
    total = 0.0
    p, q = x.indptr[r], x.indptr[t]
    while p < x.indptr[r + 1] and q < x.indptr[t + 1]:
        if x.indices[p] < x.indices[q]:
            p += 1
        elif x.indices[p] > x.indices[q]:
            q += 1
        else:
            total += 1.0
            p += 1
            q += 1
    return total


# ---- transposed products over all rows -------------------------------------------------------------


def add_transpose_times(x: Features, starts: np.ndarray, mu: np.ndarray, G: np.ndarray) -> None:
    """G[a] += sum_r x_{r,a} mu[starts[r] : starts[r] + K], for all columns a, K = G.shape[1], in parallel.

    Every thread owns some of the columns and reads all rows in order: the sums have the same bits for any
    number of threads, and the rows of ``mu`` are read one after another, which costs a third of the time
    that a product with the transposed matrix takes on CoNLL-2000.
    """
    if isinstance(x, Dense):
        bounds = np.arange(x.values.shape[1] + 1)
    else:
        stored = np.concatenate([[0], np.cumsum(x.counts)])
        shares = np.linspace(0, stored[-1], parallel.threads() + 1)
        bounds = np.searchsorted(stored, shares)
        bounds[0], bounds[-1] = 0, len(x.counts)
    parallel.for_each(_add_transpose_times, len(bounds) - 1, x, bounds, starts, mu, G)


@njit(cache=True, nogil=True, error_model="numpy")
def _add_transpose_times(first, last, x, bounds, starts, mu, G):
    begin, end = bounds[first], bounds[last]
    for r in range(starts.shape[0]):
        add_outer(x, r, mu[starts[r] : starts[r] + G.shape[1]], G, begin, end)


@njit(cache=True, error_model="numpy")
def add_blocks(starts, mu, out):
    """out += sum_r mu[starts[r] : starts[r] + K], K = out.shape[0]: the product of rows that are all 1."""
    for i in range(starts.shape[0]):
        for k in range(out.shape[0]):
            out[k] += mu[starts[i] + k]
