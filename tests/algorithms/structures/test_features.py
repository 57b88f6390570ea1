"""Dense, sparse and binary rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass, transposed, warm_up_sample
from tests.algorithms.drawn_features import binary, dense, rows_of, sparse


def test_sparse_rows_are_binary_where_all_stored_values_are_one():
    ones = np.array([[0, 1.0], [1, 1]])
    assert ft.sparse(sp.csr_array(ones)).kind == ft.BINARY
    assert ft.sparse(sp.csr_array(2 * ones)).kind == ft.SPARSE


def test_values_of_a_repeated_column_add_up():
    repeated = sp.coo_array(([1.0, 1.0], ([0, 0], [1, 1])), shape=(1, 2))
    np.testing.assert_array_equal(rows_of(ft.sparse(repeated)), [[0, 2]])


@pytest.mark.parametrize("draw", [dense, sparse, binary])
def test_some_rows_or_columns_keep_type_and_order(draw):
    rng = np.random.default_rng(0)
    x, v = draw((5, 12), 0.5, rng), rng.normal(size=12)
    values = rows_of(x)
    for rows in ([2, 0], [0], [1, 1]):
        taken = ft.take_rows(x, np.array(rows))
        assert taken.kind == x.kind and ft.shape(taken) == (len(rows), 12)
        np.testing.assert_array_equal(rows_of(taken), values[rows])
    block = ft.block_rows(x, 1, 4)
    np.testing.assert_allclose([ft.row_times.python(block, r, v) for r in range(3)], values[1:4] @ v)
    for used, kept in (([3, 7, 8], [3, 7, 8]), ([], [0]), ([1, 3, 7, 8], range(12)), (range(12), range(12))):
        W = np.zeros((12, 2))
        W[used, 1] = 1.0
        narrower, weights = ft.used_columns(x, W)
        assert narrower.kind == x.kind and ft.shape(narrower) == (5, len(kept))
        np.testing.assert_array_equal(rows_of(narrower), values[:, kept])
        np.testing.assert_array_equal(weights, W[kept])
        assert x.kind == ft.DENSE or narrower.counts.tolist() == (values != 0)[:, kept].sum(axis=0).tolist()


def test_a_warm_up_sample_has_features_of_its_own_alone():
    rows = np.zeros((5, 12))
    rows[[1, 3, 4], [2, 7, 9]] = 1.0
    split = multiclass.build(ft.sparse(sp.csr_array(rows)), np.zeros(5, int), 3)
    for most, among, chosen in ((2, 5, [1, 3]), (3, 9, [1, 3, 4]), (2, 3, [1]), (2, 1, [0])):
        assert warm_up_sample.with_features(split, most, among).tolist() == chosen
    smaller = warm_up_sample.without_other_features(parts.take(split, [1, 3]))
    np.testing.assert_array_equal(rows_of(smaller.x), [[1, 0], [0, 1]])


def test_kernels_get_one_kind_of_array():
    for given in (np.ones((2, 2), np.float32, order="F"), np.ones((4, 4))[::2, ::2]):
        kept = frozen(given, np.float64)
        assert kept.dtype == np.float64
        assert kept.flags.c_contiguous
        assert not kept.flags.writeable


@pytest.mark.parametrize("values", [None, np.arange(1.0, 6)])
@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]])
def test_columns_of_a_row_rise_whatever_their_order_was(values, order):
    indptr, indices = np.array([0, 2, 2, 5]), np.array([2, 4, *np.array([0, 1, 3])[order]])
    given = indices.tolist()
    x = ft.compressed(indptr, indices, values, np.bincount(indices))
    np.testing.assert_array_equal(x.indices, [2, 4, 0, 1, 3])
    np.testing.assert_array_equal(x.values, [] if values is None else [1, 2, *(3 + np.argsort(order))])
    assert indices.tolist() == given


@pytest.mark.parametrize("rare", [1, 2**13])
@pytest.mark.parametrize("kind", [dense, sparse, binary])
def test_transposed_products_are_right_and_have_the_same_bits_on_any_number_of_threads(kind, rare, monkeypatch):
    monkeypatch.setattr(transposed, "RARE_COLUMN_ROWS", rare)
    rng = np.random.default_rng(0)
    for rows, columns in ((40, 30), (3, 1), (0, 5)):
        x = kind((rows, columns), 0.3, rng)
        mu = rng.normal(size=rows * 7 + 2)
        starts = rng.permutation(rows) * 7
        found = []
        for threads in (1, 2, 3, 8):
            with parallel.using(threads):
                G = np.ones((columns, 5))
                transposed.add_transpose_times(x, starts, mu, G)
                found.append(G)
        picked = mu[starts[:, None] + np.arange(5)] if rows else np.zeros((0, 5))
        np.testing.assert_allclose(found[0], 1 + rows_of(x).T @ picked, atol=1e-12)
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("kind", [dense, sparse, binary])
def test_operations_on_a_row_are_those_on_its_dense_values(kind):
    rng = np.random.default_rng(0)
    x = kind((6, 9), 0.4, rng)
    for r, row in enumerate(rows_of(x)):
        v, W, c, out = rng.normal(size=9), rng.normal(size=(9, 3)), rng.normal(size=3), np.ones(3)
        ft.add_row_times.python(x, r, W, out)
        np.testing.assert_allclose(out, 1 + row @ W)
        for begin, end in ((0, 9), (2, 7), (4, 4)):
            G, inside = np.ones((9, 3)), (np.arange(9) >= begin) & (np.arange(9) < end)
            ft.add_outer.python(x, r, 0.5, c, G, begin, end)
            np.testing.assert_allclose(G, 1 + np.outer(row * inside, 0.5 * c))
        assert ft.row_times.python(x, r, v) == pytest.approx(row @ v)
        columns = 3 * np.flatnonzero(row) + 1
        for room in (20, 3):
            found = np.full(room, -1)
            assert ft.row_columns.python(x, r, 1, 3, found, 2) == 2 + len(columns)
            assert found[2:].tolist() == [*columns, *[-1] * 20][: room - 2] and (found[:2] == -1).all()
