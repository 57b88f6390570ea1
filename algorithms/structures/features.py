"""Feature rows x_r (one per example, token or edge) and the products of them that structures need.

Rows are dense, sparse, or binary (sparse, all values 1). All are one type with a field ``kind``, so that kernels
are compiled once for all three. Weights of a block of rows form a matrix W of shape (columns, K), with one row of
K weights per feature. So the score of a row is a sum of short contiguous vectors.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, Matrix, frozen, ranges, starts_of, zeros
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import gather, gather_times, prefetch, scatter, scatter_times
from structbench.algorithms.structures import checks

if TYPE_CHECKING:  # importing it takes a third of a second, which a run on a stored problem need not wait for
    import scipy.sparse as sp

DENSE, SPARSE, BINARY = range(3)
MAX_KEPT_SHARE = 0.25  # leave columns out if at most this share remains; on CoNLL-2000 that pays below some 0.3
COUNTED_AT_ONCE = 2**16
NOT_DENSE, NO_VALUES = frozen(np.empty((0, 0)), np.float64), frozen(np.empty(0), np.float64)
NO_PLACES = frozen(np.empty(0), np.int64)


class Features(NamedTuple):
    """Rows of one ``kind``.

    ``dense``: (rows, columns), (0, 0) if not dense. ``indptr``, ``indices``, ``values``: compressed rows, empty if
    dense; no values if binary. ``counts``: how many values each column stores, (columns,), empty if dense;
    0 if nothing learns from the rows: to count takes longer than to label a sentence.
    """

    dense: Matrix
    indptr: Ints
    indices: Labels
    values: Floats
    counts: Ints
    kind: int


def dense(values: np.ndarray) -> Features:
    """Dense features from an array of shape (rows, columns).

    Raises:
        UserError: it has another shape.
    """
    if np.ndim(values) != 2:
        raise UserError(f"dense features must have shape (rows, columns), not {np.shape(values)}")
    return empty()._replace(indptr=NO_PLACES, dense=frozen(values, np.float64), kind=DENSE)


def sparse(matrix: "sp.spmatrix | sp.sparray", counted: bool = True) -> Features:
    """Sparse features from a scipy matrix (rows, columns); binary where all stored values are 1."""
    import scipy.sparse as sp

    rows = sp.csr_array(matrix)
    rows.sum_duplicates()
    columns = cast(tuple[int, int], rows.shape)[1]
    counts = np.bincount(rows.indices, minlength=columns) if counted else zeros(columns)
    binary = bool(np.all(rows.data == 1))
    return compressed(rows.indptr, rows.indices, None if binary else rows.data, counts)


def compressed(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray | None, counts: np.ndarray) -> Features:
    """Sparse features from the arrays of compressed rows, or binary ones, which have no values.

    Columns of a row are sorted, whatever their order is here.

    Raises:
        UserError: the arrays do not fit together, or an index is no column of ``counts``.
    """
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise UserError(f"indptr must rise from 0 to the {len(indices)} stored values")
    if values is not None and np.shape(values) != np.shape(indices):
        raise UserError(f"indices and values must have one shape, not {np.shape(indices)} and {np.shape(values)}")
    checks.integers("column", indices, 0, len(counts) - 1, "stored value {}".format)
    indptr, indices = frozen(indptr, np.int64), frozen(indices, np.int32)
    if not _rising(indptr, indices):
        import scipy.sparse as sp

        values_or_none = np.zeros(len(indices), np.int8) if values is None else values
        rows = sp.csr_array((values_or_none, indices, indptr), shape=(len(indptr) - 1, len(counts)))
        rows = rows.sorted_indices()
        indices, values = rows.indices, None if values is None else rows.data
    found = binary_rows(indptr, indices, counts)
    return found if values is None else found._replace(values=frozen(values, np.float64), kind=SPARSE)


def binary_rows(indptr: np.ndarray, indices: np.ndarray, counts: np.ndarray) -> Features:
    """Binary features from arrays that are known to be right: columns are of ``counts``, and rise in each row."""
    rows = frozen(indptr, np.int64), frozen(indices, np.int32)
    return Features(NOT_DENSE, *rows, NO_VALUES, frozen(counts, np.int64), BINARY)


def _rising(indptr: np.ndarray, indices: np.ndarray) -> bool:
    rises = indices[1:] >= indices[:-1]
    begins = indptr[1:-1]
    rises[begins[(begins > 0) & (begins < len(indices))] - 1] = True  # the first column of another row
    return bool(rises.all())


@cache
def empty() -> Features:
    """No rows and no columns."""
    return binary_rows(np.zeros(1), NO_VALUES, NO_VALUES)


def shape(x: Features) -> tuple[int, int]:
    """(rows, columns)."""
    return x.dense.shape if x.kind == DENSE else (len(x.indptr) - 1, len(x.counts))


def as_matrix(x: Features) -> "np.ndarray | sp.csr_array":
    """The features as a numpy or scipy matrix, shape (rows, columns)."""
    import scipy.sparse as sp

    if x.kind == DENSE:
        return x.dense
    values = x.values if x.kind == SPARSE else np.ones(len(x.indices))
    return sp.csr_array((values, x.indices, x.indptr), shape=shape(x))


def take_rows(x: Features, rows: np.ndarray) -> Features:
    """The features of these rows, in this order; the columns stay."""
    if x.kind == DENSE:
        return dense(x.dense[rows])
    stored = ranges(x.indptr, rows)
    indices = frozen(x.indices[stored], np.int32)
    return x._replace(
        indptr=starts_of(np.diff(x.indptr)[rows]),
        indices=indices,
        values=frozen(x.values[stored], np.float64) if x.kind == SPARSE else x.values,
        counts=frozen(np.bincount(indices, minlength=len(x.counts)), np.int64),
    )


def spread_rows(x: Features, places: np.ndarray, count: int) -> Features:
    """``count`` rows: those of x at these places, which rise, and empty rows elsewhere."""
    if x.kind == DENSE:
        rows = np.zeros((count, x.dense.shape[1]))
        rows[places] = x.dense
        return dense(rows)
    stored = np.zeros(count + 1, np.int64)
    stored[places + 1] = np.diff(x.indptr)
    return x._replace(indptr=frozen(np.cumsum(stored), np.int64))


def take_columns(x: Features, columns: np.ndarray) -> Features:
    """The features of these columns, in rising order, of all rows."""
    if x.kind == DENSE:
        return dense(x.dense[:, columns])
    place = np.full(len(x.counts), -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    found = place[x.indices]
    kept = found >= 0
    before = starts_of(kept)
    values = x.values[kept] if x.kind == SPARSE else None
    return compressed(before[x.indptr], found[kept], values, x.counts[columns])


def used_columns(x: Features, W: np.ndarray) -> tuple[Features, np.ndarray]:
    """Features and weights without columns whose weights are all 0. If these are few, both as they are."""
    if not len(W) or has_many_nonzero(W):
        return x, W
    used = np.zeros(len(W), np.bool_)
    used[np.flatnonzero(W) // W.shape[1]] = True
    kept = np.flatnonzero(used)
    if len(kept) > MAX_KEPT_SHARE * len(W):
        return x, W
    kept = kept if len(kept) else np.zeros(1, np.int64)  # a structure without features is of another type
    return take_columns(x, kept), W[kept]


def has_many_nonzero(W: np.ndarray) -> bool:
    """Whether more than MAX_KEPT_SHARE of the numbers are not 0. It stops as soon as it has met as many."""
    numbers, found = W.reshape(-1), 0
    for first in range(0, W.size, COUNTED_AT_ONCE):
        found += np.count_nonzero(numbers[first : first + COUNTED_AT_ONCE])
        if found > MAX_KEPT_SHARE * W.size:
            return True
    return False


def block_rows(x: Features, first: int, last: int) -> Features:
    """The rows first .. last - 1 on the same memory, for the operations on rows. Columns and counts stay."""
    if x.kind == DENSE:
        return x._replace(dense=x.dense[first:last])
    return x._replace(indptr=x.indptr[first : last + 1])


# ---- one row ---------------------------------------------------------------------------------------


@kernel
def with_indices(x, indices):
    """The same rows with other columns, from ``shared_columns.renumber``."""
    return Features(x.dense, x.indptr, indices, x.values, x.counts, x.kind)


@kernel(inline=True)
def add_row_times(x, r, W, out):
    """out += x_r W."""
    if x.kind == DENSE:
        for a in range(x.dense.shape[1]):
            value = x.dense[r, a]
            for k in range(out.shape[0]):
                out[k] += value * W[a, k]
        return
    if x.kind == SPARSE:
        gather_times(x.indices, x.values, x.indptr[r], x.indptr[r + 1], W, out)
    else:
        gather(x.indices, x.indptr[r], x.indptr[r + 1], W, out)


@kernel(inline=True)
def add_outer(x, r, scale, c, W, begin, end):
    """W[begin:end] += (x_r^T scale c)[begin:end]; returns by how much ||W||^2 grows.

    Renumbered columns do not rise, and are used whole.
    """
    if x.kind == DENSE:
        total = 0.0
        for a in range(begin, end):
            value = x.dense[r, a]
            for k in range(c.shape[0]):
                W[a, k] += value * (scale * c[k])
            total += _growth(value * scale, c, W[a])
        return total
    p, q = x.indptr[r], x.indptr[r + 1]
    if begin > 0:
        p = _first_from(x.indices, p, q, begin)
    if end < W.shape[0]:
        q = _first_from(x.indices, p, q, end)
    if x.kind == SPARSE:
        return scatter_times(x.indices, x.values, p, q, scale, c, W)
    return scatter(x.indices, p, q, scale, c, W)


@kernel(fastmath={"reassoc"}, inline=True)
def _growth(weight, c, row):
    """||row||^2 - ||row - weight c||^2."""
    total = 0.0
    for k in range(c.shape[0]):
        total += (2.0 * row[k] - weight * c[k]) * (weight * c[k])
    return total


@kernel(inline=True)
def prefetch_row(x, r):
    """Have the processor read x_r into its cache."""
    if x.kind != DENSE:
        prefetch(x.indices, x.indptr[r], x.indptr[r + 1])
    if x.kind == SPARSE:
        prefetch(x.values, x.indptr[r], x.indptr[r + 1])


@kernel(inline=True)
def _first_from(indices, p, q, column):
    """The first place from p on whose column is at least this one, or q. Columns rise."""
    below = 0  # counting all lower columns is faster than a search: no branch depends on the data
    for place in range(p, q):
        below += indices[place] < column
    return p + below


@kernel(fastmath={"reassoc"}, inline=True)
def row_times(x, r, v):
    """x_r . v, for one weight a column."""
    total = 0.0
    if x.kind == DENSE:
        for a in range(x.dense.shape[1]):
            total += x.dense[r, a] * v[a]
    elif x.kind == SPARSE:
        for p in range(x.indptr[r], x.indptr[r + 1]):
            total += x.values[p] * v[x.indices[p]]
    else:
        for p in range(x.indptr[r], x.indptr[r + 1]):
            total += v[x.indices[p]]
    return total


@kernel(inline=True)
def row_columns(x, r, k, stride, out, count):
    """out[count], ... = a stride + k for x_r's stored columns a, while there is room; returns the new count."""
    if x.kind == DENSE:
        for a in range(x.dense.shape[1]):
            if x.dense[r, a] != 0.0:
                if count < out.shape[0]:
                    out[count] = a * stride + k
                count += 1
        return count
    for p in range(x.indptr[r], x.indptr[r + 1]):
        if count < out.shape[0]:
            out[count] = x.indices[p] * stride + k
        count += 1
    return count
