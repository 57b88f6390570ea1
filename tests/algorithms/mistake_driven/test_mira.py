"""MIRA: its steps against the same written plainly over all outputs, and what its program promises."""

import numpy as np
import pytest
from scipy.optimize import minimize

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.checks.operations import k_best, operations
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import make
from tests.algorithms import oracle
from tests.algorithms.learners import Weights, learned, passes
from tests.algorithms.oracle import COVERING

PASSES = 3


def plain(case: oracle.Case, weights: Weights, i: int, cap: float, augment: bool) -> float:
    """The slide's step for example i; returns tau before the cap, 0 without a step."""
    e = case.examples[i]
    s = e.features @ weights.w
    y = e.best(s, float(augment))
    if not case.first:  # of outputs that tie, the one that the structure takes
        said = operations(case.split, i, weights.w, s, s)
        taken = said.worst if augment else said.best
        other = int(np.flatnonzero((e.outputs == taken).all(axis=1))[0])
        values = e.outputs @ s + float(augment) * e.losses
        assert values[other] == pytest.approx(values[y])
        y = other
    delta = (e.gold - e.outputs[y]) @ e.features
    tau = 0.0
    if (e.outputs[y] != e.gold).any() and delta.any():
        tau = (e.losses[y] - weights.w @ delta) / (delta @ delta)
        if tau > 1e-12:  # else a step before has met the constraint
            weights.update(min(cap, tau) * delta)
    weights.visited()
    return tau


@pytest.mark.parametrize("name", COVERING)
@pytest.mark.parametrize(  # steps of a cap of 1/8 are exact, and so are ties
    ("cap", "augment", "average"), [(9.0, True, "uniform"), (0.125, True, "none"), (0.125, False, "uniform")]
)
def test_it_is_the_plain_one(name, cap, augment, average):
    case, taus = oracle.case(name, 2), []
    run = learned("mira", case.split, PASSES, cap=cap, augment=augment, average=average)
    expected = passes(case.split, lambda i, w: taus.append(plain(case, w, i, cap, augment)), None, 0)
    for (w, updates), weights in zip(run, expected, strict=False):
        assert updates == len(weights.differences) > 0
        np.testing.assert_allclose(w, weights.average(average), atol=1e-9)
    assert cap > 1 or max(taus) > cap, "the cap matters"


def program(e: oracle.Example, w: np.ndarray, Y: np.ndarray, cap: float) -> np.ndarray:
    """The change of w that the k constraints ask for, by a solver that knows no more than its dual."""
    D = (e.gold - Y) @ e.features
    losses = np.array([e.losses[(e.outputs == y).all(axis=1)][0] for y in Y])
    h = losses - D @ w
    found = minimize(
        lambda tau: (tau @ D @ D.T @ tau / 2 - tau @ h, D @ (D.T @ tau) - h),
        np.zeros(len(Y)),
        jac=True,
        bounds=[(0, cap)] * len(Y),
        options={"ftol": 1e-15, "gtol": 1e-11},
    )
    return found.x @ D


@pytest.mark.parametrize("name", [name for name in COVERING if oracle.able(name, "k-best")])
@pytest.mark.parametrize(("k", "cap", "augment"), [(4, 5.0, True), (4, 0.1, False)])
def test_k_best_steps_solve_their_program(name, k, cap, augment):
    case = oracle.case(name, 2)

    def visit(i: int, weights: Weights) -> None:
        e = case.examples[i]
        s = e.features @ weights.w
        costs = operations(case.split, i, weights.w, s, 0 * s).augmented / 2
        found, Y, _ = k_best(case.split, i, s + augment * costs, k)
        Y = Y[:found]
        weights.update(program(e, weights.w, Y, cap))
        weights.visited()

    run = learned("mira", case.split, 1, k=k, cap=cap, augment=augment)
    for (w, updates), weights in zip(run, passes(case.split, visit, None, 0), strict=False):
        assert updates > 0
        np.testing.assert_allclose(w, weights.average("uniform"), atol=1e-5)


def test_the_cap_is_that_of_one_visit_and_of_one_output():
    """klein2011, "Maximum Step Size": tau* = min(tau, C). Sums of tau, over visits or outputs, are not capped."""
    alone = multiclass.build(ft.dense(np.ones((1, 1))), np.zeros(1, int), 3)
    runs = {k: np.array([w for w, _ in learned("mira", alone, 9, k=k, cap=0.2, average="none")]) for k in (1, 3)}
    steps = {k: np.diff(run, axis=0, prepend=0) for k, run in runs.items()}
    assert steps[1].max() == pytest.approx(0.2) and runs[1][-1, 0] > 2 * 0.2
    np.testing.assert_allclose(steps[3][0], [2 * 0.2, -0.2, -0.2])
    for run in runs.values():
        assert (run[-1, 0] - run[-1, 1:] >= 1 - 1e-9).all()


@pytest.mark.parametrize(("x", "updates"), [(0.0, 0), (1e-3, 1), (3.0, 1), (1e5, 1)])
def test_a_constraint_that_is_met_or_cannot_be_met_gives_no_step(x, updates):
    """After one step without a cap the constraint holds with equality; without features no step can meet it."""
    split = multiclass.build(ft.dense(np.array([[x]])), np.zeros(1, int), 2)
    for k in (1, 2):
        made = [count for _, count in learned("mira", split, 5, k=k, cap=1e9, average="none")]
        assert made == [updates] * len(made)


def test_it_ends_when_a_pass_finds_no_mistake():
    split = multiclass.build(ft.dense(np.array([[1.0], [-1.0]])), np.array([0, 1]), 2)
    assert len(list(learned("mira", split, 9, augment=False, cap=0.2))) < 9


def test_mistakes_get_a_sentence():
    with pytest.raises(UserError, match="mira: cap must be above 0, not '0'"):
        make("mnist:train=10", None, None, "mira", {"cap": "0"})
    with pytest.raises(UserError, match="mira needs a known label everywhere"):
        next(learned("mira", oracle.case("chain-dense", unseen=0.5).split, 1))
    assert catalogue.needs_of("mira", {"k": 3}) == ("parts", "argmax", "k-best")
    assert catalogue.needs_of("mira", {}) == ("parts", "argmax")
    assert catalogue.needs_of("perceptron", {}) == ("parts", "argmax")
