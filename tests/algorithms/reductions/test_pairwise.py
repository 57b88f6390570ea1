"""Binary reductions: two classes as one vector of weights, votes written out, and each problem by itself."""

from itertools import combinations, islice

import numpy as np
import pytest

from structbench.algorithms.reductions.pairwise import predictions
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.runs import catalogue, driver
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms.learners import solver
from tests.algorithms.oracle import case
from tests.algorithms.solvers import solved

K = 4


def data(seed: int = 0, n: int = 60, classes: int = K) -> tuple[np.ndarray, np.ndarray, multiclass.Multiclass]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 4)) + 2 * np.eye(4)[y % 4]])
    return x, y, multiclass.build(ft.dense(x), y, classes)


def weights(split, rounds: int = 20, **params) -> np.ndarray:
    run = [*islice(solver("pairwise", split, **params), rounds)]
    assert params.get("solver") != "lbfgs" or len(run) < rounds
    return run[-1].vector * run[-1].scale


@pytest.mark.parametrize("against", ["each", "rest"])
def test_decisions_are_reconciled_as_written(against):
    x, _, split = data(1)
    rng = np.random.default_rng(2)
    pairs = list(combinations(range(K), 2)) if against == "each" else [(k, None) for k in range(K)]
    W = rng.normal(size=(len(pairs), x.shape[1]))
    found, right, starts = predictions(split, W.ravel(), against=against)
    tied = 0
    for row, label in zip(x, found, strict=True):
        votes, sums = np.zeros(K), np.zeros(K)
        for w, (a, b) in zip(W, pairs, strict=True):
            sums[a] += w @ row
            if against == "each":
                votes[a if w @ row > 0 else b] += 1
                sums[b] -= w @ row
        tied += (votes == votes.max()).sum() > 1
        assert label == max(range(K), key=lambda k: (votes[k], sums[k]))
    assert tied
    np.testing.assert_array_equal(right, split.y)
    np.testing.assert_array_equal(starts, np.arange(len(x) + 1))


@pytest.mark.parametrize(
    ("against", "name", "loss"), [("each", "smo", "hinge"), ("rest", "smo", "hinge"), ("each", "lbfgs", "log")]
)
def test_each_problem_is_solved_as_if_alone(against, name, loss):
    """L-BFGS, which makes several passes in a step, ends by itself."""
    x, y, split = data(3)
    W = weights(split, 2000, against=against, solver=name, C=0.5).reshape(-1, x.shape[1])
    pairs = list(combinations(range(K), 2)) if against == "each" else [(k, None) for k in range(K)]
    for w, (a, b) in zip(W, pairs, strict=True):
        rows = (y == a) | (y == b) if b is not None else y >= 0
        alone = multiclass.build(ft.dense(x[rows]), (y[rows] == a).astype(int), 2)
        both = solved(name, alone, loss, 0.5, gap=1e-9).weights.reshape(-1, 2)
        atol = 1e-4 if name == "lbfgs" else 1e-3 * np.abs(both).max()
        np.testing.assert_allclose(w, both[:, 1] - both[:, 0], atol=atol)


@pytest.mark.parametrize("name", ["smo", "lbfgs", "perceptron", "mira"])
def test_runs_learn_classes(name):
    _, _, split = data(4, n=200)
    for against in ("each", "rest"):
        spec = make("toy-points", None, None, "pairwise", {"solver": name, "against": against})
        result = driver.run(spec, Problem(split, split, tuple("abcd")))
        assert result.summary["test_error"] < 0.2


def test_a_class_that_no_example_has_gets_no_vote():
    x, y, _ = data(5)
    split = multiclass.build(ft.dense(x), np.where(y == 3, 0, y), K + 1)
    found, *_ = predictions(split, weights(split), against="each")
    assert set(found) <= {0, 1, 2}


def test_only_classes_are_reduced():
    with pytest.raises(UserError, match="pairwise needs single decisions"):
        catalogue.check_fit("pairwise", {}, case("chain-dense").split)
    with pytest.raises(UserError, match="pairwise needs a known label"):
        weights(case("multiclass-dense", unseen=0.5).split)
