"""Stochastic gradient descent against a plain one, and the selection of its learning rate."""

from itertools import product

import numpy as np
import pytest

from structbench.algorithms.learning.penalties import soft
from structbench.algorithms.structures import interface as parts
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import Case, case, every_structure
from tests.algorithms.solvers import first, solved, start

CANDIDATES = (1.0, 0.1, 0.01, 0.001, 0.0001)


def plain(
    small: Case,
    strength: float,
    eta0: float,
    n: int,
    drawn: np.ndarray,
    size: int,
    decay: bool = True,
    loss: str = "log",
    A: float = 0.0,
    delay: float = 1.0,
) -> list[np.ndarray]:
    """w after every visit: w <- w - eta0 / (delay + k / n) (E f - f(x_i, y_i) + strength * w), or with eta0 alone.

    Then w shrinks towards 0 by that rate times A / n.
    """
    w, path = np.zeros(size), []
    for k, i in enumerate(drawn):
        e = small.examples[i]
        u = e.loss(e.features @ w, loss)[1]
        eta = eta0 / (delay + k / n if decay else 1)
        w = soft(w - eta * ((u @ e.outputs - e.gold) @ e.features + strength * w), eta * A / n)
        path.append(w)
    return path


@every_structure
@pytest.mark.parametrize("C", [0.5, 5.9])  # the second one shrinks the weights to nearly nothing at once
@pytest.mark.parametrize(
    ("decay", "delay", "loss", "penalty"),
    [
        (True, 1.0, "log", "l2"),
        (True, 0.0, "log", "l2"),  # Pegasos's rate
        (False, 1.0, "log", "l2"),
        (True, 1.0, "smoothed-hinge-0.5", "l2"),
        (True, 1.0, "log", "elastic-0.3"),
        (False, 1.0, "log", "l1"),
    ],
)
def test_updates_are_the_paper_s_with_a_proximal_step_for_the_l1_norm(name, C, decay, delay, loss, penalty):
    small = case(name, seed=1)
    n, size = len(small.examples), parts.num_weights(small.split)
    objective, solver = start(
        "sgd", small.split, loss, C, seed=7, penalty=penalty, eta0=1.0, decay=decay, delay=delay
    )
    rng = np.random.default_rng(7)
    next(solver)
    drawn = np.concatenate([rng.integers(0, n, size=n) for _ in range(5)])
    of_l2, A = objective.strengths
    for k, want in enumerate(plain(small, of_l2 / n, 1.0, n, drawn, size, decay, loss, A, delay or 1 / n), 1):
        iterate = next(solver)
        assert iterate.visits == k
        np.testing.assert_allclose(iterate.vector * iterate.scale, want, rtol=1e-9, atol=1e-9)


def selected(small: Case, C: float, seed: int, decay: bool) -> float:
    """The learning rate with the least error on a random tenth after one pass over the others."""
    rng, n = np.random.default_rng(seed), len(small.examples)
    shuffled = rng.permutation(n)
    held = max(1, round(0.1 * n))
    learn, check = np.sort(shuffled[held:]), np.sort(shuffled[:held])
    drawn = learn[rng.integers(0, len(learn), size=len(learn))]
    wrong = []
    for eta0 in CANDIDATES:
        w = plain(small, C / n, eta0, len(learn), drawn, parts.num_weights(small.split), decay)[-1]
        errors = [e.losses[e.best(e.features @ w)] for e in (small.examples[i] for i in check)]
        wrong.append(sum(errors))
    return CANDIDATES[int(np.argmin(wrong))]


def test_the_learning_rate_is_the_best_of_the_paper_s_on_held_out_training_examples():
    """With rates that fall, and with those that stay: what is selected differs."""
    small = case("multiclass-dense", seed=1, lengths=(1,) * 60, num_labels=4, columns=6)
    found = {}
    for decay, seed in product((True, False), range(8)):
        run = first(1, "sgd", small.split, "log", 0.1, seed=seed, decay=decay)
        found[decay, seed] = run[0].notes["eta0"]
        assert found[decay, seed] == selected(small, 0.1, seed, decay)
        assert run[0].notes["calibration_visits"] == 5 * 54
    assert any(found[True, seed] != found[False, seed] for seed in range(8))
    assert len({found[True, seed] for seed in range(8)}) > 1


def test_a_given_learning_rate_costs_no_selection():
    notes = first(1, "sgd", case("multiclass-dense").split, "log", 1.0, eta0=0.25)[0].notes
    assert notes == {"eta0": 0.25}


def test_one_example_is_enough():
    run = first(30, "sgd", case("multiclass-dense", lengths=(1,), density=1.0).split, "log", 1.0)
    assert run[-1].value.primal < run[0].value.primal


def test_it_meets_the_optimum_of_the_smoothed_hinge():
    name, loss, C = "chain-sparse-edges", "smoothed-hinge-0.5", 2.0
    point = solved("sgd", case(name).split, loss, C, gap=2e-3, eta0=0.3)
    assert point.relative_gap <= 2e-3
    assert optimum(name, loss, C) * (1 - 1e-9) <= point.value.primal <= optimum(name, loss, C) * 1.002
