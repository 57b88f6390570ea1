"""Kernels against products of features written out, positive semi-definiteness, and rows of Gram matrices."""

import numpy as np
import pytest

from structbench.algorithms.kernel_methods import similarity
from structbench.algorithms.kernel_methods.gram import Gram
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import multiclass
from tests.algorithms.drawn_features import binary, dense, rows_of, sparse

DRAWS = {"dense": dense, "sparse": sparse, "binary": binary}
GAMMA, LENGTH, DECAY = 0.3, 3, 0.6


def drawn(draw, n, seed=0):
    x = draw((n, 6), 0.6, np.random.default_rng(seed))
    return multiclass.build(x, np.zeros(n, int), 2)


def points(name, split):
    return similarity.named_kernel(name, GAMMA, LENGTH, DECAY).points(split)


def quadratic_features(x):
    """klein2011, "Example: Kernels": all products of two features, each feature twice, and 1."""
    return np.concatenate([np.outer(x, x).ravel(), np.sqrt(2) * x, [1.0]])


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("dense_enough", [True, False])
def test_kernels_of_rows_are_products_of_their_features(kind, dense_enough, monkeypatch):
    monkeypatch.setattr(similarity, "BLOCK", 2)
    if not dense_enough:
        monkeypatch.setattr(similarity, "DENSEST", 0)
    a, b = drawn(DRAWS[kind], 5), drawn(DRAWS[kind], 7, seed=1)
    A, B = rows_of(a.x), rows_of(b.x)
    expected = {
        "linear": A @ B.T,
        "quadratic": np.array([[quadratic_features(x) @ quadratic_features(z) for z in B] for x in A]),
        "rbf": np.array([[np.exp(-GAMMA * ((x - z) ** 2).sum()) for z in B] for x in A]),
    }
    for name, matrix in expected.items():
        np.testing.assert_allclose(points(name, a).against(points(name, b)), matrix, rtol=1e-12, atol=1e-12)
        some = points(name, a).take(np.array([3, 0])).against(points(name, b))
        np.testing.assert_allclose(some, matrix[[3, 0]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_rows_have_the_same_bits_for_any_number_of_threads(name, monkeypatch):
    monkeypatch.setattr(similarity, "BLOCK", 4)
    mine = points(name, drawn(dense, 33))
    found = mine.against(mine)
    with parallel.using(3):
        np.testing.assert_array_equal(mine.against(mine), found)


@pytest.mark.parametrize("room", [3, 5, 9])
def test_rows_are_kept_as_far_as_there_is_room(room, monkeypatch):
    monkeypatch.setattr("structbench.algorithms.kernel_methods.gram.LEAST", room)
    monkeypatch.setattr("structbench.algorithms.kernel_methods.gram.BLOCK", 2)
    split, rng = drawn(dense, 9), np.random.default_rng(1)
    whole = points("rbf", split).against(points("rbf", split))
    gram = Gram(points("rbf", split), 1e-9)
    assert gram.store.shape == (room, 9)
    for _ in range(30):
        rows = rng.permutation(9)[: rng.integers(1, room + 1)]
        np.testing.assert_allclose(gram.store[gram.slots(rows)], whole[rows], rtol=1e-14)
        assert (gram.where >= 0).sum() <= room
        A = rng.normal(size=(9, 2)) * (rng.random((9, 1)) < 0.5)
        np.testing.assert_allclose(gram.times(A), whole @ A, atol=1e-12)
    assert (gram.made == 9) if room == 9 else (gram.made > 9)
