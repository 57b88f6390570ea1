"""Classes in float32 against the same classes in float64, to the rounding of features, weights and sums."""

import numpy as np
import pytest

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass, single_precision
from tests.algorithms.drawn_features import binary, dense, sparse

ROUNDING = 3e-7


@kernel
def _visited(split, i, c, mu, w, s, gram):
    """Scores, then w += c sum_r mu_r f(x_i, r), and the other operations that look at features."""
    parts.prefetch(split, i)
    parts.scores(split, i, w, s)
    parts.add_features(split, i, c, mu, w)
    parts.add_gram(split, i, 1.0, mu, gram)
    return parts.squared_norm(split, i, mu)


@pytest.mark.parametrize("K", [1, 2, 3, 4, 10, 16, 17, 40])  # padded to 2, 2, 4, 4, 16, 16, 32, 48
@pytest.mark.parametrize("kind", [dense, sparse, binary])
def test_operations_agree_with_those_in_double_precision(kind, K):
    rng = np.random.default_rng(K)
    x, w = kind((5, 9), 0.5, rng), rng.normal(size=9 * K)
    exact = multiclass.build(x, rng.integers(K, size=5), K)
    short = single_precision.of_classes(exact)
    memory = single_precision.packed(w, K)
    assert memory.ctypes.data % 64 == 0
    np.testing.assert_array_equal(single_precision.unpacked(memory, K), w.astype(np.float32))
    for i in range(5):
        mu, found = rng.normal(size=K), []
        for split, weights in ((exact, w), (short, memory)):
            assert parts.num_parts(split, i) == K and parts.num_examples(split) == 5
            s, gram = np.empty(K), np.zeros(K)
            norm = _visited(parts.compiled(split), i, -0.7, mu, weights, s, gram)
            found.append((s, gram, norm, parts.gold(split, i, s.copy())))
        size = np.abs(ft.as_matrix(x)[[i]] @ np.abs(w.reshape(9, K))).max() + 1
        np.testing.assert_allclose(found[1][0], found[0][0], atol=9 * ROUNDING * size)
        np.testing.assert_array_equal(found[1][1], found[0][1])
        assert found[1][2] == found[0][2]
        np.testing.assert_allclose(single_precision.unpacked(memory, K), w, rtol=1e-5, atol=1e-5)
        w[:] = single_precision.unpacked(memory, K)
    assert not memory.view(np.float32).reshape(9, -1)[:, K:].any()


def test_the_matrix_of_weights_is_as_wide_as_cache_lines_allow():
    widths = {K: len(single_precision.packed(np.zeros(K), K)) * 2 for K in (1, 2, 3, 5, 9, 16, 17, 33)}
    assert widths == {1: 2, 2: 2, 3: 4, 5: 8, 9: 16, 16: 16, 17: 32, 33: 48}
