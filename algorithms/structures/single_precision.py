"""Classes whose features and weights are float32, so that a visit reads and writes half as much memory.

Each column has a row of K weights. It is padded to a power of two, or to a multiple of 16, so that it crosses no
more cache lines than it must. Kernels of algorithms take weights as float64: they pass on this memory as such, and
never read it themselves. Everything else is float64: scores are rounded once, after their sums.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime import rows
from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, Matrix, ShortFloats, frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.rows import gather_times, scatter_times
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import layout, lineage
from structbench.algorithms.structures.multiclass import Classified, Multiclass

CACHE_LINE = 64  # bytes
WIDEST = 16  # float32 of a cache line


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


def of_classes(m: Multiclass) -> ShortClasses:
    """The same examples, for visits in float32.

    Raises:
        UserError: the structure has other fields than ``Classified`` and feature rows ``x``.
    """
    if Classified not in lineage(type(m)):
        raise UserError(f"precision=float32 is for multiclass problems, not {type(m).__name__}")
    x = m.x
    if x.kind != ft.SPARSE:
        import scipy.sparse as sp

        matrix = sp.csr_array(ft.as_matrix(x))
        x = x._replace(indptr=matrix.indptr, indices=matrix.indices, values=matrix.data)
    values = frozen(x.values, np.float32)
    indptr, indices = frozen(x.indptr, np.int64), frozen(x.indices, np.int32)
    return ShortClasses(m.y, m.squares, m.num_labels, m.costs, indptr, indices, values, _width(m.num_labels))


def _width(K: int) -> int:
    width = 2  # float32 in a float64
    while width < min(K, WIDEST):
        width *= 2
    return -(-K // width) * width


def packed(w: np.ndarray, K: int) -> np.ndarray:
    """Weights (columns * K,) in the memory that operations on ``ShortClasses`` take, as float64."""
    W, width = w.reshape(-1, K), _width(K)
    room = np.zeros(4 * W.shape[0] * width + CACHE_LINE, np.uint8)
    begin = -room.ctypes.data % CACHE_LINE
    memory = room[begin : begin + 4 * W.shape[0] * width].view(np.float64)
    memory.view(np.float32).reshape(-1, width)[:, :K] = W
    return memory


def unpacked(memory: np.ndarray, K: int) -> np.ndarray:
    """The weights (columns * K,) in this memory, as float64."""
    return memory.view(np.float32).reshape(-1, _width(K))[:, :K].astype(np.float64).ravel()


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
