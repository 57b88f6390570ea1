"""Theorem 2 of eg2004 and its Lemma 3, on runs of EG-QP. (Theorem 1 is ``test_eg_qp``: both forms walk alike.)"""

import math
from itertools import pairwise

import pytest

from tests.algorithms.oracle import case
from tests.algorithms.solvers import first, solved
from tests.narrowing import number

C = 0.8
LEMMA = 0.567  # the least x with x exp(x) = 1, rounded down: eta up to this over B + lambda
names = pytest.mark.parametrize("name", ["multiclass-dense", "multiclass-sparse"])


@names
@pytest.mark.parametrize("step", [0.4, 0.2, 0.05])
def test_theorem_2_bounds_the_distance_from_the_optimum(name, step):
    """Q = -D, and eta = step / (B + lambda)."""
    split = case(name).split
    best = solved("eg-qp", split, "hinge", C, 1e-6)
    notes = first(2, "eg-qp", split, "hinge", C)[-1].notes
    B, apart = number(notes, "B"), number(best.notes, "divergence")
    both = B + number(notes, "lambda")
    eta = step / both
    run = first(150, "eg-qp", split, "hinge", C, eta=eta)[1:]
    x = eta * B
    factor = (math.expm1(x) - x) / (x**2 * (1 - eta * both * math.exp(x)))
    first_Q = -run[0].value.dual
    for T, point in enumerate(run[1:], 1):
        Q = -point.value.dual
        assert Q + best.value.dual <= apart / (eta * T) + factor * (first_Q - Q) / T


@names
def test_lemma_3_the_dual_never_falls(name):
    """Fixed steps of up to 0.567 / (B + lambda) suffice."""
    split = case(name).split
    notes = first(2, "eg-qp", split, "hinge", C)[-1].notes
    run = first(200, "eg-qp", split, "hinge", C, eta=LEMMA / (number(notes, "B") + number(notes, "lambda")))[1:]
    assert all(later.value.dual >= point.value.dual for point, later in pairwise(run))
    assert run[-1].value.dual > run[0].value.dual
