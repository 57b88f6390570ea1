"""Newton's method and the interior point method: features on any scale, small C, and data that are too large."""

import numpy as np
import pytest

from structbench.algorithms.gradient import class_hessian, newton
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.estimators import MulticlassCRF

SCALES = 10.0 ** np.array([-4, 0, 4, 8])
LOSSES = {"log": "newton", "softmax-margin": "newton", "smoothed-hinge-0.1": "newton", "hinge": "interior-point"}


def drawn(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and labels that depend on them and on chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    return X, np.argmax(X[:, :3] + rng.gumbel(size=(60, 3)), axis=1)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_that_of_a_method_of_first_order(loss):
    X, y = drawn()
    found = MulticlassCRF(2.0, loss=loss, algorithm=LOSSES[loss], tol=1e-9).fit(X, y).certificate_
    other = MulticlassCRF(2.0, loss=loss, algorithm="frank-wolfe" if loss == "hinge" else "sdca", tol=1e-5)
    other.max_passes = 5000
    known = other.fit(X, y).certificate_
    assert found.relative_gap <= 1e-9
    assert known.dual - 1e-9 <= found.primal <= known.primal + 1e-9


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_scales_and_strengths_hardly_change_the_passes(loss, C):
    X, y = drawn()
    model = MulticlassCRF(C, loss=loss, algorithm=LOSSES[loss], tol=1e-6).fit(X * SCALES, y)
    assert model.certificate_.relative_gap <= 1e-6 and model.n_iter_ <= 60


def test_of_two_examples_without_error_little_mass_is_certified():
    X, y = np.repeat([[0.0, 1.0], [1.0, 0.0]], 100, axis=0), np.repeat([0, 1], 100)
    for C in (1e-6, 1e-10, 1e-12):
        found = (
            MulticlassCRF(C, loss="hinge", algorithm="interior-point", fit_intercept=False).fit(X, y).certificate_
        )
        assert found.primal == pytest.approx(C / 2, rel=1e-3) and found.relative_gap <= 1e-3


def test_a_step_solves_its_system():
    X, y = drawn()
    split = multiclass.build(ft.dense(X), y, 3)
    examples = class_hessian.Examples(Objective(split, "log", 0.5), "newton")
    u = newton._probabilities(examples, np.random.default_rng(1).normal(size=12))
    A = [np.diag(each) - np.outer(each, each) for each in u]
    H = sum(np.kron(np.outer(x, x), a) for x, a in zip(X, A, strict=True)) + 0.5 * np.eye(12)
    g = np.random.default_rng(2).normal(size=(4, 3))
    g -= g.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(examples.solver(u)(g).ravel(), np.linalg.solve(H, g.ravel()), rtol=1e-9)


def test_what_overflows_or_is_too_large_is_told():
    X, y = drawn()
    with np.errstate(all="ignore"):
        split = multiclass.build(ft.dense(X * 1e200), y, 3)
        solve = class_hessian.Examples(Objective(split, "log", 1.0), "newton").solver(np.full((60, 3), 1 / 3))
    assert np.isnan(solve(np.zeros((4, 3)))).all()
    with pytest.raises(UserError, match="6000 weights, labels times features, are more than 5000: choose lbfgs"):
        class_hessian.require_few_weights(
            multiclass.build(ft.dense(np.zeros((1, 2000))), np.zeros(1, np.int64), 3)
        )
