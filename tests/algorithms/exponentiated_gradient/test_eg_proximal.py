"""Proximal points around EG: the l1 optimum of scipy, certified, and the strength of the proximal term."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.exponentiated_gradient import dual_variables as dv
from structbench.algorithms.exponentiated_gradient.eg_proximal import SHARE
from structbench.algorithms.learning.gold_outputs import gold_norm
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from tests.algorithms import linear
from tests.algorithms.oracle import case
from tests.algorithms.solvers import points, recomputed, start
from tests.narrowing import not_none

CASES = ["multiclass-dense", "multiclass-sparse", "chain-dense", "chain-sparse-edges"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("loss", ["log", "softmax-margin", "smoothed-hinge-0.5"])
@pytest.mark.parametrize("C", [0.6])
def test_it_certifies_the_optimum_of_scipy_with_its_nonzeros(name, loss, C):
    small = case(name)
    best = linear.smooth(small, C, loss)
    objective, solver = start("eg-proximal", small.split, loss, C, penalty="l1")
    for iterate in islice(solver, 1, 3000):
        value = objective.evaluate(iterate.weights, *iterate.dual_point)
        if value.primal - value.dual <= 1e-7 * value.primal:
            break
    value = recomputed(small, objective, iterate)
    assert best.value * (1 - 1e-9) <= value.primal <= best.value * (1 + 1e-6)
    assert best.value * (1 - 1e-6) <= value.dual <= best.value * (1 + 1e-9)
    assert np.count_nonzero(iterate.weights) == (np.abs(best.w) > 1e-6).sum()


@pytest.mark.parametrize("drift", [0.0, 1e-3])
def test_the_best_bound_so_far_counts_while_w_of_u_is_that_of_the_stored_u(drift, monkeypatch):
    """So visits keep w(u) plus c times the weights through all changes of c."""
    recompute = dv.State.recompute_dual

    def drifted(state, objective):
        conjugate, w_of_u = recompute(state, objective)
        return conjugate, w_of_u + drift * conjugate

    monkeypatch.setattr(dv.State, "recompute_dual", drifted)
    split, strengths, bounds = case("chain-sparse-edges").split, set(), []
    objective, solver = start("eg-proximal", split, "log", 0.6, penalty="l1")
    for iterate in islice(solver, 1, 200):
        dual = not_none(iterate.dual)
        assert (not_none(dual.recompute)()[1] is dual.weights) == (drift == 0)
        bounds.append(objective.dual_value(dual.conjugate, not_none(dual.weights)))
        strengths.add(iterate.notes["c"])
    assert (np.diff(bounds) >= 0).all()
    assert max(strengths) == max(0.3, SHARE * gold_norm(parts.compiled(split))) and len(strengths) > 3


def test_where_A_is_small_the_strength_is_on_the_scale_of_the_features():
    """Features times 8, and A, too, are the same problem for weights of an eighth: bit for bit."""
    found = []
    for scale in (1.0, 8.0):
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(20, 3)), rng.integers(0, 3, 20)
        split = multiclass.build(ft.dense(scale * x), y, 3)
        _, solver = start("eg-proximal", split, "log", 0.02 * scale, penalty="l1")
        found.append([scale * each.weights for each in islice(solver, 40)])
    np.testing.assert_array_equal(*found)


def test_features_that_are_all_0_are_no_division_by_0():
    split = multiclass.build(ft.dense(np.zeros((5, 2))), np.array([0, 1, 2, 1, 0]), 3)
    last = [*islice(points("eg-proximal", split, "log", 1.0, penalty="l1"), 30)][-1]
    assert not last.weights.any() and last.relative_gap <= 1e-3


def test_a_strong_penalty_leaves_no_weights():
    last = [*islice(points("eg-proximal", case("chain-dense").split, "log", 1e3, penalty="l1"), 60)][-1]
    assert not last.weights.any()
    assert last.relative_gap == pytest.approx(0, abs=1e-6)


def test_its_state_shrinks_by_half_of_c():
    assert dv.State(Objective(case("chain-dense").split, "log", 0.6, "l1"), 10.0, 0.5).threshold == 0.3
