"""Values of penalties, their subgradients, and strong duality against linear programs."""

import numpy as np
import pytest

from structbench.algorithms.learning import penalties
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from tests.algorithms import linear
from tests.algorithms.oracle import case

NAMES = ["l2", "elastic-0.4", "l1", "l1-ball", "l1-squared", "laplace-3", "laplace-300", "none"]
STRENGTH = 0.7  # C where the penalty is compared with its definition
SMALL = {"lengths": (2, 1, 2), "num_labels": 2, "columns": 2}
# What is tried does not know the structure: classes, tied and observed weights, any hypergraph
some_structures = pytest.mark.parametrize("name", ["multiclass-dense", "chain-sparse-edges", "forest-sparse"])
every_penalty = pytest.mark.parametrize("penalty", NAMES)
both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])


def omega(penalty: str, w: np.ndarray) -> float:
    """Omega(w) from its definition."""
    norm = np.abs(w).sum()
    if penalty.startswith("laplace"):
        scale = float(penalty.removeprefix("laplace-"))
        r = np.sqrt(w**2 + 1 / scale)
        terms = r - np.log((np.sqrt(scale * w**2 + 1) + 1) / 2) / np.sqrt(scale) - 1 / np.sqrt(scale)
        return float(terms.sum() / 2)
    if penalty == "elastic-0.4":
        return float(w @ w / 2 + 0.4 / STRENGTH * norm)
    return {"l2": w @ w / 2, "l1": norm / 2, "l1-squared": norm**2 / 2, "none": 0.0, "l1-ball": 0.0}[penalty]


@both_losses
@every_penalty
def test_the_primal_value(loss, penalty):
    small = case("chain-sparse-edges")
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    C = 1 / np.abs(w).sum() if penalty == "l1-ball" else STRENGTH
    objective = Objective(small.split, loss, C, penalty)
    want = float(np.sum(small.losses(w, loss))) + C * omega(penalty, w)
    assert objective.evaluate(w, None).primal == pytest.approx(want, rel=1e-12)
    assert objective.value_and_gradient(w, np.empty_like(w)) == pytest.approx(want, rel=1e-12)
    unpenalised = Objective(small.split, loss, C, "none").evaluate(w, None).primal
    assert objective.loss_and_gradient(w, np.empty_like(w)) == pytest.approx(unpenalised, rel=1e-12)


def test_outside_of_the_ball_the_primal_is_infinite():
    split = case("multiclass-dense").split
    w = np.random.default_rng(1).normal(size=parts.num_weights(split))
    for radius, inside in [(np.abs(w).sum() * 1.01, True), (np.abs(w).sum() * 0.99, False)]:
        primal = Objective(split, "hinge", 1 / radius, "l1-ball").evaluate(w, None).primal
        assert np.isfinite(primal) == inside


@every_penalty
def test_subgradients_support_the_penalty_from_below(penalty):
    rng, C = np.random.default_rng(0), 0.7
    given = penalties.get(penalty)
    for _ in range(50):
        w, v = rng.normal(size=(2, 6)) * (rng.random((2, 6)) < 0.6) / (20 if penalty == "l1-ball" else 1)
        slope = given.subgradient(w, C) @ (v - w)
        assert given.value(v, C) >= given.value(w, C) + slope - 1e-12


@some_structures
@pytest.mark.parametrize(("penalty", "loss"), [("l1", "hinge"), ("l1-ball", "hinge"), ("l1", "log")])
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_at_an_optimum_the_dual_point_has_its_value(name, penalty, loss, C):
    """The dual variables of a linear program, or what the weights tell."""
    small = case(name, **SMALL)
    optimum = linear.hinge(small, penalty, C) if loss == "hinge" else linear.smooth(small, C)
    point = linear.conjugate_and_weights(small, optimum.u, loss) if loss == "hinge" else (None, None)
    value = Objective(small.split, loss, C, penalty).evaluate(optimum.w, *point)
    assert value.primal == pytest.approx(optimum.value, rel=1e-8)
    assert value.dual == pytest.approx(optimum.value, rel=1e-8 if loss == "hinge" else 1e-4)
    assert value.dual <= value.primal * (1 + 1e-12)


def conjugate_of(penalty: str, v: np.ndarray, C: float) -> np.ndarray:
    """(C Omega)*, the most of w . v - C Omega(w), of each row of v, as the papers write it."""
    largest = np.abs(v).max(axis=1)
    if penalty.startswith("laplace"):
        scale = float(penalty.removeprefix("laplace-"))
        eta = 2 * np.sqrt(scale) / C * v
        return C / (2 * np.sqrt(scale)) * np.log(scale / (scale - eta**2)).sum(axis=1)
    return {
        "l1": np.where(largest <= C / 2, 0.0, np.inf),
        "l1-ball": largest / C,
        "l1-squared": largest**2 / (2 * C),
    }[penalty]


@pytest.mark.parametrize("penalty", ["l1", "l1-ball", "l1-squared", "laplace-3", "laplace-300"])
@both_losses
@pytest.mark.parametrize("C", [0.1, 1.3, 50.0])  # of which the best share is small, or all
def test_the_bound_is_the_best_of_all_shares(penalty, loss, C):
    """D of s u + (1 - s) right outputs on a grid of shares."""
    small, rng = case("multiclass-dense"), np.random.default_rng(0)
    u = [rng.dirichlet(np.ones(len(e.outputs))) for e in small.examples]
    conjugate, dual = linear.conjugate_and_weights(small, u, loss)
    found = Objective(small.split, loss, C, penalty).evaluate(0 * dual, conjugate, dual).dual
    most = 0.999999 / np.abs(2 * dual / C).max() if penalty.startswith("laplace") else 1.0
    shares = np.append(0, np.geomspace(1e-4, min(1.0, most), 20_000))
    best = (shares * conjugate - conjugate_of(penalty, shares[:, None] * dual, C)).max()
    assert found == pytest.approx(best, rel=1e-3)


def test_a_mixture_needs_right_outputs_that_are_outputs_and_no_penalty_has_a_dual_point():
    small = case("multiclass-dense", unseen=0.5)
    u = [np.full(len(e.outputs), 1 / len(e.outputs)) for e in small.examples]
    conjugate, dual = linear.conjugate_and_weights(small, u, "hinge")
    w = np.zeros_like(dual)
    assert np.isnan(Objective(small.split, "hinge", 1e-3, "l1").evaluate(w, conjugate, dual).dual)
    assert Objective(small.split, "hinge", 1e3, "l1").evaluate(w, conjugate, dual).dual == conjugate
    assert np.isnan(Objective(small.split, "hinge", 1.0, "none").evaluate(w, conjugate, dual).dual)


@pytest.mark.parametrize(
    "penalty",
    [
        "l3",
        "",
        "elastic",
        "elastic-0",
        "elastic-x",
        "laplace",
        "laplace-",
        "laplace-0",
        "laplace-x",
        "laplace-inf",
    ],
)
def test_an_unknown_penalty_is_refused(penalty):
    with pytest.raises(UserError, match="penalty"):
        Objective(case("multiclass-dense").split, "hinge", 1.0, penalty)
