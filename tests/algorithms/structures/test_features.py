"""Dense, sparse and binary rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.structures import features as ft
from tests.algorithms.drawn_features import binary, dense, sparse


def test_sparse_rows_are_binary_where_all_stored_values_are_one():
    ones = np.array([[0, 1.0], [1, 1]])
    assert ft.sparse(sp.csr_array(ones)).kind == ft.BINARY
    assert ft.sparse(sp.csr_array(2 * ones)).kind == ft.SPARSE


def test_values_of_a_repeated_column_add_up():
    repeated = sp.coo_array(([1.0, 1.0], ([0, 0], [1, 1])), shape=(1, 2))
    np.testing.assert_array_equal(ft.as_matrix(ft.sparse(repeated)).toarray(), [[0, 2]])


@pytest.mark.parametrize("make", [ft.dense, lambda values: ft.sparse(sp.csr_array(values))])
def test_taken_rows_keep_type_columns_and_order(make):
    values = np.array([[0, 1.0, 0], [2, 0, 0], [0, 0, 0]])
    x = make(values)
    for rows in ([2, 0], [0], [1, 1]):  # row 0 alone holds nothing but ones
        taken = ft.take_rows(x, np.array(rows))
        assert type(taken) is type(x)
        assert ft.shape(taken) == (len(rows), 3)
        matrix = ft.as_matrix(taken)
        matrix = matrix if x.kind == ft.DENSE else matrix.toarray()
        np.testing.assert_array_equal(matrix, values[rows])


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
    monkeypatch.setattr(ft, "RARE_COLUMN_ROWS", rare)
    rng = np.random.default_rng(0)
    for rows, columns in ((40, 30), (3, 1), (0, 5)):
        x = kind((rows, columns), 0.3, rng)
        mu = rng.normal(size=rows * 7 + 2)
        starts = rng.permutation(rows) * 7
        found = []
        for threads in (1, 2, 3, 8):
            parallel.set_threads(threads)
            G = np.ones((columns, 5))
            ft.add_transpose_times(x, starts, mu, G)
            found.append(G)
        picked = mu[starts[:, None] + np.arange(5)] if rows else np.zeros((0, 5))
        values = ft.as_matrix(x) if x.kind == ft.DENSE else ft.as_matrix(x).toarray()
        np.testing.assert_allclose(found[0], 1 + values.T @ picked, atol=1e-12)
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0])
