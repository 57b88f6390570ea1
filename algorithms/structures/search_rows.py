"""Rows of features added to a sparse sum, as the steps of search problems need them."""

from algorithms.structures import features as ft
from algorithms.structures.parts import implements, operation
from algorithms.structures.search import add


@operation
def add_row(x, r, k, stride, c, total) -> None:
    """total += c x_r at the weights of label k: of feature a, place a stride + k."""


@implements(add_row, ft.Dense)
def _(x, r, k, stride, c, total):
    for a in range(x.values.shape[1]):
        if x.values[r, a] != 0.0:
            add(total, a * stride + k, c * x.values[r, a])


@implements(add_row, ft.Sparse)
def _(x, r, k, stride, c, total):
    for p in range(x.indptr[r], x.indptr[r + 1]):
        add(total, x.indices[p] * stride + k, c * x.values[p])


@implements(add_row, ft.Binary)
def _(x, r, k, stride, c, total):
    for p in range(x.indptr[r], x.indptr[r + 1]):
        add(total, x.indices[p] * stride + k, c)
