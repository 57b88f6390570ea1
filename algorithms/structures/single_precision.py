"""Classes whose features and weights are float32, so that a visit reads and writes half as much memory.

Each column has a row of K weights, padded so that it crosses no more cache lines than it must. Kernels of
algorithms take weights as float64: they pass on this memory as such, and never read it themselves. Everything else
is float64: scores are rounded once, after their sums.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime import rows
from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, Matrix, ShortFloats, frozen
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import gather_times, scatter_times
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import layout
from structbench.algorithms.structures.multiclass import Classified, Multiclass

CACHE_LINE = 64  # bytes
HALF_LINE = 8  # float32 of half a cache line


@kernel
def row_width(K):
    """How many float32 a row of K weights has: up to half a cache line a power of two, then full halves."""
    width = 2  # float32 in a float64
    while width < min(K, HALF_LINE):
        width *= 2
    return -(-K // width) * width


def room(columns: int, K: int, more: int = 0) -> np.ndarray:
    """Memory for rows of K weights, and for ``more`` bytes; float64, 0, from the beginning of a cache line on."""
    size = -(-(4 * columns * row_width.python(K) + more) // 8)
    memory = np.zeros(size + CACHE_LINE // 8)
    first = -memory.ctypes.data % CACHE_LINE // 8
    return memory[first : first + size]


@layout
class ShortClasses(NamedTuple):
    """The fields of ``Classified``, and sparse rows: ``indptr``, ``indices``, ``values``; ``width`` of weights."""

    layouts = (Classified,)

    y: Labels
    squares: Floats
    num_labels: int
    costs: Matrix
    indptr: Ints
    indices: Labels
    values: ShortFloats
    width: int

    def packed(self, w: np.ndarray) -> np.ndarray:
        """Memory in which ``w`` is stored as float32."""
        W = w.reshape(-1, self.num_labels)
        memory = room(len(W), self.num_labels)
        memory.view(np.float32).reshape(-1, self.width)[:, : self.num_labels] = W
        return memory

    def unpacked(self, memory: np.ndarray) -> np.ndarray:
        """The weights in such a memory, as float64."""
        W = memory.view(np.float32).reshape(-1, self.width)[:, : self.num_labels]
        return W.astype(np.float64).ravel()


@implements(Multiclass)
def in_float32(m: Multiclass) -> ShortClasses:
    x = m.x
    if x.kind != ft.SPARSE:
        import scipy.sparse as sp

        matrix = sp.csr_array(ft.as_matrix(x))
        x = x._replace(indptr=matrix.indptr, indices=matrix.indices, values=matrix.data)
    values, width = frozen(x.values, np.float32), row_width.python(m.num_labels)
    indptr, indices = frozen(x.indptr, np.int64), frozen(x.indices, np.int32)
    return ShortClasses(m.y, m.squares, m.num_labels, m.costs, indptr, indices, values, width)


@implements(ShortClasses)
def scores(m, i, w, out):
    out[:] = 0.0
    W = w.view(np.float32).reshape((-1, m.width))
    gather_times(m.indices, m.values, m.indptr[i], m.indptr[i + 1], W, out)


@implements(ShortClasses)
def add_features(m, i, c, mu, w):
    W = w.view(np.float32).reshape((-1, m.width))
    scatter_times(m.indices, m.values, m.indptr[i], m.indptr[i + 1], c, mu, W)


@implements(ShortClasses)
def prefetch(m, i):
    rows.prefetch(m.indices, m.indptr[i], m.indptr[i + 1])
    rows.prefetch(m.values, m.indptr[i], m.indptr[i + 1])
