"""Sequences without tokens: ``fit`` leaves them out, ``predict`` gives them the empty output."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, DependencyParser, SemiMarkovCRF, StructuredSVM
from tests.bench.estimators.test_estimators import ATTRIBUTES, HEADS, TAGS, TREES, WORDS
from tests.bench.estimators.test_weights import CHUNKS

ESTIMATORS = {
    "attributes": (ChainCRF(), ATTRIBUTES, TAGS),
    "words": (ChainCRF(), WORDS, TAGS),
    "svm": (StructuredSVM(), ATTRIBUTES, TAGS),
    "segments": (SemiMarkovCRF(C=0.1, max_length=3), TREES, CHUNKS),
    "trees": (DependencyParser(C=0.1), TREES, HEADS),
    "crossing trees": (DependencyParser(C=0.1, structure="nonprojective"), TREES, HEADS),
}


def with_empty(rows, empty=()):
    return [empty, *rows[:2], empty, *rows[2:], empty]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_they_change_nothing(kind):
    model, X, y = ESTIMATORS[kind]
    plain = model.fit(X, y).certificate_.primal
    predicted = model.predict(X)
    weights = [1.0, 2.0, 1.0, 0.5] if kind != "svm" else None
    weighted = model.fit(X, y, weights).certificate_.primal
    assert model.fit(with_empty(X), with_empty(y, [])).certificate_.primal == plain
    assert model.predict(with_empty(X)) == with_empty(predicted, [])
    empty = model.predict([[], []])
    assert empty[0] is not empty[1], "who changes one changes no other"
    assert model.predict([]) == [] and model.predict([[], ()]) == [[], []]
    assert model.predict(iter([iter(X[0]), iter([])])) == [predicted[0], []]
    assert model.score(with_empty(X), with_empty(y, [])) == model.score(X, y)
    if weights:
        found = model.fit(with_empty(X), with_empty(y, []), with_empty(weights, 3.0))
        assert found.certificate_.primal == weighted


def test_they_have_one_output_and_no_rows_of_marginals():
    model = ChainCRF().fit(with_empty(ATTRIBUTES), with_empty(TAGS))
    marginals = model.predict_marginals([[], ATTRIBUTES[0], []])
    assert [each.shape for each in marginals] == [(0, 4), (3, 4), (0, 4)]
    empty, full = model.predict_k_best([[], ATTRIBUTES[0]], 2)
    assert [tuple(each) for each in empty] == [([], 0.0, 1.0)] and len(full) == 2
    assert np.isnan(StructuredSVM().fit(ATTRIBUTES, TAGS).predict_k_best([[]], 2)[0][0].probability)


@pytest.mark.parametrize("X", [[], [[], []]])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_without_a_token_there_is_nothing_to_score(kind, X):
    model, given, y = ESTIMATORS[kind]
    model.fit(given, y)
    scored = [model.score] + ([] if "trees" in kind else [model.scores_by_label])
    for score in scored:
        with pytest.raises(UserError, match=r"expected .*, found no"):
            score(X, X)


def test_a_weight_for_empty_sequences_alone_is_said():
    with pytest.raises(
        UserError, match="sample_weight is 0 for all examples that are not empty: give one of them"
    ):
        ChainCRF().fit([[], ATTRIBUTES[0]], [[], TAGS[0]], sample_weight=[1, 0])
