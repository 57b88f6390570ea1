"""Sums of short rows: the compiled functions say what the plain ones say, at every length."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from structbench.algorithms.runtime import rows
from structbench.algorithms.runtime.kernel import kernel

LENGTHS = (1, 2, 3, 4, 7, 8, 9, 10, 12, 13, 16, 17, 22, 25, 31, 40, 63)  # of strips, alone and after others
NAMES = (
    *("limits", "exponentials", "product", "add_products", "multiply", "gram_square"),
    *("gather", "gather_times", "scatter", "scatter_times", "best_sums", "growth"),
)


@kernel
def compiled(K, x, M, c, indices, values, W, G):
    """What each function finds, in the order of NAMES, one after another in one array."""
    found = np.zeros((12, 6, K))
    found[0, 0, 0], found[0, 1, 0] = rows.limits(x[:K])
    rows.exponentials(x[:K], 9.0, found[1, 0])
    found[2, 2, 0] = rows.product(c, M, found[2, 0], x[:K], 3.0, found[2, 1])
    rows.add_products(W, M, found[3])
    rows.multiply(x, x, found[4, 0])
    found[5, 0, 0] = rows.gram_square(G, 1, M)
    rows.gather(indices, 1, len(indices), M, found[6, 0])
    rows.gather_times(indices, values, 1, len(indices), M, found[7, 0])
    rows.prefetch(values, 1, len(values))
    for row in range(6):
        found[8, row, :] = found[9, row, :] = x[:K]
    found[11, 0, 0] = rows.scatter(indices, 1, len(indices), 0.5, x[:K], found[8])
    found[11, 1, 0] = rows.scatter_times(indices, values, 1, len(indices), 0.5, x[:K], found[9])
    rows.best_sums(c[:6], M, found[10, 0])
    return found


@pytest.mark.parametrize("K", LENGTHS)
def test_compiled_and_plain_functions_find_the_same(K):
    rng = np.random.default_rng(K)
    x, M, c, W = (rng.normal(size=size) for size in (K + 1, (6, K), 7, (6, 7)))
    indices, G = rng.integers(6, size=7).astype(np.int32), rng.normal(size=(7, 7))
    given = (K, x, M, c, indices, rng.normal(size=7), W, G + G.T)
    ours = compiled(*given)
    for name, found, want in zip(NAMES, ours, compiled.python(*given), strict=True):
        assert np.abs(want).sum() > 0
        np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12, err_msg=name)
    squares = (ours[8:10] ** 2).sum(axis=(1, 2))
    np.testing.assert_allclose(ours[11, :2, 0], squares - 6 * (x[:K] ** 2).sum(), rtol=1e-9)


@pytest.mark.parametrize("K", LENGTHS)
def test_a_number_does_not_depend_on_how_its_row_is_cut(K):
    rng = np.random.default_rng(K)
    M, indices = rng.normal(size=(6, 64)), rng.integers(6, size=50).astype(np.int32)
    whole, part = np.zeros(64), np.zeros(K)
    _gathered(indices, len(indices), M, whole)
    _gathered(indices, len(indices), np.ascontiguousarray(M[:, :K]), part)
    np.testing.assert_array_equal(part, whole[:K])


@pytest.mark.parametrize("K", LENGTHS)
def test_scaled_columns_are_products_with_one_row_bit_for_bit(K):
    M, factors = np.random.default_rng(K).random((6, K)), np.random.default_rng(1).random(K)
    found, want = ([M.copy(), np.zeros(6)] for _ in range(2))
    _scaled(found[0], factors, found[1])
    _products(want[0], factors, want[1])
    for each, other in zip(found, want, strict=True):
        np.testing.assert_array_equal(each, other)
    rows.scale_columns(M, factors, sums := np.zeros(6))
    np.testing.assert_array_equal(found[0], M)
    np.testing.assert_allclose(found[1], sums, rtol=1e-13)


@kernel
def _scaled(M, factors, sums):
    rows.scale_columns(M, factors, sums)


@kernel
def _products(M, factors, sums):
    one, unused = np.ones(1), np.empty(M.shape[1])
    for r in range(M.shape[0]):
        sums[r] = rows.product(one, M[r : r + 1], unused, factors, 1.0, M[r])


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


@pytest.mark.parametrize("K", LENGTHS)
def test_limits_of_numbers_some_of_which_are_nan(K):
    x = np.random.default_rng(K).normal(size=K)
    for k in range(K):
        some = np.where(np.arange(K) == k, np.nan, x)
        want = (np.nanmax(some), np.nanmin(some)) if K > 1 else (-np.inf, np.inf)
        assert _limits(some) == want


def test_exponentials_are_numpy_s_to_a_last_place_or_two():
    x = -np.concatenate([[0.0], np.geomspace(1e-17, 708, 3000)])
    found = np.empty(len(x))
    _exponentials(x + 2.0, 2.0, found)
    np.testing.assert_allclose(found, np.exp((x + 2.0) - 2.0), rtol=1e-15)
    _exponentials(np.array([0.0, np.nan, -1.0]), 0.0, found)
    np.testing.assert_array_equal(np.isnan(found[:3]), [False, True, False])


@kernel
def _exponentials(x, top, out):
    rows.exponentials(x, top, out)


@kernel
def _limits(x):
    return rows.limits(x)


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
