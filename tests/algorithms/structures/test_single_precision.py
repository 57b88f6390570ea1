"""Classes and chains in float32 against the same in float64, to the rounding of features, weights and sums."""

import numpy as np
import pytest

from structbench.algorithms.learning.precision import Storage
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import chain, features, multiclass, single_precision
from structbench.algorithms.structures import interface as parts
from tests.algorithms.drawn_features import binary, dense, sparse

ROUNDING = 3e-7
LENGTHS = np.array([1, 3, 2])


def classes(x, K, rng):
    return multiclass.build(x((5, 9), 0.5, rng), rng.integers(K, size=5), K)


def chains(x, K, rng):
    return chain.build(x((6, 9), 0.5, rng), LENGTHS, rng.integers(K, size=6), K)


def chains_with_edges(x, K, rng):
    edges = np.isin(np.arange(6), np.cumsum(LENGTHS) - LENGTHS, invert=True)[:, None]
    edges = features.dense(edges * rng.normal(size=(6, 3)))
    return chain.build(x((6, 9), 0.5, rng), LENGTHS, rng.integers(K, size=6), K, edges)


@kernel
def _visited(split, i, c, mu, w, s, gram, limit):
    """Scores, then w += c sum_r mu_r f(x_i, r), and the other operations that look at features."""
    parts.prefetch(split, i)
    parts.scores(split, i, w, s)
    parts.add_features(split, i, c, mu, w)
    parts.add_gram(split, i, 1.0, mu, gram)
    along = 0.0
    for r in range(s.shape[0]):
        along += s[r] * mu[r]
    norm = parts.squared_norm(split, i, mu)
    along += c * norm
    return norm, parts.add_features_if_short(split, i, c, mu, along, limit, w)


def unpacked(storage: Storage, memory: np.ndarray) -> np.ndarray:
    found = storage.unpacked(memory)
    assert callable(found)
    return np.asarray(found())


@pytest.mark.parametrize("K", [1, 2, 3, 4, 10, 16, 17, 40])  # padded to 2, 2, 4, 4, 16, 16, 24, 40
@pytest.mark.parametrize("x", [dense, sparse, binary])
@pytest.mark.parametrize("made", [classes, chains, chains_with_edges])
def test_operations_agree_with_those_in_double_precision(made, x, K):
    rng = np.random.default_rng(K)
    exact = made(x, K, rng)
    storage, split = Storage(exact, "float32"), parts.compiled(exact)
    w = rng.normal(size=parts.num_weights(exact))
    memory = storage.packed(w)
    assert memory.ctypes.data % 64 == 0
    np.testing.assert_allclose(unpacked(storage, memory), w, rtol=ROUNDING)
    w[:] = unpacked(storage, memory)
    for i, limit in ((0, np.inf), (1, -1.0), (2, np.inf)):
        m = parts.num_parts(exact, i)
        mu, found = rng.normal(size=m), []
        for each, weights in ((split, w), (storage.split, memory)):
            s, gram = np.empty(m), np.zeros(m)
            norms = _visited(each, i, -0.7, mu, weights, s, gram, limit)
            found.append((s, gram, *norms))
        np.testing.assert_allclose(found[1][0], found[0][0], atol=9 * 9 * ROUNDING)
        np.testing.assert_array_equal(found[1][1], found[0][1])
        assert found[1][2] == found[0][2] == pytest.approx(found[0][3], rel=1e-9)
        assert found[1][3] == pytest.approx(found[0][2], rel=1e-4)
        after = unpacked(storage, memory)
        np.testing.assert_allclose(after, w, rtol=1e-5, atol=1e-5)
        w[:] = after
    rows = memory[: 9 * single_precision.row_width.python(K) // 2].view(np.float32).reshape(9, -1)
    assert not rows[:, K:].any()


def test_a_row_of_weights_is_as_wide_as_cache_lines_allow():
    widths = {K: single_precision.row_width.python(K) for K in (1, 2, 3, 5, 9, 16, 17, 33)}
    assert widths == {1: 2, 2: 2, 3: 4, 5: 8, 9: 16, 16: 16, 17: 24, 33: 40}
