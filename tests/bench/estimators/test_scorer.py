"""scikit-learn's scorers by name, of structured outputs."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import structbench
from structbench import ChainCRF
from structbench.algorithms.runtime.errors import UserError

X = [["the", "dog", "barks"], ["a", "cat", "sleeps", "well"], ["dogs", "bark"], ["the", "cat", "barks"]]
Y = [["D", "N", "V"], ["D", "N", "V", "A"], ["N", "V"], ["D", "N", "V"]]


@pytest.mark.parametrize("name", ["f1_macro", "accuracy", "balanced_accuracy"])
def test_a_scorer_of_scikit_learn_takes_sequences(name):
    crf = ChainCRF(C=1.0, tol=1e-3)
    assert np.isfinite(cross_val_score(crf, X, Y, scoring=structbench.scorer(name), cv=2)).all()
    found = GridSearchCV(crf, {"C": [0.1, 1]}, scoring=structbench.scorer(name), cv=2, n_jobs=2).fit(X, Y)
    assert 0 < found.best_score_ <= 1


def test_the_score_is_of_all_tokens():
    said = [["D", "N", "N"], ["D", "N", "V", "V"], ["N", "V"], ["D", "V", "V"]]
    model = SimpleNamespace(classes_=np.array([*"DNVA"]), predict=lambda X: said)
    flat = [[label for each in of for label in each] for of in (Y, said)]
    found = structbench.scorer("f1_macro")(model, X, Y)
    assert found == pytest.approx(f1_score(*flat, average="macro")) and found < 1


def test_an_unknown_scorer_is_said_at_once():
    with pytest.raises(ValueError, match="nothing_such"):
        structbench.scorer("nothing_such")


def test_a_class_that_is_a_tuple_is_one_label():
    classes = np.empty(2, object)
    classes[:] = [("a", 1), ("a", 2)]
    model = SimpleNamespace(classes_=classes, predict=lambda X: classes[:1])
    assert structbench.scorer("accuracy")(model, [0], [("a", 2)]) == 0
    assert structbench.scorer("accuracy")(model, [0], [("a", 1)]) == 1


def test_a_column_of_classes_is_a_class_each():
    model = SimpleNamespace(classes_=np.array([0, 1]), predict=lambda X: np.array([0, 1, 1]))
    assert structbench.scorer("accuracy")(model, X[:3], np.array([[0], [1], [0]])) == 2 / 3


@pytest.mark.parametrize("name", ["roc_auc", "neg_log_loss"])
def test_a_scorer_that_needs_more_than_labels_says_so(name):
    model = SimpleNamespace(classes_=np.array([*"DN"]), predict=lambda X: [["D", "N"]])
    with pytest.raises(UserError, match=f"^the scorer '{name}' needs scores or probabilities: take one of labels"):
        structbench.scorer(name)(model, X[:1], [["D", "D"]])


@pytest.mark.parametrize("wrong", [None, 3, "DN", pd.DataFrame({"a": ["D"], "b": ["N"]})])
def test_a_scorer_needs_a_list_of_labels(wrong):
    model = SimpleNamespace(classes_=np.array([*"DN"]), predict=lambda X: [["D", "N"], ["D", "N"]])
    said = "requires y to be passed, a list of the labels of each example, but y is |y is a DataFrame: give a list"
    with pytest.raises(UserError, match=said):
        structbench.scorer("accuracy")(model, X[:2], wrong)
