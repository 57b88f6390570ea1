"""``MulticlassCRF`` as a linear model of scikit-learn: its intercept, scores and probabilities."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, MulticlassCRF, StructuredSVM

X = np.random.default_rng(1).normal((3, 0, 0, 0), size=(120, 4))
Y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] - [3, 0, 0] + 0.5, axis=1)]
TWO = np.where(X[:, 0] > 3.2, "a", "b")
WRONG: dict[str, Any] = {"algorithm": None}  # which ``fit`` refuses
NAMED = [{"x": row[0], "kind": "big" if row[1] > 0 else "small"} for row in X]


def near_optimum(**given):
    return MulticlassCRF(tol=1e-7, max_passes=5000, algorithm="lbfgs", **given)


@pytest.mark.parametrize("scaling", [1.0, 20.0])
@pytest.mark.parametrize("labels", [Y, TWO], ids=["three", "two"])
def test_coef_and_intercept_give_the_scores_and_are_those_of_a_constant_column(scaling, labels):
    model = near_optimum(intercept_scaling=scaling).fit(X, labels)
    column = near_optimum(fit_intercept=False).fit(np.column_stack([X, np.full(len(X), scaling)]), labels)
    count = len(model.classes_)
    assert model.coef_.shape == (count, 4) and model.intercept_.shape == (count,)
    assert model.feature_names_out_.tolist() == ["x0", "x1", "x2", "x3"]
    np.testing.assert_allclose(model.coef_, column.coef_[:, :4], atol=1e-3)
    np.testing.assert_allclose(model.intercept_, scaling * column.coef_[:, 4], atol=1e-2)
    assert column.intercept_.tolist() == [0.0] * count
    scores = X @ model.coef_.T + model.intercept_
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), chances / chances.sum(axis=1, keepdims=True), atol=1e-12)
    wanted = scores if count == 3 else scores[:, 1] - scores[:, 0]
    np.testing.assert_allclose(model.decision_function(X), wanted, atol=1e-12)


def test_a_large_scaling_leaves_the_intercept_nearly_without_penalty():
    theirs = LogisticRegression(C=10.0, tol=1e-10, max_iter=10_000).fit(X, Y)  # which does not penalise it
    far, near = (near_optimum(C=0.1, intercept_scaling=scaling).fit(X, Y) for scaling in (1.0, 50.0))
    errors = [np.abs(each.predict_proba(X) - theirs.predict_proba(X)).max() for each in (far, near)]
    assert errors[0] > 0.01 and errors[1] < 1e-3


def test_dicts_have_an_intercept_too():
    by_names = near_optimum().fit(NAMED, Y)
    by_numbers = near_optimum().fit(DictVectorizer(sort=False).fit_transform(NAMED), Y)
    assert by_names.certificate_.primal == pytest.approx(by_numbers.certificate_.primal, rel=1e-6)
    assert by_names.certificate_.primal < near_optimum(fit_intercept=False).fit(NAMED, Y).certificate_.primal - 0.1
    np.testing.assert_allclose(by_names.intercept_, by_numbers.intercept_, atol=1e-2)
    assert by_names.feature_names_out_.tolist() == ["x", "kind=big", "kind=small"]


def test_scikit_learns_tools_find_scores_of_the_hinge():
    hinge = MulticlassCRF(C=10.0, loss="hinge")
    assert cross_val_score(hinge, X, TWO, scoring="roc_auc", cv=3).mean() > 0.9
    assert -0.7 < cross_val_score(MulticlassCRF(), X, TWO, scoring="neg_log_loss", cv=3).mean() < 0
    assert CalibratedClassifierCV(hinge, cv=2).fit(X, Y).predict_proba(X).shape == (120, 3)
    assert np.shape(SelectFromModel(MulticlassCRF()).fit(X, Y).transform(X))[1] in (1, 2, 3)


@pytest.mark.parametrize(
    "model, given",
    [
        (MulticlassCRF(), True),
        (MulticlassCRF(loss="smoothed-hinge-0.5", algorithm="sdca"), True),
        (MulticlassCRF(loss="hinge"), False),
        (MulticlassCRF(algorithm="perceptron"), False),
        (MulticlassCRF(loss="nonsense"), False),
        (MulticlassCRF(algorithm="nonsense"), False),
        (MulticlassCRF(**WRONG), False),
    ],
)
def test_hasattr_tells_where_there_are_probabilities(model, given):
    assert hasattr(model, "predict_proba") == given
    if not {"nonsense", None} & {model.loss or model.LOSS, model.algorithm}:
        assert hasattr(model.fit(X, Y), "predict_proba") == given
    if not given:
        with pytest.raises(UserError, match="predict_proba: a model of this loss has no probabilities"):
            _ = model.predict_proba


def test_chains_have_marginals_only_where_there_are_probabilities():
    assert hasattr(ChainCRF(), "predict_marginals") and not hasattr(StructuredSVM(), "predict_marginals")
    assert "probabilities of the labels at each token" in str(ChainCRF.predict_marginals.__doc__)


def test_names_of_columns_go_with_the_table_that_had_them():
    model = MulticlassCRF().fit(pd.DataFrame(X[:, :3], columns=["a", "b", "c"]), Y)
    assert [*model.feature_names_in_] == ["a", "b", "c"]
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


@pytest.mark.parametrize("labels", [Y, TWO], ids=["three", "two"])
def test_classifiers_of_pairs_have_no_scores_of_labels(labels):
    model = MulticlassCRF(algorithm="pairwise", max_passes=3).fit(X, labels)
    assert {*model.predict(X)} == {*labels} and not hasattr(model, "decision_function")
    for name in ("coef_", "intercept_", "decision_function"):
        with pytest.raises(UserError, match=r"pairwise predicts in its own way, the best output alone$"):
            getattr(model, name)
    exact = MulticlassCRF(algorithm="perceptron", max_passes=3).fit(X, Y)
    assert (exact.classes_[exact.decision_function(X).argmax(axis=1)] == exact.predict(X)).all()
