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
    for i in range(begin, end):
        first, length = starts[i], starts[i + 1] - starts[i]
        G = grams[gram_starts[i] : gram_starts[i + 1]].reshape((length, length))
        for t in range(length):
            for u in range(t + 1):
                G[t, u] = ft.row_dot(x, first + t, first + u)
                G[u, t] = G[t, u]


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
