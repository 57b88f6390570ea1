"""Sparse features of segments, with columns numbered within each sequence, so that their weights stay in cache.

Candidate segments of a sequence overlap, and so do their features. A sequence has far fewer columns than stored
values. So products of its rows with weights use a matrix of these columns' weights, (shared columns, K), that
stays in cache. A product reads each weight once. The norm of a combination of rows is that of such a matrix,
without a Gram matrix.

Memory: 4 bytes a stored value, and 4 bytes a column and sequence.
"""

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen, starts_of
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features as ft


def renumber(x: ft.Features, row_starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """New indices of the stored values, and the columns that they mean.

    Sequence i has the rows row_starts[i] .. row_starts[i + 1] - 1. Its new column c is the old column
    columns[column_starts[i] + c].

    Returns:
        indices, int32 (stored values,), none for dense rows, which keep all columns; columns, int32;
        column_starts, int64 (sequences + 1,).
    """
    n, width = len(row_starts) - 1, ft.shape(x)[1]
    if x.kind == ft.DENSE:
        columns, counts, indices = np.tile(np.arange(width), n), np.full(n, width), np.empty(0, np.int32)
    else:
        indices, counts = np.empty(len(x.indices), np.int32), np.zeros(n, np.int64)
        parallel.for_each(_number, n, x.indptr, x.indices, row_starts, width, indices, counts)
    column_starts = starts_of(counts)
    if x.kind != ft.DENSE:
        columns = np.empty(column_starts[-1], np.int32)
        columns[np.repeat(column_starts[:-1], np.diff(x.indptr[row_starts])) + indices] = x.indices
    return frozen(indices, np.int32), frozen(columns, np.int32), frozen(column_starts, np.int64)


@kernel
def _number(first, last, indptr, old, row_starts, width, new, counts):
    place = np.full(width, -1)  # of a column among all those met, which are counted on over the sequences
    met = 0
    for i in range(first, last):
        before = met
        for p in range(indptr[row_starts[i]], indptr[row_starts[i + 1]]):
            if place[old[p]] < before:
                place[old[p]] = met
                met += 1
            new[p] = place[old[p]] - before
        counts[i] = met - before


@kernel
def gather(columns, W):
    """The rows of W (all columns, K) that belong to these columns."""
    found = np.empty((columns.shape[0], W.shape[1]))
    for c in range(columns.shape[0]):
        for k in range(W.shape[1]):
            found[c, k] = W[columns[c], k]
    return found


@kernel
def scatter(c, G, columns, W):
    """W[columns[a]] += c G[a]."""
    for a in range(columns.shape[0]):
        for k in range(W.shape[1]):
            W[columns[a], k] += c * G[a, k]


@kernel(fastmath={"reassoc"})
def square(G):
    """The sum of the squares of a matrix's entries."""
    v = G.reshape(G.size)
    total = 0.0
    for k in range(v.shape[0]):
        total += v[k] * v[k]
    return total


@kernel
def combination(x, first, mu, width):
    """sum_r x_{first + r}^T mu_r, shape (width, K), of renumbered rows; rows of mu that are 0 cost little."""
    G = np.zeros((width, mu.shape[1]))
    for r in range(mu.shape[0]):
        empty = True
        for k in range(mu.shape[1]):
            empty = empty and mu[r, k] == 0.0
        if not empty:
            ft.add_outer(x, first + r, 1.0, mu[r], G, 0, width)
    return G


@kernel
def entries_reached(x, first, mu, width):
    """Which entries of ``combination`` some row reaches, (width, K)."""
    found = np.zeros((width, mu.shape[1]), np.bool_)
    stored = np.empty(width, np.int64)
    for r in range(mu.shape[0]):
        for k in range(mu.shape[1]):
            if mu[r, k] != 0.0:
                for p in range(ft.row_columns(x, first + r, 0, 1, stored, 0)):
                    found[stored[p], k] = True
    return found


@kernel
def append(marked, columns, out, count):
    """out[count], ... = columns[a] K + k where marked[a, k], while there is room; returns the new count."""
    K = marked.shape[1]
    for a in range(columns.shape[0]):
        for k in range(K):
            if marked[a, k]:
                if count < out.shape[0]:
                    out[count] = columns[a] * K + k
                count += 1
    return count
