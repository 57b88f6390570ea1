"""Wrong values of parameters: one sentence with the estimator's own name of the parameter."""

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, DependencyParser, FieldCRF, MulticlassCRF, SemiMarkovCRF
from structbench.bench.runs import algorithm_module
from tests.bench.estimators.test_estimators import ATTRIBUTES, TAGS

SEED = "random_state must be None, a whole number from 0 on, or a generator, not "
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"tol": "x"}, "tol must be 0, or a number of 1e-14 or more, not 'x'"),
    ({"tol": None}, "tol must be 0, or a number of 1e-14 or more, not None"),
    ({"tol": -1}, "tol must be 0, or a number of 1e-14 or more, not -1"),
    ({"tol": 1e-15}, "tol must be 0, or a number of 1e-14 or more, not 1e-15"),
    ({"max_passes": "x"}, "max_passes must be a number above 0, not 'x'"),
    ({"max_passes": -1}, "max_passes must be a number above 0, not -1"),
    ({"max_passes": float("inf")}, "max_passes must be a number above 0, not inf"),
    ({"C": "1"}, "C must be a number above 0, not '1'"),
    ({"C": True}, "C must be a number above 0, not True"),
    ({"C": float("nan")}, "C must be a number above 0, not nan"),
    ({"random_state": -1}, f"{SEED}-1"),
    ({"random_state": "x"}, f"{SEED}'x'"),
    ({"random_state": 1.5}, f"{SEED}1.5"),
    ({"n_jobs": "all"}, "n_jobs must be a number of threads, or -1 for all cores, not 'all'"),
    ({"n_jobs": 10_000}, "n_jobs must be at most 1024 threads, not 10000"),
    ({"n_jobs": 1.5}, "n_jobs must be a number of threads, or -1 for all cores, not 1.5"),
    ({"algorithm": None}, "algorithm must be a text, not None"),
    ({"penalty": 2}, "penalty must be a text, not 2"),
    ({"loss": 3}, "loss must be a text, not 3"),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG)
def test_a_wrong_value_is_one_sentence(given, sentence):
    with pytest.raises(UserError) as found:
        ChainCRF(**given).fit(ATTRIBUTES, TAGS)
    assert str(found.value) == sentence


def test_the_intercept_has_a_scale_above_0():
    with pytest.raises(UserError, match="intercept_scaling must be a number above 0, not 0"):
        MulticlassCRF(intercept_scaling=0).fit(np.eye(2), [0, 1])


def test_numbers_of_numpy_are_numbers():
    given: dict[str, Any] = {
        "C": np.float32(1),
        "tol": np.float64(1e-3),
        "n_jobs": np.int8(1),
        "max_passes": np.int64(100),
    }
    found = ChainCRF(**given)
    wanted = ChainCRF().fit(ATTRIBUTES, TAGS).curve_["primal"].tolist()
    assert found.fit(ATTRIBUTES, TAGS).curve_["primal"].tolist() == wanted
    for generator in (np.random.default_rng(0), np.random.RandomState(0)):
        assert ChainCRF(random_state=generator).fit(ATTRIBUTES, TAGS).certificate_.gap >= 0


def test_a_gap_that_nothing_recomputes_is_not_called_proven():
    given = {"loss": "hinge", "tol": 0.5, "max_passes": 500}
    with pytest.warns(UserWarning, match="proves nothing: its relative gap .* is of sums that nothing recomputes"):
        ChainCRF(algorithm="frank-wolfe:mode=batch", **given).fit(ATTRIBUTES, TAGS)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ChainCRF, ["coef_", "transitions_"]),
        (DependencyParser, ["coef_"]),
        (FieldCRF, ["coef_", "transitions_", "edge_coef_"]),
        (MulticlassCRF, ["coef_", "intercept_"]),
        (SemiMarkovCRF, ["coef_", "transitions_"]),
    ],
)
def test_weights_before_fit_are_not_fitted_yet(kind, names):
    for name in names:
        assert not hasattr(kind(), name)
        with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
            getattr(kind(), name)


def test_an_algorithm_whose_package_is_missing_says_which(monkeypatch):
    monkeypatch.setattr(algorithm_module.declaration("cyanure"), "packages", {"no_module": "no-package"})
    with pytest.raises(UserError, match=r"^cyanure needs the package no-package, which is not installed: pip"):
        MulticlassCRF(algorithm="cyanure").fit([[1.0], [2.0]], [0, 1])
