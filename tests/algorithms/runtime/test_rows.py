"""Sums of short rows: the compiled functions say what the plain ones say, at every length."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from structbench.algorithms.runtime import rows
from structbench.algorithms.runtime.kernel import kernel

LENGTHS = (1, 2, 3, 5, 7, 10, 15, 16, 22, 31, 40, 63)  # each width of a piece, alone and after others
NAMES = ("below_top", "product", "add_products", "gather", "gather_times", "scatter", "scatter_times", "best_sums")


@kernel
def compiled(K, x, M, c, indices, values, W):
    """What each function finds, in the order of NAMES, one after another in one array."""
    found = np.zeros((8, 6, K))
    found[0, 1, 0], found[0, 2, 0] = rows.below_top(x, found[0, 0])
    found[1, 2, 0] = rows.product(c, M, found[1, 0], x, 3.0, found[1, 1])
    rows.add_products(W, M, found[2])
    rows.gather(indices, 1, len(indices), M, found[3, 0])
    rows.gather_times(indices, values, 1, len(indices), M, found[4, 0])
    rows.prefetch(values, 1, len(values))
    rows.scatter(indices, 1, len(indices), 0.5, x, found[5])
    rows.scatter_times(indices, values, 1, len(indices), 0.5, x, found[6])
    rows.best_sums(c, M, found[7, 0])
    return found


@pytest.mark.parametrize("K", LENGTHS)
def test_compiled_and_plain_functions_find_the_same(K):
    rng = np.random.default_rng(K)
    x, M, c, W = rng.normal(size=K), rng.normal(size=(6, K)), rng.normal(size=6), rng.normal(size=(6, 6))
    indices = rng.integers(6, size=7).astype(np.int32)
    given = (K, x, M, c, indices, rng.normal(size=7), W)
    for name, found, want in zip(NAMES, compiled(*given), compiled.python(*given), strict=True):
        assert np.abs(want).sum() > 0
        np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("K", LENGTHS)
def test_a_number_does_not_depend_on_how_its_row_is_cut(K):
    rng = np.random.default_rng(K)
    M, indices = rng.normal(size=(6, 64)), rng.integers(6, size=50).astype(np.int32)
    whole, part = np.zeros(64), np.zeros(K)
    _gathered(indices, len(indices), M, whole)
    _gathered(indices, len(indices), np.ascontiguousarray(M[:, :K]), part)
    np.testing.assert_array_equal(part, whole[:K])


@kernel
def in_float32(indices, values, x, M, W):
    """Sums of the rows of M, and W with rows added; rows may be longer than sums."""
    found = np.ones((2, x.shape[0]))
    rows.gather(indices, 1, len(indices), M, found[0])
    rows.gather_times(indices, values, 1, len(indices), M, found[1])
    rows.scatter(indices, 1, len(indices), 0.5, x, W)
    rows.scatter_times(indices, values, 1, len(indices), 0.5, x, W)
    return found


@pytest.mark.parametrize("indices", [np.int32, np.uint16])
@pytest.mark.parametrize("K", LENGTHS)
def test_rows_of_float32_are_summed_and_added_to_in_float32(K, indices):
    rng, width = np.random.default_rng(K), K + K % 3
    M, W = (rng.normal(size=(6, width)).astype(np.float32) for _ in range(2))
    given = rng.integers(6, size=7).astype(indices), rng.normal(size=7).astype(np.float32), rng.normal(size=K), M
    compiled, plain = W.copy(), W.copy()
    found, want = in_float32(*given, compiled), in_float32.python(*given, plain)
    np.testing.assert_allclose(found, want, atol=2e-6)
    np.testing.assert_allclose(compiled, plain, atol=2e-6)
    np.testing.assert_array_equal(compiled[:, K:], W[:, K:])
    assert np.abs(found - 1).min() > 1e-4 and (found == found.astype(np.float32)).all()


@kernel
def _gathered(indices, end, M, out):
    rows.gather(indices, 0, end, M, out)


@pytest.mark.parametrize("K", LENGTHS)
def test_sums_that_are_no_numbers_are_never_best(K):
    M = np.random.default_rng(K).normal(size=(6, K))
    M[1], M[4, K // 2], M[:, -1] = np.nan, np.nan, -np.inf
    c, found = np.array([0.0, 9.0, -np.inf, 1.0, 5.0, 2.0]), np.empty(K)
    _best(c, M, found)
    np.testing.assert_array_equal(found, [max(v for v in column if v == v) for column in (c[:, None] + M).T])


@kernel
def _best(c, M, out):
    rows.best_sums(c, M, out)


def test_what_is_no_row_no_index_and_no_place_is_refused():
    indices, M, out = np.zeros(2, np.int32), np.zeros((4, 4)), np.zeros(4)
    for name, given in (
        *(("indices", (each, 2, M, out)) for each in (3, np.zeros(2), np.zeros(4, np.int32)[::2])),
        ("end", (indices, 2.0, M, out)),
        *(("W", (indices, 2, each, out)) for each in (M.T, M[0], M.astype(np.float16), 1.0)),
        *(("out", (indices, 2, M, each)) for each in (M, M[:, 0], 1.0)),
    ):
        with pytest.raises(TypingError, match=f"gather: {name} cannot be"):
            _gathered(*given)
