"""A structure that a test brings along: every algorithm runs on it as it is, and they meet."""

import numpy as np
import pytest

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import error_rate
from structbench.bench.runs import catalogue
from tests.algorithms.coins import Coins, made
from tests.algorithms.solvers import RUNS, finished, first, general, start
from tests.algorithms.test_runs import promises

C = 2.0


def test_it_has_what_all_general_algorithms_need():
    assert parts.capabilities(Coins) == {"examples", "parts", "argmax", "marginals", "cliques"}
    for name in general():
        catalogue.check_fit(name, {}, made())


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_all_algorithms_meet_on_it(loss):
    split, low, high = made(), [], []
    for variant in (
        variant for variant, its in RUNS if its == loss and variant != "iterative-scaling"
    ):  # too slow
        linear = promises(variant, "linear")
        gap = 1e-6 if linear else 2e-3
        point = finished(*start(variant, split, loss, C), gap)
        assert point.relative_gap <= gap, variant
        low.append(point.value.dual)
        high.append(point.value.primal / (1 + gap))
    assert len(low) > 10
    assert max(low) <= min(high) * (1 + 3e-3)
    assert max(high) <= max(low) * (1 + 1e-9)


def test_what_is_learned_predicts():
    split = made()
    w = first(40, "lbfgs", split, "log", 0.01)[-1].weights
    assert error_rate(split, w) < error_rate(split, np.zeros_like(w))
