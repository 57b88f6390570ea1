"""OWL-QN against smooth reformulations and scikit-learn, and where it ends."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.gradient.owl_qn import pseudo_gradient
from structbench.algorithms.learning.objective import Objective
from tests.algorithms import linear
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import points, solved
from tests.narrowing import number


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
    assert number(run[-1].notes, "subgradient_norm") < 0.1 * number(run[1].notes, "subgradient_norm")
    for point in run[1:]:
        _, gradient = linear.log_loss(small, point.weights)
        norm = np.linalg.norm(pseudo_gradient(point.weights, gradient, 0.25))
        assert point.notes["subgradient_norm"] == pytest.approx(norm, rel=1e-6, abs=1e-9)


def test_without_a_penalty_it_is_l_bfgs():
    split, free = case("multiclass-dense", lengths=(1,) * 60, columns=2).split, []
    for name in ("owl-qn", "lbfgs"):
        *_, last = islice(points(name, split, "log", 1.0, penalty="none"), 60)
        assert np.isnan(last.value.dual)
        free.append(last.value.primal)
    assert free[0] == pytest.approx(free[1], rel=1e-9)
    assert free[0] < Objective(split, "log", 1.0, "none").evaluate(np.zeros(6), None).primal


def test_with_a_strong_penalty_it_ends_at_0():
    split = case("chain-dense").split
    run = list(points("owl-qn", split, "log", 1e3, penalty="l1"))
    assert len(run) == 1
    assert not run[0].weights.any()
    assert run[0].relative_gap == pytest.approx(0, abs=1e-12)
