"""Stochastic average gradient against the same steps on dense vectors, written out."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.gradient import sag
from structbench.algorithms.learning.penalties import soft
from structbench.algorithms.structures import features, multiclass
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import Case, case, every_structure
from tests.algorithms.solvers import dual_weights, first, start
from tests.narrowing import not_none


def draws(rng: np.random.Generator, n: int, scheme: str) -> Iterator[tuple[int, float]]:
    """An example, and a share of the sum of the L_i, or a negative number."""
    yield from ((i, -1.0) for i in rng.permutation(n))
    while True:
        alike = rng.integers(0, n, size=n)
        shares = 2 * rng.random(n) - 1 if scheme != "random" else np.full(n, -1.0)
        yield from zip(alike, shares, strict=True)


def dense(
    small: Case, C: float, scheme: str, seed: int, tick: int, A: float
) -> Iterator[tuple[np.ndarray, np.ndarray, int, float | None]]:
    """Weights, sum of the stored gradients, visits and entropies after each visit to an example."""
    n, size = len(small.examples), parts.num_weights(small.split)
    w, gradients, entropies = np.zeros(size), np.zeros((n, size)), np.zeros(n)
    L, seen, visits, highest = np.zeros(n), set(), 0, 1.0
    for k, (i, share) in enumerate(draws(np.random.default_rng(seed), n, scheme)):
        if share >= 0:
            i = int(np.searchsorted(np.cumsum(L), share * L.sum(), side="right"))
        e = small.examples[i]

        def loss(w, e=e):
            return e.log_z(e.features @ w) - e.gold @ e.features @ w

        p = e.distribution(e.features @ w)
        g = gradients[i] = (p @ e.outputs - e.gold) @ e.features
        entropies[i] = -(p @ np.log(p))
        visits += 1
        if scheme == "lipschitz" and k % tick == 0:
            highest = L.max()  # since the last yield
        new = i not in seen
        constant = L[i] * (0.5 if scheme == "halving" else 0.9)
        if scheme == "random":
            constant = highest
        elif new:
            constant = L.sum() / len(seen) / 2 if seen and scheme == "lipschitz" else 1.0
        seen.add(i)
        if g @ g > 1e-8:
            visits += 1
            while loss(w - g / constant) > loss(w) - g @ g / (2 * constant):
                constant *= 2
                visits += 1
        L[i], highest = constant, max(highest, constant)
        slow, fast = 1 / (highest + C / n), 1 / (L.sum() / len(seen) + C / n)
        share = {"random": 0, "halving": len(seen) / n, "lipschitz": 1}[scheme] / 2
        alpha = (1 - share) * slow + share * fast
        highest *= 1 if scheme == "lipschitz" else 0.5 ** (1 / n)
        w = soft(w - alpha * (C / n * w + gradients.sum(axis=0) / len(seen)), alpha * A / len(seen))
        yield w, gradients.sum(axis=0), visits, entropies.sum() if len(seen) == n else None


@every_structure
@pytest.mark.parametrize(
    ("times", "tick", "scheme", "C", "penalty"),
    [
        (1, 1, "lipschitz", 0.05, "l2"),
        (1, 1, "lipschitz", 500.0, "l2"),  # shrinks the weights to nearly nothing at once
        (1, 1, "random", 5.0, "l2"),
        (5, 3, "lipschitz", 0.05, "l2"),
        (5, 3, "lipschitz", 40.0, "l2"),
        (5, 3, "lipschitz", 0.05, "elastic-0.5"),
        (5, 3, "random", 40.0, "elastic-0.1"),
        (5, 3, "halving", 0.05, "l2"),
        (1, 1, "halving", 5.0, "elastic-0.5"),
        (5, 3, "lipschitz", 0.4, "l1"),
    ],
)
def test_steps_are_those_on_dense_vectors(name, times, tick, scheme, C, penalty):
    """After one visit or several: until they are yielded, the weights are a sum of two vectors."""
    small = case(name, seed=1, lengths=(3, 1, 4, 2, 2, 3) * times)
    objective, solver = start("sag", small.split, "log", C, seed=7, penalty=penalty, sampling=scheme)
    assert not next(solver).vector.any()
    of_l2, A = objective.strengths
    expected = islice(dense(small, of_l2, scheme, 7, tick, A), tick - 1, 60 * tick, tick)
    for k, (w, total, visits, entropies) in enumerate(expected, 1):
        iterate = next(solver)
        assert iterate.visits == visits
        np.testing.assert_allclose(iterate.vector * iterate.scale, w, rtol=1e-8, atol=1e-10)
        assert (entropies is None) == (k * tick < 6 * times)
        if entropies is None:
            assert iterate.dual is None
        else:
            np.testing.assert_allclose(dual_weights(iterate), -total, rtol=1e-8, atol=1e-10)
            assert not_none(iterate.dual).conjugate == pytest.approx(entropies, rel=1e-9)
    assert k == 60


def test_half_of_the_draws_follow_the_constants(monkeypatch):
    shares, visit = [], sag._visit_examples

    def note(split, loss, strength, own, alike, share, *rest):
        shares.extend(share)
        return visit(split, loss, strength, own, alike, share, *rest)

    monkeypatch.setattr(sag, "_visit_examples", note)
    for scheme, half in (("lipschitz", 0.5), ("halving", 0.5), ("random", 1.0)):
        shares.clear()
        first(3000, "sag", case("multiclass-dense").split, "log", 1.0, sampling=scheme)
        assert np.mean(np.array(shares[6:]) < 0) == pytest.approx(half, abs=0.03)
        assert max(shares) < 1
        assert max(shares[:6]) < 0


def test_a_small_first_constant_costs_some_tests_of_the_first_example():
    split = case("multiclass-dense").split
    usual, small = (first(2, "sag", split, "log", 1.0, constant=constant)[-1] for constant in (1.0, 2.0**-20))
    assert 18 <= small.visits - usual.visits <= 22


@pytest.mark.parametrize("size", [1e30, 1e100])
def test_huge_features_take_few_visits(size):
    """The doubling of L_i from 1 took 664 visits of the first example."""
    rows = size * np.array([[1.0, 0.5], [0.5, -1.0]])
    split = multiclass.build(features.dense(rows), np.array([0, 1]), num_labels=2)
    _, solver = start("sag", split, "log", 1.0, seed=7)
    assert next(solver).visits == 0
    assert next(solver).visits <= 33
    iterate = next(islice(solver, 30, None))
    assert iterate.visits <= 2 * 30 + 40
    assert np.isfinite(iterate.vector).all()


@pytest.mark.parametrize("sampling", ["halving", "random"])
def test_constants_that_are_never_tested_do_not_shrink_to_nothing(sampling):
    """Gradients of features of 1e-6 are too short for a test. The step size came to 1 / 0."""
    rows = 1e-6 * np.array([[1.0, 0.5], [0.5, -1.0]])
    split = multiclass.build(features.dense(rows), np.array([0, 1]), num_labels=2)
    _, solver = start("sag", split, "log", 1.0, penalty="l1", seed=7, sampling=sampling)
    iterate = next(islice(solver, 6000, None))
    assert np.isfinite(iterate.vector).all()
