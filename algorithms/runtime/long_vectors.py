"""Inner product, scaling and clearing of vectors as long as the weights, on several threads.

Sums go block by block. So they have the same bits for any number of threads.
"""

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot

BLOCK = 2**14  # weights whose share of a few vectors stays in cache


def num_blocks(size: int) -> int:
    """How many blocks cover ``size`` weights."""
    return -(-size // BLOCK)


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """a . b, of two contiguous vectors."""
    sums = np.empty(num_blocks(len(a)))
    parallel.for_each(_inner, len(sums), a, b, sums)
    return float(sums.sum())


def scale_to(c: float, a: np.ndarray, out: np.ndarray) -> float:
    """out = c a, of two contiguous vectors; returns a . a. It reads a once."""
    sums = np.empty(num_blocks(len(a)))
    parallel.for_each(_scale, len(sums), float(c), a, out, sums)
    return float(sums.sum())


def clear(out: np.ndarray) -> None:
    """out = 0, of a contiguous vector."""
    parallel.for_each(_clear, num_blocks(len(out)), out)


@kernel
def _inner(first, last, a, b, sums):
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(a))
        sums[block] = dot(a[begin:end], b[begin:end])


@kernel(fastmath={"reassoc"})
def _scale(first, last, c, a, out, sums):
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(a))
        x, y, total = a[begin:end], out[begin:end], 0.0
        for k in range(len(x)):
            y[k] = c * x[k]
            total += x[k] * x[k]
        sums[block] = total


@kernel
def _clear(first, last, out):
    for k in range(first * BLOCK, min(last * BLOCK, len(out))):
        out[k] = 0.0
