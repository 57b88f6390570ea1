"""Structured perceptron, early update and max-violation against the same written plainly."""

import numpy as np
import pytest

from tests.algorithms import learners, oracle
from tests.algorithms.learners import Weights, learned, passes, solver
from tests.algorithms.searching import LEARNABLE, PROBLEMS, learnable

KINDS = {"perceptron": "standard", "early-update": "early", "max-violation": "max-violation"}
PASSES = 3


@pytest.mark.parametrize("algorithm", KINDS)
@pytest.mark.parametrize("name", LEARNABLE)
@pytest.mark.parametrize(
    ("beam", "average", "rows"),
    [(1, "uniform", "outputs"), (2, "none", "outputs"), (2, "uniform", "steps"), (5, "none", "steps")],
)
def test_it_is_the_plain_one(algorithm, name, beam, average, rows):
    problem = learnable(name)
    run = learned(algorithm, problem, PASSES, beam=beam, average=average, compare_at=rows)

    def visit(i: int, weights: Weights) -> None:
        learners.perceptron(problem, i, beam, weights, KINDS[algorithm], rows)

    expected = passes(problem, visit, None, 0)
    for (w, updates), weights in zip(run, expected, strict=False):
        assert updates == len(weights.differences) > 0
        np.testing.assert_allclose(w, weights.average(average), atol=1e-9)


def test_their_updates_differ():
    """Or else the test above would not tell one from another."""
    problem = learnable("segments-dense")
    found = [list(learned(each, problem, PASSES, beam=2, average="none"))[-1][0].tobytes() for each in KINDS]
    assert len(set(found)) == len(KINDS)


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-dense", "chain-sparse-edges", "segments-pieces"])
@pytest.mark.parametrize("average", ["uniform", "none"])
def test_without_a_beam_it_takes_away_the_best_output(name, average):
    case = oracle.case(name, 2)

    def visit(i: int, weights: Weights) -> None:
        e = case.examples[i]
        y = e.outputs[e.best(e.features @ weights.w)]
        if (y != e.gold).any():
            weights.update((e.gold - y) @ e.features)
        weights.visited()

    run = learned("perceptron", case.split, PASSES, beam="inf", average=average)
    for (w, updates), weights in zip(run, passes(case.split, visit, None, 0), strict=False):
        assert updates == len(weights.differences) > 0
        np.testing.assert_allclose(w, weights.average(average), atol=1e-9)


@pytest.mark.parametrize("algorithm", ["early-update", "max-violation"])
def test_separable_data_are_learned_until_nothing_changes(algorithm):
    problem = PROBLEMS["chain-dense"](columns=20, density=1.0)
    ends = [int(each.notes["updates"]) for each in solver(algorithm, problem, beam=5) if each.hints.evaluate_now]
    assert ends[-1] == ends[-2] > 0
