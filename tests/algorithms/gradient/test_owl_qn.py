"""OWL-QN against smooth reformulations and scikit-learn, and where it ends."""

from itertools import islice

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from structbench.algorithms.gradient.owl_qn import pseudo_gradient
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from tests.algorithms import linear
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import points, solved


@every_structure
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_it_reaches_the_optimum_that_bound_constraints_give(name, C):
    small = case(name)
    optimum = linear.smooth(small, C).value
    point = solved("owl-qn", small.split, "log", C, gap=1e-6, penalty="l1")
    assert point.relative_gap <= 1e-6
    assert point.value.primal == pytest.approx(optimum, rel=1e-8)
    assert C < 1 or (point.weights == 0).any() or name.startswith("forest")  # which needs its four weights


def test_the_pseudo_gradient_is_the_subgradient_of_least_norm():
    """Against a search over the subdifferential of each coordinate, the interval g + [-1, 1] lambda at 0."""
    rng, strength = np.random.default_rng(0), 0.8
    w, g = rng.normal(size=(2, 200)) * [[1.0], [1.5]]
    w[rng.random(200) < 0.5] = 0.0
    grid = g[:, None] + strength * np.where(w[:, None] != 0, np.sign(w)[:, None], np.linspace(-1, 1, 20001))
    best = grid[np.arange(200), np.abs(grid).argmin(axis=1)]
    assert pseudo_gradient(w, g, strength) == pytest.approx(best, abs=1e-4)


@every_structure
def test_the_objective_falls_and_the_noted_subgradient_is_its_own(name):
    small = case(name)
    run = list(islice(points("owl-qn", small.split, "log", 0.5, penalty="l1"), 40))
    values = np.array([point.value.primal for point in run])
    assert (np.diff(values) <= 1e-13 * values[1:]).all()
    assert run[-1].notes["subgradient_norm"] < 0.1 * run[1].notes["subgradient_norm"]
    for point in run[1:]:
        _, gradient = linear.log_loss(small, point.weights)
        norm = np.linalg.norm(pseudo_gradient(point.weights, gradient, 0.25))
        assert point.notes["subgradient_norm"] == pytest.approx(norm, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("C", [4.0, 0.4])
def test_scikit_learn_s_saga(C):
    """||w||_1 + C' sum_i loss_i with C' = 2 / C."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 8))
    y = (x[:, :4] @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3))).argmax(axis=1)
    split = multiclass.build(ft.dense(x), y, 3)  # of an odd number of labels, the weights are unique
    model = LogisticRegression(
        C=2 / C, l1_ratio=1.0, solver="saga", fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0
    )
    theirs = np.ascontiguousarray(model.fit(x, y).coef_.T).ravel()
    value = Objective(split, "log", C, "l1").evaluate(theirs, None)
    ours = solved("owl-qn", split, "log", C, gap=1e-8, penalty="l1")
    assert ours.value.primal == pytest.approx(value.primal, rel=1e-8)
    assert value.primal >= ours.value.dual
    assert ours.weights == pytest.approx(theirs, abs=1e-4)
    assert ((ours.weights != 0) == (np.abs(theirs) > 1e-6)).all()


def test_without_orthants_it_is_l_bfgs():
    """l2, and no penalty at all: only the direction of the search differs."""
    small = case("chain-dense")
    l2 = [solved(name, small.split, "log", 0.5, gap=1e-9).value.primal for name in ("owl-qn", "lbfgs")]
    assert l2[0] == pytest.approx(l2[1], rel=1e-9)
    noisy = case("multiclass-dense", lengths=(1,) * 60, columns=2)
    free = []
    for name in ("owl-qn", "lbfgs"):
        *_, last = islice(points(name, noisy.split, "log", 1.0, penalty="none"), 60)
        assert np.isnan(last.value.dual)
        free.append(last.value.primal)
    assert free[0] == pytest.approx(free[1], rel=1e-9)
    assert free[0] < Objective(noisy.split, "log", 1.0, "none").evaluate(np.zeros(6), None).primal


def test_with_a_strong_penalty_it_ends_at_0():
    split = case("chain-dense").split
    run = list(points("owl-qn", split, "log", 1e3, penalty="l1"))
    assert len(run) == 1
    assert not run[0].weights.any()
    assert run[0].relative_gap == pytest.approx(0, abs=1e-12)
