"""Theorem 2 of l1m3n2009, and the limit of LapM3N that its section 4.3 names."""

import numpy as np
import pytest

from structbench.algorithms.learning.objective import Objective
from tests.algorithms import linear
from tests.algorithms.oracle import case
from tests.algorithms.solvers import solved

SMALL = {"lengths": (2, 1, 2, 3), "num_labels": 2, "columns": 3}
names = pytest.mark.parametrize("name", ["multiclass-dense", "chain-binary-edges"])


@names
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_theorem_2_the_adaptive_m3n_is_an_l1_m3n(name, C):
    """EM at C2 and the linear program of P1 at C1 = 2 C2 ||w*||_1, w* from a linear program on the ball of P1'."""
    small = case(name, **SMALL)
    adaptive = solved("l1m3n-em", small.split, "hinge", C, 1e-4, penalty="l1-squared", drop=0.0)
    reference = linear.hinge(small, "l1-squared", C)
    norm = np.abs(reference.w).sum()
    assert adaptive.value.primal == pytest.approx(reference.value, rel=2e-4)
    program = linear.hinge(small, "l1", 2 * C * norm)
    l1 = Objective(small.split, "hinge", 2 * C * norm, "l1").evaluate(adaptive.weights, None).primal
    assert program.value * (1 - 1e-7) <= l1 <= program.value * (1 + 1e-3)
    ball = linear.hinge(small, "l1-ball", 1 / norm)
    assert ball.value + C * norm**2 == pytest.approx(program.value, rel=1e-6)


@names
def test_lapm3n_tends_to_the_l1_m3n(name):
    """As lambda grows, the optimum of LapM3N tends to that of P1."""
    small, C = case(name, **SMALL), 0.3
    l1 = linear.hinge(small, "l1", C).value
    assert l1 < 0.5 * len(small.examples), "w = 0 is not the optimum"
    found = [
        solved("lapm3n", small.split, "hinge", C, 1e-4, penalty=f"laplace-{scale}").value.primal
        for scale in (10, 1000, 100000)
    ]
    apart = np.abs(np.array(found) - l1)
    assert apart[0] > 3 * apart[1] > 9 * apart[2]
    assert apart[2] <= 0.03 * l1
