"""The entropy that a dual point counts."""

import numpy as np
import pytest

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.losses.terms import attained_entropy
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import case


@pytest.mark.parametrize("name", ("chain-sparse-edges", "forest-sparse", "multiclass-sparse"))
@pytest.mark.parametrize("loss", ["log", "softmax-margin", "smoothed-hinge-0.5"])
@pytest.mark.parametrize("penalty", ["l2", "elastic-0.3", "l1"])
def test_the_dual_value_of_huge_weights_is_no_rounding(name, loss, penalty):
    """A diverged run has them: sums of scores of 1e20 are off by 1e4, and so was the bound."""
    split = case(name).split
    objective, rng = Objective(split, loss, 100.0, penalty), np.random.default_rng(0)
    at_0 = objective.evaluate(np.zeros(parts.num_weights(split)), None).primal
    for size in (1e12, 1e20, 1e40):
        for _ in range(20):
            value = objective.evaluate(size * rng.normal(size=parts.num_weights(split)), None)
            assert value.dual <= at_0


def test_forbidden_parts_have_no_probability_and_no_say():
    s, mu = np.array([-np.inf, 1.0, 2.0]), np.array([0.0, 0.5, 0.5])
    assert attained_entropy.python(2.5, s, mu) == pytest.approx(1.0)
    assert attained_entropy.python(2e9, np.array([-np.inf, 2e9, -2e9]), np.array([0.0, 1.0, 0.0])) == 0
