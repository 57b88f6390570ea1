"""The optimum on which all algorithms meet (``test_runs``) is that of scikit-learn and CRFsuite, too.

Algorithms of fewer structures and of other penalties bound the optimum of a program over all outputs, as all do.
"""

from itertools import islice

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.runs import catalogue
from tests.algorithms.crfsuite_training import trained
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import COVERING, able, case
from tests.algorithms.solvers import named, others, recomputed, solved, start

SMALL = {"lengths": (2, 1, 2, 3), "num_labels": 2, "columns": 3}
ON_CASES = [
    pytest.param(name, *run, id=f"{name}-{named(*run[:2])}-{run[2]}-{run[3]}")
    for run in others()
    for name in COVERING
    if able(name, *catalogue.needs(run[0], run[1]))
]


@pytest.mark.parametrize(("name", "algorithm", "params", "loss", "penalty"), ON_CASES)
def test_recomputed_certificates_bound_the_optimum_from_both_sides(name, algorithm, params, loss, penalty):
    C = 0.8
    small, best = case(name, **SMALL), optimum(name, loss, C, penalty, **SMALL)
    objective, solver = start(algorithm, small.split, loss, C, penalty=penalty, **params)
    for iterate in islice(solver, 40):
        value = recomputed(small, objective, iterate)
        assert value.primal >= best - 1e-6
        assert not value.dual > best + 1e-6  # there may be none
    solver.close()
    assert value.dual > 0 or algorithm == "coordinate-descent"  # a hard margin may be without a dual point


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
