"""Random features of each kind, and features of any kind as a dense array."""

import numpy as np
import scipy.sparse as sp

from structbench.algorithms.structures import features as ft


def rows_of(x: ft.Features) -> np.ndarray:
    if x.kind == ft.DENSE:
        return x.dense
    found = np.zeros((len(x.indptr) - 1, len(x.counts)))
    values = x.values if x.kind == ft.SPARSE else np.ones(len(x.indices))
    for r in range(len(found)):
        for p in range(x.indptr[r], x.indptr[r + 1]):
            found[r, x.indices[p]] = values[p]
    return found


def _values(shape: tuple[int, int], density: float, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=shape) * (rng.random(shape) < density)


def dense(shape: tuple[int, int], density: float, rng: np.random.Generator) -> ft.Features:
    return ft.dense(_values(shape, density, rng))


def sparse(shape: tuple[int, int], density: float, rng: np.random.Generator) -> ft.Features:
    rows = sp.csr_array(_values(shape, density, rng))
    counts = np.bincount(rows.indices, minlength=shape[1])
    return ft.compressed(rows.indptr, rows.indices, rows.data, counts)


def binary(shape: tuple[int, int], density: float, rng: np.random.Generator) -> ft.Features:
    return ft.sparse(sp.csr_array((rng.random(shape) < density).astype(float)))


def without_first(edges: ft.Features, lengths: tuple[int, ...]) -> ft.Features:
    """The first token of a sequence has no edge."""
    rows = sp.csr_array(ft.as_matrix(edges))
    keep = np.ones(ft.shape(edges)[0])
    keep[np.cumsum(lengths) - np.array(lengths)] = 0
    rows = sp.csr_array(rows.multiply(keep[:, None]))
    rows.eliminate_zeros()
    if edges.kind == ft.BINARY:
        return ft.sparse(rows)
    return ft.compressed(
        rows.indptr, rows.indices, rows.data, np.bincount(rows.indices, minlength=ft.shape(edges)[1])
    )
