"""Stochastic dual coordinate ascent: each visit against the best step of a grid, and its draws."""

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent import sdca
from structbench.algorithms.learning import certificate
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import case, with_cliques
from tests.algorithms.solvers import first


@with_cliques
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("loss", "begin"), [("log", 1.0), ("log", 800.0), ("smoothed-hinge-0.5", 0.3)])
def test_a_visit_gains_what_the_best_step_towards_the_new_distribution_does(name, C, loss, begin):
    """The first six visits are in turn, six more to examples drawn by their gaps."""
    small, rng = case(name, seed=1), np.random.default_rng(0)
    objective, state = Objective(small.split, loss, C), sdca.started(parts.compiled(small.split), begin)
    (tau, weight), gaps = objective.loss_terms, np.zeros(6)

    def dual(b: np.ndarray) -> float:
        conjugate, w = certificate.of_cliques(objective, state.offsets, b)
        return conjugate - w @ w / (2 * C)

    for k in range(12):
        share = -1.0 if k < 6 else rng.random()
        i = k if k < 6 else int(np.searchsorted(np.cumsum(gaps), share * gaps.sum(), side="right"))
        e, before, own = small.examples[i], state.b.copy(), slice(*state.offsets[i : i + 2])
        s = e.features @ state.w / C
        mu = np.linalg.lstsq(e.cliques.T, before[own], rcond=None)[0] @ e.outputs  # any mixture with these cliques
        top, u = e.loss(s, loss)
        gaps[i] = max(0.0, (top - s @ mu - weight * state.costs[i]) / tau - state.entropies[i])
        sdca._visit_examples(
            parts.compiled(small.split), objective.loss_terms, C, np.array([k % 6 if k < 6 else 5 - i]),
            np.array([share]), state,
        )  # fmt: skip
        assert state.gaps[8 : 8 + 6] == pytest.approx(gaps, rel=1e-8, abs=1e-11)
        d = np.zeros_like(before)
        d[own] = u @ e.cliques - before[own]
        gamma = (state.b - before) @ d / (d @ d or 1.0)
        np.testing.assert_allclose(state.b, before + gamma * d, atol=1e-9)
        gains = [dual(before + g * d) - dual(before) for g in (*np.linspace(0, 1, 26), gamma)]
        assert 0 <= gamma <= 1 + 1e-12
        assert gains[-1] >= (1 - sdca.LINE_SEARCH_TOLERANCE) * max(gains) - 1e-11 * (1 + abs(dual(before)))
        point = sdca._iterate(objective, state, 0)
        conjugate, w = point.dual.recompute()
        assert point.dual.conjugate == pytest.approx(conjugate, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(point.vector, w, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("params", "alike"), [({}, 0.2), ({"sampling": "random"}, 1.0), ({"sampling": "permuted"}, 1.0)]
)
def test_a_fifth_of_the_draws_is_alike_for_all_after_a_pass_over_all(monkeypatch, params, alike):
    visits, visit = [], sdca._visit_examples

    def note(split, loss, C, examples, shares, *rest):
        visits.append((examples.copy(), shares.copy()))
        return visit(split, loss, C, examples, shares, *rest)

    monkeypatch.setattr(sdca, "_visit_examples", note)
    first(2 + 6 + 3000, "sdca", case("multiclass-dense", seed=1).split, "log", 0.7, **params)
    orders, shares = (np.concatenate(each) for each in zip(*visits, strict=True))
    assert (shares[:6] < 0).all() and shares.max() < 1
    assert np.mean(shares[6:] < 0) == pytest.approx(alike, abs=0.03)
    permuted = (np.sort(orders.reshape(-1, 6), axis=1) == np.arange(6)).all(axis=1)
    assert permuted.all() == (params == {"sampling": "permuted"})
    assert permuted[0] == (params != {"sampling": "random"})
