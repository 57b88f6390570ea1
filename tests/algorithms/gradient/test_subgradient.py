"""Subgradient descent against plain steps on enumerated outputs, and its certificate against recorded argmaxes."""

from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest

from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import LABELLED, Case, case, every_structure
from tests.algorithms.solvers import dual_weights, first, start
from tests.narrowing import not_none

without_ties = pytest.mark.parametrize("name", [name for name in LABELLED if "binary" not in name])
every_average = pytest.mark.parametrize("average", ["none", "uniform", "weighted"])
C = 0.71


class Visit(NamedTuple):
    """The example, w after the visit, psi = f(x_i, y_i) - f(x_i, argmax), and the argmax's loss."""

    example: int
    w: np.ndarray
    psi: np.ndarray
    loss: float


def explicit(small: Case, order: list[int], delay: float) -> list[Visit]:
    """w <- (1 - 1 / t) w + (n / (C t)) psi."""
    n, w, walk = len(small.examples), np.zeros(parts.num_weights(small.split)), []
    for t, i in enumerate(order, 1):
        e = small.examples[i]
        y = e.best(e.features @ w, cost=1.0)
        psi = (e.gold - e.outputs[y]) @ e.features
        step = 1 / (t + delay)
        w = (1 - step) * w + step * n / C * psi
        walk.append(Visit(i, w, psi, e.losses[y]))
    return walk


def weights(walk: list[Visit], average: str) -> np.ndarray:
    if average == "none":
        return walk[-1].w
    shares = np.ones(len(walk)) if average == "uniform" else np.arange(1, len(walk) + 1)
    return np.average([visit.w for visit in walk], axis=0, weights=shares)


def certificate(walk: list[Visit], n: int) -> tuple[np.ndarray, float]:
    """w(u) and E[e] of the best of the argmaxes of single passes and of averages, pass k with weight k^2.

    Each is brought back to the best point towards the gold.
    """
    passes = [walk[k * n : (k + 1) * n] for k in range(len(walk) // n)]
    assert all(sorted(visit.example for visit in each) == list(range(n)) for each in passes)
    duals = [np.sum([visit.psi for visit in each], axis=0) for each in passes]
    losses = [sum(visit.loss for visit in each) for each in passes]
    candidates = list(zip(duals, losses, strict=True))
    for count in range(1, len(passes) + 1):
        shares = np.arange(1, count + 1) ** 2
        dual, loss = (np.average(of[:count], axis=0, weights=shares) for of in (duals, losses))
        candidates.append((dual, float(loss)))
    found = []
    for dual, loss in candidates:
        backs = np.append(np.linspace(0, 1, 50), min(1.0, loss * C / (dual @ dual)))
        values = backs * loss - backs**2 * (dual @ dual) / (2 * C)
        assert values[-1] >= values.max() - 1e-12
        found.append((values[-1], backs[-1] * dual, backs[-1] * loss))
    return max(found, key=lambda each: each[0])[1:]


@without_ties
@pytest.mark.parametrize(("average", "delay"), [("none", 0.0), ("uniform", 1.5), ("weighted", 1.5)])
def test_online_steps_averages_and_certificate_are_explicit_ones(name, average, delay):
    small = case(name, seed=1, density=1.0)  # six examples: ours yields after every visit, too
    n = len(small.examples)
    norms = sum((e.gold @ e.features) @ (e.gold @ e.features) for e in small.examples)
    _, ours = start("subgradient", small.split, "hinge", C, seed=7, average=average, delay=delay)
    assert not next(ours).vector.any()
    rng = np.random.default_rng(7)
    order = [i for _ in range(6) for i in rng.permutation(n)]
    walk = explicit(small, order, delay * norms / C)
    for visits, iterate in enumerate(islice(ours, len(order)), 1):
        assert iterate.visits == visits
        want = weights(walk[:visits], average)
        np.testing.assert_allclose(iterate.vector * iterate.scale, want, rtol=1e-8, atol=1e-9)
        if visits < n:
            assert not_none(iterate.dual).conjugate == 0
            assert not dual_weights(iterate).any()
        else:
            dual, losses = certificate(walk[: visits // n * n], n)
            np.testing.assert_allclose(dual_weights(iterate), dual, rtol=1e-9, atol=1e-9)
            assert not_none(iterate.dual).conjugate == pytest.approx(losses, rel=1e-9)


@without_ties
@every_average
def test_batch_steps_have_the_average_argmax_for_a_dual_point(name, average):
    """w_{t+1} = (1 - 1 / t) w_t + psi_t / (C t) is w(u) / C, u the plain average of the argmaxes so far."""
    small = case(name, seed=1, density=1.0)
    _, ours = start("subgradient", small.split, "hinge", C, mode="batch", average=average, delay=0.0)
    w, path, found = next(ours).vector.copy(), [], []
    for t, iterate in enumerate(islice(ours, 12), 1):
        best = [e.best(e.features @ w, cost=1.0) for e in small.examples]
        pairs = list(zip(small.examples, best, strict=True))
        psi = np.sum([(e.gold - e.outputs[y]) @ e.features for e, y in pairs], axis=0)
        found.append((psi, sum(e.losses[y] for e, y in pairs)))
        w = (1 - 1 / t) * w + psi / (C * t)
        path.append(Visit(0, w, psi, 0.0))
        assert iterate.visits == t * len(small.examples)
        np.testing.assert_allclose(iterate.vector * iterate.scale, weights(path, average), rtol=1e-8, atol=1e-9)
        conjugate, w_of_u = not_none(iterate.dual)[:2]
        dual = C * iterate.scale * iterate.vector if w_of_u is None else w_of_u
        np.testing.assert_allclose(dual, np.mean([psi for psi, _ in found], axis=0), rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(dual, C * w, rtol=1e-8, atol=1e-9)
        assert conjugate == pytest.approx(np.mean([losses for _, losses in found]), rel=1e-9)


@every_structure
def test_the_delay_makes_the_first_batch_step_that_of_the_line_search(name):
    split = case(name).split
    ours = first(3, "subgradient", split, "hinge", 0.1, mode="batch", average="none")
    line_search = first(2, "frank-wolfe", split, "hinge", 0.1, mode="batch")
    np.testing.assert_allclose(ours[1].weights, line_search[1].weights, rtol=1e-12)
    assert ours[1].value.dual > 0
    assert ours[2].conjugate != ours[1].conjugate
