"""Rows of features added to a sparse sum, as the steps of search problems need them."""

from algorithms.runtime.sparse_sum import add, make_room
from algorithms.structures import features as ft
from algorithms.structures.interface import implements, operation


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
    begin, end = x.indptr[r], x.indptr[r + 1]
    make_room(total, end - begin)
    indices, stored, keys, dense, count = x.indices, x.values, total.keys, total.dense, total.numbers[0]
    for p in range(begin, end):
        key = indices[p] * stride + k
        keys[count] = key
        dense[key] += c * stored[p]
        count += 1
    total.numbers[0] = count


@implements(add_row, ft.Binary)
def _(x, r, k, stride, c, total):
    begin, end = x.indptr[r], x.indptr[r + 1]
    make_room(total, end - begin)
    indices, keys, dense, count = x.indices, total.keys, total.dense, total.numbers[0]
    for p in range(begin, end):
        key = indices[p] * stride + k
        keys[count] = key
        dense[key] += c
        count += 1
    total.numbers[0] = count
