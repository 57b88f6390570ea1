"""Structured perceptron, early update and max-violation against the same written plainly."""

import numpy as np
import pytest

from tests.algorithms import learners, oracle
from tests.algorithms.learners import Weights, learned, passes
from tests.algorithms.searching import LEARNABLE, learnable

KINDS = {"perceptron": "standard", "early-update": "early", "max-violation": "max-violation"}
PASSES = 3


@pytest.mark.parametrize("algorithm", KINDS)
@pytest.mark.parametrize("name", LEARNABLE)
@pytest.mark.parametrize(
    ("beam", "average", "rows"),
    [(1, "uniform", "decisions"), (2, "none", "decisions"), (2, "uniform", "steps"), (5, "none", "steps")],
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
