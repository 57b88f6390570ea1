"""Gram matrices of the rows that belong to a sequence, and products with them."""

import numpy as np

from algorithms.runtime import parallel
from algorithms.runtime.arrays import frozen
from algorithms.runtime.kernel import kernel
from algorithms.structures import features as ft


def grams(x: ft.Features, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each sequence's Gram matrix begins, int64 (n + 1,), and these, float64, one after another."""
    gram_starts = frozen(np.concatenate([[0], np.cumsum(np.diff(starts) ** 2)]), np.int64)
    found = np.zeros(gram_starts[-1])
    parallel.for_each(_fill, len(starts) - 1, x, frozen(starts, np.int64), gram_starts, found)
    return gram_starts, frozen(found, np.float64)


@kernel
def _fill(begin, end, x, starts, gram_starts, grams):
    """The inner products of the rows of these sequences, each sequence's (T, T) where it begins in ``grams``."""
    latest = np.full(x.counts.shape[0], -1)  # of the values that a column stores, the place of the last one met
    for i in range(begin, end):
        first, length = starts[i], starts[i + 1] - starts[i]
        G = grams[gram_starts[i] : gram_starts[i + 1]].reshape((length, length))
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

    Two rows of text share few columns, so that this takes a fraction of what comparing them does.
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


@kernel(fastmath={"reassoc"})
def squared_norm(gram, length, first, rows):
    """|| sum_t x_{first + t} (outer) rows_t ||^2 from the Gram matrix of the x."""
    G = gram.reshape((length, length))
    total = 0.0
    for t in range(rows.shape[0]):
        for u in range(t + 1):
            g = G[first + t, first + u]
            if g != 0.0:
                dot = 0.0
                for k in range(rows.shape[1]):
                    dot += rows[t, k] * rows[u, k]
                total += g * dot if u == t else 2.0 * g * dot
    return total


@kernel
def add_product(gram, length, first, weight, rows, out):
    """out_t += weight sum_u (x_{first + t} . x_{first + u}) rows_u."""
    G = gram.reshape((length, length))
    for t in range(rows.shape[0]):
        for u in range(rows.shape[0]):
            g = weight * G[first + t, first + u]
            if g != 0.0:
                for k in range(rows.shape[1]):
                    out[t, k] += g * rows[u, k]
