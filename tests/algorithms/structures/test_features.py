"""Dense, sparse and binary rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from algorithms.runtime.arrays import frozen
from algorithms.structures import features as ft


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
