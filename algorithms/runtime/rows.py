"""Vectorised operations on short rows of numbers: products, sums, maxima, exponentials, gather and scatter.

A compiler that does not know K handles loops over K labels badly. Of 22 labels it does 6 one by one, and each step
of a sum stores what the next step loads. These functions are written in the compiler's own language
(``rows_code``). They cut a row into strips of up to 32 numbers, and keep a strip of a sum in registers. A number's
order of summation does not depend on how its row is cut. Arrays are float64 and C-contiguous. From ``gather`` on
W and ``values`` may be float32, and rows of W longer than K: their ends stay. Sums are then rounded to float32.
The Python bodies below define the results, and run without compilation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.runtime.kernel import type_in_kernels


class Intrinsic:
    """A function that ``rows_code`` writes for kernels, under the same name. Called directly it is Python."""

    def __init__(self, python: Callable) -> None:
        self.python, self.__name__, self.__doc__ = python, python.__name__, python.__doc__
        self._type: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """What the Python body gives."""
        return self.python(*arguments)

    @property
    def contract(self) -> str:
        """What kernels that call it depend on."""
        from structbench.algorithms.runtime.kernel_cache import code_of

        return code_of("vector_code") + code_of("rows_code")

    @property
    def _numba_type_(self) -> Any:
        if self._type is None:
            from structbench.algorithms.runtime import rows_code

            self._type = type_in_kernels(getattr(rows_code, self.__name__))
        return self._type


@Intrinsic
def limits(x):
    """max(x) and min(x) of the numbers that are not NaN; minus infinity and infinity if there are none."""
    return np.fmax.reduce(x, initial=-np.inf), np.fmin.reduce(x, initial=np.inf)


@Intrinsic
def exponentials(x, top, out):
    """out = exp(x - top), of x (K,) with x - top from -708 to 0, and out (K or longer,), maybe the same.

    NaN stays; beyond these limits the result is undefined.
    """
    out[: len(x)] = np.exp(x - top)


@Intrinsic
def product(c, M, plain, factors, scale, out):
    """plain = c M, of c (n or longer,) and M (n, K), and out = scale plain factors; returns the sum of out."""
    plain[:] = c[: len(M)] @ M
    out[:] = scale * plain * factors
    return out.sum()


@Intrinsic
def scale_columns(M, factors, sums):
    """M[r] *= factors and sums[r] += the sum of M[r], of M (n, K), factors (K,) and sums (n,)."""
    M *= factors
    sums += M.sum(axis=1)


@Intrinsic
def add_products(A, B, out):
    """out += A^T B, of A (n, J or more), B (n, K or more) and out (J, K)."""
    out += A[:, : out.shape[0]].T @ B[:, : out.shape[1]]


@Intrinsic
def multiply(a, b, out):
    """out = a b, number by number, of out (K,) and a, b (K or longer,)."""
    out[:] = a[: len(out)] * b[: len(out)]


@Intrinsic
def gram_square(G, first, rows):
    """sum_t,u G[first + t, first + u] rows_t . rows_u, of a symmetric G and rows (n, K)."""
    G = G[first : first + len(rows), first : first + len(rows)]
    return (rows * (G @ rows)).sum()


@Intrinsic
def best_sums(c, M, out):
    """out_k = max_n c_n + M_nk, of c (n,) and M (n, K). Sums that are NaN do not count; without others -inf."""
    out[:] = np.fmax.reduce(c[:, None] + M, axis=0, initial=-np.inf)


@Intrinsic
def gather(indices, begin, end, W, out):
    """out += the sum of the rows W[indices[p]], begin <= p < end."""
    for p in range(begin, end):
        out += W[indices[p], : len(out)]


@Intrinsic
def gather_times(indices, values, begin, end, W, out):
    """out += the sum of values[p] W[indices[p]], begin <= p < end."""
    for p in range(begin, end):
        out += values[p] * W[indices[p], : len(out)]


def soft(x, threshold):
    """x shrunk towards 0 by the threshold."""
    return x - np.clip(x, -threshold, threshold)


@Intrinsic
def gather_soft(indices, begin, end, W, threshold, out):
    """out += the sum of soft(W[indices[p]], threshold), begin <= p < end."""
    for p in range(begin, end):
        out += soft(W[indices[p], : len(out)], threshold)


@Intrinsic
def gather_times_soft(indices, values, begin, end, W, threshold, out):
    """out += the sum of values[p] soft(W[indices[p]], threshold), begin <= p < end."""
    for p in range(begin, end):
        out += values[p] * soft(W[indices[p], : len(out)], threshold)


def _grown(row, change):
    before = row.copy()
    row += change
    return float(((before + row) * change).sum())


@Intrinsic
def scatter(indices, begin, end, scale, c, W):
    """W[indices[p]] += scale c, begin <= p < end. Returns by how much ||W||^2 grows."""
    return sum(_grown(W[indices[p], : len(c)], (scale * c).astype(W.dtype)) for p in range(begin, end))


@Intrinsic
def scatter_times(indices, values, begin, end, scale, c, W):
    """W[indices[p]] += values[p] (scale c), begin <= p < end. Returns by how much ||W||^2 grows."""
    row = (scale * c).astype(W.dtype)
    return sum(_grown(W[indices[p], : len(c)], values[p] * row) for p in range(begin, end))


@Intrinsic
def prefetch(numbers, begin, end):
    """Have the processor read numbers[begin:end], (n,), into its cache. It changes nothing."""
