"""All algorithms meet on one optimum, which is also that of scikit-learn, CRFsuite and a quadratic program."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from algorithms.learning.objective import Objective
from algorithms.structures import features as ft
from algorithms.structures import multiclass
from tests.algorithms.crfsuite_training import trained
from tests.algorithms.oracle import STRUCTURES, case
from tests.algorithms.quadratic import hinge_optimum
from tests.algorithms.solvers import VARIANTS, losses, solved

GAP = 1e-6
SLOW: dict[str, tuple[float, dict]] = {  # converge like 1 / passes: gaps and step sizes of their own
    "sgd": (2e-3, {"eta0": 1.0}),
    "subgradient": (2e-3, {}),
    "subgradient:mode=batch:average=none": (2e-3, {}),
    "subgradient-last": (2e-3, {}),
    "frank-wolfe-toward": (2e-3, {}),
    "frank-wolfe:mode=batch": (2e-3, {}),
}


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_all_algorithms_meet(name, loss):
    split = case(name).split
    found = {}
    for variant in VARIANTS:
        if loss in losses(variant):
            gap, params = SLOW.get(variant, (GAP, {}))
            point = solved(variant, split, loss, 2.0, gap, **params)
            assert point.relative_gap <= gap, variant
            found[variant] = point.value
    primals = np.array([value.primal for value in found.values()])
    gaps = np.array([SLOW.get(variant, (GAP,))[0] for variant in found])
    best = max(value.dual for value in found.values())
    assert len(found) > 3
    assert (best <= primals + 1e-12 * primals).all()
    assert (primals - best <= gaps * primals).all()


@pytest.mark.parametrize("C", [10.0, 0.1])
def test_scikit_learn_s_logistic_regression(C):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 5))
    y = (x @ rng.normal(size=(5, 4)) + rng.normal(size=(80, 4))).argmax(axis=1)
    split = multiclass.build(ft.dense(x), y, 4)
    theirs = LogisticRegression(C=1 / C, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(x, y)
    value = Objective(split, "log", C).evaluate(np.ascontiguousarray(theirs.coef_.T).ravel(), None)
    ours = solved("eg", split, "log", C, gap=1e-8).value
    assert ours.primal == pytest.approx(value.primal, rel=1e-6)
    assert value.primal >= ours.dual


@pytest.mark.parametrize("C", [2.0, 0.5])
def test_crfsuite(tmp_path, C):
    """One weight for every (attribute, label) and (label, label) pair; CRFsuite's c2 is C / 2."""
    problem, weights = trained(tmp_path, all_weights=True, c2=C / 2)
    value = Objective(problem.train, "log", C).evaluate(weights, None)
    ours = solved("eg", problem.train, "log", C, gap=1e-8).value
    assert ours.primal == pytest.approx(value.primal, rel=1e-6)
    assert value.primal >= ours.dual


@cache
def small_program(name: str, C: float) -> tuple[Any, float]:
    """A split, and the optimum of the hinge on it."""
    small = case(name, lengths=(2, 1, 2, 3), num_labels=2, columns=2)
    return small.split, hinge_optimum(small, C)


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("variant", [v for v in VARIANTS if "hinge" in losses(v) and v != "eg-calibrated"])
def test_a_quadratic_program_has_the_optimum_of_the_hinge(name, variant):
    """But for the step size that eg calibrates: on one of four examples, it is so long that w swings."""
    C = 1.0
    split, optimum = small_program(name, C)
    gap, params = SLOW.get(variant, (GAP, {}))
    value = solved(variant, split, "hinge", C, gap, **params).value
    assert value.primal == pytest.approx(optimum, rel=gap + 1e-8)
    assert value.dual == pytest.approx(optimum, rel=gap + 1e-8)
