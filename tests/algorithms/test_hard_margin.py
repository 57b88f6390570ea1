"""Where data can be separated, a small C has the hard margin: every solver of the hinge meets it."""

from functools import cache

import numpy as np
import pytest

from structbench.bench.runs import catalogue
from tests.algorithms.oracle import Case, case
from tests.algorithms.quadratic import hard_margin
from tests.algorithms.solvers import general, solved

SOLVERS = [name for name in (*general(), "naive-smo", "coordinate-descent") if "hinge" in catalogue.losses(name)]


@cache
def separable() -> tuple[Case, np.ndarray, float]:
    """A case, its hard margin's w, and the largest C that has it: 1 / (the largest sum of dual variables)."""
    small = case("multiclass-dense", lengths=(1,) * 5, columns=8, density=1.0)
    w, _ = hard_margin(small)
    free = solved("coordinate-descent", small.split, "hinge", 1e-6, gap=1e-9)
    return small, w, 1 / free.notes["largest_sum"]


@pytest.mark.parametrize("name", SOLVERS)
def test_at_small_C_it_meets_the_hard_margin(name):
    small, w, C = separable()
    gap = 1e-6 if catalogue.declared(name, "LINEAR", True) is True else 2e-3
    point = solved(name, small.split, "hinge", C / 2, gap=gap, **catalogue.declared(name, "TESTED_WITH", {}))
    assert point.relative_gap <= gap
    assert point.value.primal == pytest.approx(C / 2 * (w @ w) / 2, rel=2 * gap)
    # P is C-strongly convex: C ||v - w||^2 / 2 <= gap P
    assert (point.weights - w) @ (point.weights - w) <= 2 * gap * (w @ w)


def test_above_that_C_the_margin_is_soft():
    small, w, C = separable()
    soft = solved("smo", small.split, "hinge", 2 * C, gap=1e-8)
    assert soft.value.primal < 2 * C * (w @ w) / 2 * (1 - 1e-3)
    assert max(small.losses(soft.weights, "hinge")) > 1e-3
