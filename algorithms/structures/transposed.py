"""Products of the transposed feature matrix with part vectors, to sum expected features, on several threads.

Every thread owns some of the columns and goes over all rows in order. So sums have the same bits for any number of
threads, and the rows of ``mu`` are read one after another.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import scatter, scatter_times
from structbench.algorithms.runtime.vector_math import add_scaled
from structbench.algorithms.structures.features import DENSE, SPARSE, Features, add_outer, shape

RARE_COLUMN_ROWS = 2**13  # rows: a column less frequent than once in these has left the cache when it comes again
CACHE_MISS_COST = 8  # how many times longer it takes to add to such weights: measured on CoNLL-2000


def add_transpose_times(x: Features, starts: np.ndarray, mu: np.ndarray, G: np.ndarray) -> None:
    """G[a] += sum_r x_{r,a} mu[starts[r] : starts[r] + K], for all columns a, K = G.shape[1], in parallel."""
    threads, columns = parallel.threads(), shape(x)[1]
    if x.kind == DENSE or threads == 1:
        bounds = np.arange(columns + 1) if x.kind == DENSE else np.array([0, columns])
        parallel.for_each(_add_transpose_times, len(bounds) - 1, x, bounds, starts, mu, G)
    else:
        cuts = _cuts(_Rows(x.indptr, x.indices, int(x.indptr[0]), shape(x)), threads)
        parallel.for_each(_add_shares, threads, x, cuts, starts, mu, G)


class _Rows(NamedTuple):
    """Where the columns of some rows are. Arrays do not change: ``indices`` and the first place tell them."""

    indptr: np.ndarray
    indices: np.ndarray
    begin: int
    shape: tuple[int, int]

    def __hash__(self) -> int:
        return hash((id(self.indices), self[2:]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rows) and self.indices is other.indices and self[2:] == other[2:]


@lru_cache(maxsize=128)  # blocks of examples: each pass over a split asks for the same
def _cuts(block: _Rows, threads: int) -> np.ndarray:
    """Where each thread's share of each row begins, and the last one's ends, int32 (threads + 1, rows).

    Shares are of consecutive columns, and take equal time. Places count from the block's first.
    """
    rows, columns = block.shape
    indices = block.indices[block.indptr[0] : block.indptr[-1]]
    counts = np.bincount(indices, minlength=columns)
    cost = np.cumsum(np.where(counts * RARE_COLUMN_ROWS < rows, CACHE_MISS_COST * counts, counts))
    bounds = np.searchsorted(cost, np.linspace(0, cost[-1] if columns else 0, threads + 1)[1:-1], side="right")
    found = np.empty((threads + 1, rows), np.int32)
    found[0], found[-1] = block.indptr[:-1] - block.indptr[0], block.indptr[1:] - block.indptr[0]
    _cut_rows(indices, bounds, found)
    return found


@kernel
def _cut_rows(indices, bounds, found):
    for r in range(found.shape[1]):
        p = found[0, r]
        for t in range(len(bounds)):
            while p < found[-1, r] and indices[p] < bounds[t]:
                p += 1
            found[t + 1, r] = p


@kernel
def _add_shares(first, last, x, cuts, starts, mu, G):
    origin = x.indptr[0]
    for r in range(starts.shape[0]):
        p, q, c = origin + cuts[first, r], origin + cuts[last, r], mu[starts[r] : starts[r] + G.shape[1]]
        if x.kind == SPARSE:
            scatter_times(x.indices, x.values, p, q, 1.0, c, G)
        else:
            scatter(x.indices, p, q, 1.0, c, G)


@kernel
def _add_transpose_times(first, last, x, bounds, starts, mu, G):
    begin, end = bounds[first], bounds[last]
    for r in range(starts.shape[0]):
        add_outer(x, r, 1.0, mu[starts[r] : starts[r] + G.shape[1]], G, begin, end)


def add_blocks(starts: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    """out += sum_r mu[starts[r] : starts[r] + K], K = len(out), as for rows of one column that is 1."""
    bounds = np.linspace(0, len(out), parallel.threads() + 1).astype(np.int64)
    parallel.for_each(_add_blocks, len(bounds) - 1, bounds, starts, mu, out)


@kernel
def _add_blocks(first, last, bounds, starts, mu, out):
    begin, end = bounds[first], bounds[last]
    sums = out[begin:end]
    for start in starts:
        add_scaled(1.0, mu[start + begin : start + end], sums)
