"""C so small that no example may err: the objective is about C, and all tolerances must be small beside it."""

import numpy as np
import pytest

from structbench.algorithms.cutting_planes import simplex_qp
from structbench.algorithms.learning.tolerances import LITTLE, shrunk
from structbench.bench.estimators import MulticlassCRF

X, Y = np.repeat([[0.0, 1.0], [1.0, 0.0]], 100, axis=0), np.repeat([0, 1], 100)


@pytest.mark.parametrize("C", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize(
    "algorithm", ["cutting-plane", "one-slack", "smo", "sequential-dual", "frank-wolfe", "smo-eg"]
)
def test_two_examples_a_hundred_times_have_a_proven_optimum(algorithm, C):
    model = MulticlassCRF(C, loss="hinge", algorithm=algorithm, fit_intercept=False).fit(X, Y)
    assert model.certificate_.relative_gap <= 1e-3
    assert model.certificate_.primal == pytest.approx(C / 2, rel=1e-3)


@pytest.mark.parametrize("algorithm", ["cutting-plane", "sequential-dual"])
def test_dual_values_are_below_the_optimum_where_little_mass_moves_often(algorithm):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 30)), np.arange(60) % 3
    best = MulticlassCRF(1e-8, loss="hinge", algorithm="interior-point", tol=1e-6).fit(rows, labels).certificate_
    with pytest.warns(UserWarning, match="above tol"):
        found = MulticlassCRF(1e-8, loss="hinge", algorithm=algorithm, tol=1e-9).fit(rows, labels).certificate_
    assert best.relative_gap <= 1e-6
    assert best.dual * 0.99 <= found.dual <= best.primal * (1 + 1e-5) and found.primal >= best.dual


def test_a_program_that_does_not_converge_ends_the_run_with_what_it_has(monkeypatch):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 4)), np.arange(60) % 3
    monkeypatch.setattr(simplex_qp, "SWEEPS", 1)
    with pytest.warns(UserWarning, match="cutting-plane found no further step"):
        model = MulticlassCRF(1e-3, loss="hinge", algorithm="cutting-plane").fit(rows, labels)
    assert 0 < model.certificate_.dual < model.certificate_.primal < 120


def test_tolerances_stay_where_errors_cost_something():
    assert shrunk(0.0, 10) == shrunk(10 * LITTLE, 10) == shrunk(5.0, 10) == 1
    assert shrunk(LITTLE, 10) == pytest.approx(0.1)
