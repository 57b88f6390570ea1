"""Kernels against products of features written out, positive semi-definiteness, and rows of Gram matrices."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.kernel_methods import kernels
from algorithms.kernel_methods.gram import Gram
from algorithms.kernel_methods.string_kernel import Words
from algorithms.structures import interface as parts
from algorithms.structures import multiclass
from tests.algorithms.drawn_features import binary, dense, rows_of, sparse

DRAWS = {"dense": dense, "sparse": sparse, "binary": binary}
GAMMA, LENGTH, DECAY = 0.3, 3, 0.6


def drawn(draw, n, seed=0):
    x = draw((n, 6), 0.6, np.random.default_rng(seed))
    return multiclass.build(x, np.zeros(n, int), 2)


def points(name, split):
    return kernels.named(name, GAMMA, LENGTH, DECAY).points(split)


def quadratic_features(x):
    """klein2011, "Example: Kernels": all products of two features, each feature twice, and 1."""
    return np.concatenate([np.outer(x, x).ravel(), np.sqrt(2) * x, [1.0]])


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("dense_enough", [True, False])
def test_kernels_of_rows_are_products_of_their_features(kind, dense_enough, monkeypatch):
    if not dense_enough:
        monkeypatch.setattr(kernels, "DENSEST", 0)
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


@pytest.mark.parametrize("name", ["linear", "quadratic", "rbf"])
def test_they_are_positive_semi_definite(name):
    mine = points(name, drawn(sparse, 20))
    found = mine.against(mine)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9 * found.max()


def words(texts):
    characters = np.array([ord(c) for c in "".join(texts)], np.int32)
    return parts.Strings(characters, np.concatenate([[0], np.cumsum([len(t) for t in texts])]))


def subsequences(text, length, decay):
    """Lodhi et al., Definition 1: u -> the sum of decay^(last - first + 1) over the places at which u stands."""
    found = {}
    for m in range(1, length + 1):
        for places in combinations(range(len(text)), m):
            u = "".join(text[p] for p in places)
            found[u] = found.get(u, 0.0) + decay ** (places[-1] - places[0] + 1)
    return found


def product(f, g):
    return sum(value * g[u] for u, value in f.items() if u in g)


TEXTS = st.lists(st.text("abc", max_size=7), min_size=2, max_size=5)


@given(TEXTS, st.integers(1, 4), st.floats(0.05, 1.0))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_the_string_kernel_is_the_product_of_subsequences(texts, length, decay):
    mine = Words.of(words(texts), length, decay)
    features = [subsequences(text, length, decay) for text in texts]
    plain = np.array([[product(f, g) for g in features] for f in features], float)
    norms = np.sqrt(np.diag(plain))
    scale = np.outer(norms, norms)
    expected = np.divide(plain, scale, out=np.zeros_like(plain), where=scale > 0)
    np.testing.assert_allclose(mine.against(mine), expected, rtol=1e-9, atol=1e-12)
    turned = mine.take(np.arange(len(texts))[::-1])
    np.testing.assert_allclose(turned.against(mine), expected[::-1], rtol=1e-9, atol=1e-12)
    assert np.linalg.eigvalsh(expected).min() > -1e-9


def test_the_string_kernel_of_the_papers_example():
    """Lodhi et al., section 2: K_2(car, cat) = lambda^4, K_2(car, car) = 2 lambda^4 + lambda^6."""
    decay = 0.7
    found = Words.of(words(["car", "cat"]), 2, decay)
    shared = 2 * decay**2 + decay**4
    own = 3 * decay**2 + 2 * decay**4 + decay**6
    np.testing.assert_allclose(found.against(found), [[1, shared / own], [shared / own, 1]])


@pytest.mark.parametrize("room", [3, 5, 9])
def test_rows_are_kept_as_far_as_there_is_room(room, monkeypatch):
    monkeypatch.setattr("algorithms.kernel_methods.gram.LEAST", room)
    monkeypatch.setattr("algorithms.kernel_methods.gram.BLOCK", 2)
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
