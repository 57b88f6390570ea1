"""Stochastic dual coordinate ascent: each visit against the best step of a grid, and its draws."""

from typing import Any

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent import sdca
from structbench.algorithms.learning import certificate
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import cliques
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import case, every_structure, with_cliques
from tests.algorithms.solvers import first, recomputed_dual
from tests.narrowing import not_none

ROUNDED = 1e-5  # of a probability in 24 bits


def unpacked(split: Any, state: sdca.Duals) -> np.ndarray:
    """The clique marginals of all examples."""
    starts = cliques.offsets(split)
    b = np.empty(starts[-1])
    parallel.for_each(_unpack, len(starts) - 1, parts.compiled(split), starts, state.offsets, state.stored, b)
    return b


@kernel
def _unpack(first, last, split, starts, offsets, stored, b):
    for i in range(first, last):
        parts.unpack(split, i, stored[offsets[i] : offsets[i + 1]], b[starts[i] : starts[i + 1]])


@with_cliques
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("loss", "begin"), [("log", 1.0), ("log", 800.0), ("smoothed-hinge-0.5", 0.3)])
def test_a_visit_gains_what_the_best_step_towards_the_new_distribution_does(name, C, loss, begin):
    """Each example is visited twice."""
    small = case(name, seed=1)
    objective = Objective(small.split, loss, C)
    state = sdca.started(objective, begin)
    (tau, weight), gaps = objective.loss_terms, np.zeros(6)

    starts = cliques.offsets(small.split)

    def dual(b: np.ndarray) -> float:
        conjugate, w = certificate.of_cliques(objective, starts, b)
        return conjugate - w @ w / (2 * C)

    for k in range(12):
        i = k % 6
        e, before, own = small.examples[i], unpacked(small.split, state), slice(*starts[i : i + 2])
        s = e.features @ state.w / C
        mu = np.linalg.lstsq(e.cliques.T, before[own], rcond=None)[0] @ e.outputs  # any mixture with these cliques
        top, u = e.loss(s, loss)
        gaps[i] = max(0.0, (top - s @ mu - weight * state.costs[i]) / tau - state.entropies[i])
        sdca._visit_examples(parts.compiled(small.split), objective.loss_terms, C, np.array([i]), state)
        assert state.gaps == pytest.approx(gaps, rel=1e-8, abs=1e-11)
        d, after = np.zeros_like(before), unpacked(small.split, state)
        d[own] = u @ e.cliques - before[own]
        gamma = (after - before) @ d / (d @ d or 1.0)
        np.testing.assert_allclose(after, before + gamma * d, atol=ROUNDED if name.startswith("chain") else 1e-9)
        gains = [dual(before + g * d) - dual(before) for g in (*np.linspace(0, 1, 26), gamma)]
        assert 0 <= gamma <= 1 + 1e-12
        assert gains[-1] >= (1 - sdca.LINE_SEARCH_TOLERANCE) * max(gains) - 1e-11 * (1 + abs(dual(before)))
        point = sdca._iterate(objective, state, state.w, 0)
        conjugate, w = recomputed_dual(point)
        assert not_none(point.dual).conjugate == pytest.approx(conjugate, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(point.vector, w, rtol=1e-9, atol=1e-9)


@every_structure
@pytest.mark.parametrize(("loss", "tau"), [("log", 1.0), ("smoothed-hinge-0.5", 0.5)])
def test_importances_are_those_of_an_output_of_the_largest_cost(name, loss, tau):
    small = case(name, seed=1)
    for e, found in zip(small.examples, sdca.importances(Objective(small.split, loss, 3.0)), strict=True):
        squares = (((e.outputs - e.gold) @ e.features) ** 2).sum(axis=1)
        worst = e.losses > e.losses.max() - 1e-9
        assert np.isclose(3.0 * tau * (found - 1.0), squares[worst]).any()
        assert name != "multiclass-dense" or squares.max() == pytest.approx(3.0 * tau * (found - 1.0))


@pytest.mark.parametrize("order", ["gap", "gap-importance", "importance", "largest-gap"])
def test_draws_see_the_gaps_of_last_visits_after_a_pass_over_all(order, monkeypatch):
    """The paper's draws, one at a time, as there are few examples."""
    seen, visit = [], sdca._visit_examples

    def note(split, loss, C, examples, duals):
        seen.append((examples.tolist(), duals.gaps.copy()))
        return visit(split, loss, C, examples, duals)

    monkeypatch.setattr(sdca, "_visit_examples", note)
    small, same = case("multiclass-dense", seed=1), np.random.default_rng(5)
    run = first(2 + 6 + 40, "sdca", small.split, "log", 0.7, seed=5, sampling=order)
    assert [i for (i,), _ in seen[:6]] == same.permutation(6).tolist()
    constants = np.array(
        [1 + (((e.outputs - e.gold) @ e.features) ** 2).sum(axis=1).max() / 0.7 for e in small.examples]
    )
    for (i,), gaps in seen[6:]:
        weights = {"gap": gaps, "gap-importance": gaps * constants, "importance": constants}.get(order)
        if weights is None:
            paper = np.eye(6)[gaps.argmax()] if same.random() >= 0.2 else np.full(6, 1 / 6)
        else:
            paper = 0.2 / 6 + 0.8 * weights / weights.sum()
        assert i == np.searchsorted(np.cumsum(paper), same.random())
    assert run[1].visits == 6 and run[2].visits == (13 if "importance" in order else 7)
