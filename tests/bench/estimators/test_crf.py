"""The CRF with sklearn-crfsuite's interface: CRFsuite's optimum, names and forms, and what it refuses."""

import pickle
import re
import warnings
from typing import Any, cast

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

from structbench import CRF, ChainCRF
from structbench.algorithms.runtime.errors import UserError
from tests.narrowing import not_none

TOKENS = [
    {"lake": 1.0, "hill": 0.5}, {"lake": True, "of": ["mud", "ice"]}, {"hill": 2, "w": "up"}, {}, {"w": b"up"},
    {"hill": 1.0, "of": {"ice", "rock"}}, {"w": {"is": "down"}, "lake": 0.25}, {"lake": 1.0},
]  # fmt: skip
LABELS = ["L", "L", "H", "H", "H", "L", "L", "L"]
X = [TOKENS, TOKENS[2:6], TOKENS[5:]]
y = [LABELS, ["H", "L", "H", "H"], LABELS[5:]]
AFTER_FIT = (
    *("attributes_", "certificate_", "classes_", "gap_", "num_attributes_", "size_", "state_features_"),
    *("tagger_", "training_log_", "transition_features_"),
)


@pytest.mark.parametrize("c1, c2", [(0.0, 0.5), (0.0, 0.02), (0.3, 0.0), (0.2, 0.1)])
def test_the_optimum_is_crfsuites(c1, c2, tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    trainer = pycrfsuite.Trainer(
        "lbfgs", {"c1": c1, "c2": c2, "epsilon": 1e-10, "delta": 0.0, "period": 500}, verbose=False
    )
    trainer.set_params({"feature.possible_states": 1, "feature.possible_transitions": 1, "feature.minfreq": -1e9})
    for tokens, labels in zip(X, y, strict=True):
        trainer.append(pycrfsuite.ItemSequence(tokens), labels)
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    ours = CRF(c1=c1, c2=c2, tol=1e-6 if not c2 else 1e-9, max_iterations=5000).fit(X, y)
    assert ours.gap_ is not None and ours.gap_ <= 1e-6
    for tokens, labels in zip(X, y, strict=True):
        theirs = tagger.tag(pycrfsuite.ItemSequence(tokens))
        assert ours.predict_single(tokens) == theirs
        assert ours.probability([tokens], [labels])[0] == pytest.approx(tagger.probability(labels), abs=2e-4)
        for t, marginals in enumerate(ours.predict_marginals_single(tokens)):
            assert marginals == pytest.approx({each: tagger.marginal(each, t) for each in "HL"}, abs=2e-4)
    known = tagger.info()
    assert {k: v for k, v in known.transitions.items() if abs(v) > 1e-3} == pytest.approx(
        {k: v for k, v in (ours.transition_features_ or {}).items() if abs(v) > 1e-3}, abs=2e-3
    )
    assert {k: v for k, v in known.state_features.items() if abs(v) > 1e-3} == pytest.approx(
        {k: v for k, v in (ours.state_features_ or {}).items() if abs(v) > 1e-3}, abs=2e-3
    )


@pytest.mark.parametrize("c1, c2, penalty", [(0.3, 0.0, "l1"), (0.2, 0.1, "elastic-0.2")])
def test_l2sgd_has_an_l1_norm(c1, c2, penalty):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CRF("l2sgd", c1=c1, c2=c2, max_iterations=50).fit(X, y)
    best = CRF("lbfgs", c1=c1, c2=c2, tol=1e-5, max_iterations=5000).fit(X, y)
    assert (found._model._spec.algorithm, found._model._spec.penalty) == ("sgd", penalty)
    ours, optimum = not_none(found.certificate_), not_none(best.certificate_)
    assert optimum.dual * (1 - 1e-9) <= ours.primal <= optimum.primal * 1.1


def test_it_has_the_names_that_its_users_know():
    crf = CRF(c2=0.1)
    assert [getattr(crf, name) for name in AFTER_FIT] == [None] * len(AFTER_FIT)
    crf.fit(X, y)
    assert crf.classes_ == ["H", "L"] and crf.score(X, y) > 0.7
    names = ["lake", "hill", "of:mud", "of:ice", "w:up", "of:rock", "w:is:down"]
    assert crf.attributes_ == names and crf.num_attributes_ == 7 and crf.size_ == 8 * (7 * 2 + 4)
    assert {*(crf.state_features_ or {})} <= {(name, label) for name in names for label in "HL"}
    assert {*(crf.transition_features_ or {})} == {("H", "H"), ("H", "L"), ("L", "H"), ("L", "L")}
    assert crf.coef_ is not None and (crf.state_features_ or {})["w:up", "L"] == crf.coef_[1, 4]
    assert (crf.training_log_ or [{}])[-1]["relative_gap"] == crf.gap_
    again = pickle.loads(pickle.dumps(crf))
    assert again.predict(X) == crf.predict(X) and pickle.loads(pickle.dumps(CRF())).classes_ is None


def test_the_tagger_agrees_with_predictions():
    crf = CRF(c2=0.1).fit(X, y)
    tagger = crf.tagger_
    assert tagger is not None and tagger.labels() == ["H", "L"]
    assert tagger.tag(TOKENS) == crf.predict_single(TOKENS) == crf.predict(X)[0]
    (marginals,) = crf.predict_marginals([TOKENS])
    assert tagger.marginal("L", 2) == marginals[2]["L"]
    two = crf.probability([TOKENS[:2]] * 4, [[a, b] for a in "HL" for b in "HL"])
    assert sum(two) == pytest.approx(1) and two[2] + two[3] == pytest.approx(
        crf.predict_marginals_single(TOKENS[:2])[0]["L"]
    )
    tagger.set(TOKENS[:2])
    assert tagger.probability(["H", "L"]) == two[1]
    assert crf.probability([TOKENS[:2], []], [["H", "unseen"], []]).tolist() == [0.0, 1.0]
    assert crf.tagger_ is tagger  # what was set stays
    with pytest.raises(UserError, match=r"has \d+ tokens: there is no position 99$"):
        tagger.marginal("L", 99)
    with pytest.raises(UserError, match=r"^there is no label 'QQ': there are "):
        tagger.marginal("QQ", 0)


def test_errors_on_other_data_are_reported_as_it_goes(capsys):
    crf = CRF(c2=0.1, verbose=True).fit(X, y, [TOKENS, TOKENS[:2]], [LABELS, ["L", "unseen"]])
    last = (crf.training_log_ or [{}])[-1]
    wrong = sum(a != b for a, b in zip(crf.predict_single(TOKENS), LABELS, strict=True))
    wrong += sum(a != b for a, b in zip(crf.predict_single(TOKENS[:2]), ["L", "unseen"], strict=True))
    assert last["validation_error"] == wrong / 10
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(crf.training_log_ or ())
    assert re.fullmatch(r"passes \S+, primal \S+, relative_gap \S+, validation_error \S+", lines[-1])
    assert "validation_error" not in (CRF().fit(X, y).training_log_ or [{}])[-1]


def test_all_algorithms_of_crfsuite_but_arow_have_one_of_ours():
    for name in ("lbfgs", "l2sgd", "ap", "pa"):
        crf = CRF(name, c2=0.05, max_iterations=200, tol=0.5).fit(X, y)
        assert crf.score(X, y) > 0.7, name
        if name in ("ap", "pa"):
            with pytest.raises(UserError, match=f"algorithm={name!r} gives no probabilities"):
                crf.predict_marginals(X)


def test_one_label_and_sequences_without_tokens():
    crf = CRF().fit([TOKENS, []], [["a"] * 8, []])
    assert crf.predict([[], TOKENS[:2]]) == [[], ["a", "a"]] and crf.predict([]) == []
    assert crf.predict_marginals([TOKENS[:1], []]) == [[{"a": 1.0}], []]


def test_scikit_learn_sees_whether_there_is_something_to_predict_with():
    searched = GridSearchCV(make_pipeline(CRF()), {"crf__c2": [0.05, 5.0]}, cv=2).fit(X * 2, y * 2)
    assert np.isfinite(searched.cv_results_["mean_test_score"]).all() and len(searched.predict(X)) == len(X)
    for model in (CRF(), ChainCRF()):
        check_is_fitted(model.fit(X, y))
        with pytest.raises(UserError):
            model.fit(X, y[:2])
        with pytest.raises(NotFittedError):
            check_is_fitted(model)


def test_it_is_searched_as_scikit_learns_estimators_are():
    search = GridSearchCV(CRF(c2=1.0), {"c2": [0.05, 5.0]}, cv=2).fit(X * 4, y * 4)
    assert search.best_params_["c2"] in (0.05, 5.0)
    assert cross_val_score(CRF(c2=0.05), X * 5, y * 5, cv=5).mean() > 0.7
    assert repr(clone(CRF("ap", max_iterations=3))) == "CRF(algorithm='ap', max_iterations=3)"


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"algorithm": "arow"}, "there is no 'arow' here: take algorithm='pa'"),
        ({"algorithm": "newton"}, "algorithm must be lbfgs, l2sgd, ap, pa or None, not 'newton'"),
        ({"c2": 0}, "c1 and c2 are both 0"),
        ({"c2": -1}, "c2 must be a number of 0 or more, not -1"),
        ({"c1": "much"}, "c1 must be a number of 0 or more, not 'much'"),
        ({"all_possible_transitions": False}, "all_possible_transitions must be True or None, not False"),
        ({"all_possible_states": False}, "all_possible_states must be True or None, not False"),
        ({"max_iterations": 0}, "max_iterations must be a number above 0, not 0"),
    ],
)
def test_what_it_has_not_is_one_sentence(given: dict[str, Any], sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        CRF(**given).fit(X, y)


def test_before_and_after_a_fit_that_fails_there_is_nothing_to_predict_with():
    crf = CRF(all_possible_transitions=True, all_possible_states=True)
    with pytest.raises(NotFittedError, match="This CRF instance is not fitted yet"):
        crf.predict(X)
    crf.fit(X, y)
    with pytest.raises(UserError):
        crf.fit(X, y[:2])
    with pytest.raises(NotFittedError):
        crf.predict_marginals(X)
    for wrong in ("words", ["words"], [[[{"lake": 1.0}]]]):
        with pytest.raises(UserError):
            CRF().fit(X, y).predict(wrong)


def test_a_warning_speaks_of_its_own_parameters():
    with pytest.warns(ConvergenceWarning, match="raise max_iterations or tol, or take another algorithm") as said:
        CRF(max_iterations=1, tol=1e-9).fit(X, y)
    assert said[0].filename == __file__, "it points to the user's line"


def test_scores_by_label_are_those_of_flat_labels():
    crf = CRF(c2=0.1).fit(X, y)
    flat, predicted = ([label for each in labels for label in each] for labels in (y, crf.predict(X)))
    found, f1_of = crf.scores_by_label(X, y), cast(Any, f1_score)
    for label in "HL":
        assert found[label].f1 == pytest.approx(f1_of(flat, predicted, pos_label=label))
        assert found[label].gold == flat.count(label)
    with pytest.raises(NotFittedError):
        CRF().scores_by_label(X, y)


def test_labels_to_report_on_need_their_sequences():
    with pytest.raises(UserError, match="y_dev has labels, but X_dev is None: give both, or none"):
        CRF().fit(X, y, None, y)
    with pytest.raises(UserError, match=r"^X_dev has sequences, but y_dev is None: give both, or none$"):
        CRF().fit(X, y, X)
    for other, labels, sentence in (
        (X, y[:2], "X has 3 sequences, y has 2"),
        ("words", y, "expected a list of sequences, found str"),
        ([[]], [[]], "expected sequences of tokens in X, found no token"),
    ):
        with pytest.raises(UserError, match=f"^X_dev, y_dev: {sentence}$"):
            CRF().fit(X, y, other, labels)
