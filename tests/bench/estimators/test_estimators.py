"""Estimators: optima of other programs, every kind of X, and what scikit-learn asks of an estimator."""

import pickle
import re
import warnings
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, DependencyParser, MulticlassCRF, SemiMarkovCRF, StructuredSVM

ROOT = Path(__file__).resolve().parents[3]
WORDS = [["the", "dog", "barks"], ["a", "cat", "sleeps", "well"], ["dogs", "bark"], ["the", "cat", "barks"]]
TAGS = [["D", "N", "V"], ["D", "N", "V", "A"], ["N", "V"], ["D", "N", "V"]]
ATTRIBUTES = [[{"w": word, "length": len(word)} for word in sentence] for sentence in WORDS]
TREES = [[(word, tag) for word, tag in zip(*each, strict=True)] for each in zip(WORDS, TAGS, strict=True)]
HEADS = [[2, 3, 0], [2, 3, 0, 3], [2, 0], [2, 3, 0]]
DIGITS = np.random.default_rng(1).normal(size=(120, 6))
CLASSES = np.array(["a", "b", "c"])[np.argmax(DIGITS[:, :3] + 0.5 * DIGITS[:, 3:], axis=1)]


def as_arrays(of_sequence):
    """The attributes as arrays of numbers, by scikit-learn's vectorizer; ``of_sequence``: makes each."""
    vectorizer = DictVectorizer().fit([token for sentence in ATTRIBUTES for token in sentence])
    return [of_sequence(vectorizer.transform(sentence)) for sentence in ATTRIBUTES]


def test_scikit_learns_own_checks_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(MulticlassCRF(), on_fail=None, on_skip=None)
    assert {each["check_name"] for each in found if each["status"] == "failed"} == set()
    assert len([each for each in found if each["status"] == "passed"]) > 50


def test_the_optimum_is_that_of_scikit_learn_and_the_certificate_bounds_it():
    ours = MulticlassCRF(C=2.0, tol=1e-9, max_passes=1000, fit_intercept=False).fit(DIGITS, CLASSES)
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=1000).fit(DIGITS, CLASSES)
    losses = -np.log(theirs.predict_proba(DIGITS)[np.arange(120), np.unique(CLASSES, return_inverse=True)[1]])
    value = losses.sum() + np.sum(theirs.coef_**2)
    found = ours.certificate_
    assert found.primal == pytest.approx(value, rel=1e-8)
    assert found.dual <= value + 1e-9 and found.gap == found.primal - found.dual
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.predict_proba(DIGITS), theirs.predict_proba(DIGITS), atol=1e-3)
    assert ours.score(DIGITS, CLASSES) == theirs.score(DIGITS, CLASSES)


def test_the_examples_of_the_page_run():
    first, of_crfsuite = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "how-to" / "estimators.md").read_text("utf-8"), flags=re.S
    )
    made, other = {}, {}
    exec(first, made)
    exec(of_crfsuite, other)
    assert max(other["crf"].transition_features_.items(), key=lambda each: each[1]) == (
        ("D", "N"),
        pytest.approx(1.17, abs=0.01),
    )
    assert made["crf"].predict([["the", "bird", "sings"]]) == [["D", "N", "V"]]
    assert made["crf"].certificate_.relative_gap <= 1e-4


@pytest.mark.parametrize("loss", ["log", "hinge", "softmax-margin"])
def test_every_algorithm_meets_the_same_optimum(loss):
    known = ChainCRF(loss=loss, tol=1e-7, max_passes=2000).fit(ATTRIBUTES, TAGS).certificate_
    for algorithm in {"log": ("crfsuite", "lbfgs"), "hinge": ("smo",), "softmax-margin": ("sdca",)}[loss]:
        other = ChainCRF(loss=loss, algorithm=algorithm, tol=1e-6, max_passes=20_000).fit(ATTRIBUTES, TAGS)
        assert other.certificate_.primal == pytest.approx(known.primal, rel=2e-6)


def test_attributes_and_their_arrays_are_one_model():
    by_names = ChainCRF(tol=1e-8).fit(ATTRIBUTES, TAGS)
    for X in (as_arrays(sp.csr_matrix), as_arrays(lambda rows: rows.toarray())):
        by_numbers = ChainCRF(tol=1e-8).fit(X, TAGS)
        assert by_numbers.certificate_.primal == pytest.approx(by_names.certificate_.primal, rel=1e-7)
        assert by_numbers.predict(X) == by_names.predict(ATTRIBUTES)
    assert by_names.feature_names_out_[:3].tolist() == ["w=the", "length", "w=dog"]
    assert by_names.coef_.shape == (4, len(by_names.feature_names_out_))
    assert by_names.transitions_.shape == (4, 4)


def test_words_have_the_features_of_the_format_columns(tmp_path):
    lines = ["".join(f"{w} {t}\n" for w, t in zip(*each, strict=True)) for each in zip(WORDS, TAGS, strict=True)]
    (tmp_path / "train.txt").write_text("\n".join(lines))
    from structbench.bench.runs import driver, problem_store, spec

    made = spec.make(f"columns:{tmp_path / 'train.txt'}", "log", 1.0, "eg", {"order": "gap"}, gap=1e-8)
    of_file = driver.run(made, problem_store.obtain(made.data)[0]).summary
    found = ChainCRF(tol=1e-8).fit(WORDS, TAGS)
    assert found.certificate_.primal == pytest.approx(of_file["primal"], rel=1e-12)
    assert found.predict([["the", "unseen", "barks"]]) == [["D", "N", "V"]]
    assert ChainCRF().fit(TREES, TAGS).predict(TREES) == TAGS


@pytest.mark.parametrize("make", [np.array, pd.Series, lambda words: np.array(words, object), iter])
def test_sentences_are_lists_arrays_series_or_iterators(make):
    X, y = ([make(each) for each in rows] for rows in (WORDS, TAGS))
    assert ChainCRF().fit((each for each in X), (each for each in y)).predict(WORDS) == TAGS


def test_marginals_and_k_best_agree():
    model = ChainCRF().fit(ATTRIBUTES, TAGS)
    outputs = model.predict_k_best(ATTRIBUTES[:1], 64)[0]
    assert sum(each.probability for each in outputs) == pytest.approx(1)
    marginals = model.predict_marginals(ATTRIBUTES[:1])[0]
    place = {label: k for k, label in enumerate(model.classes_)}
    summed = np.zeros_like(marginals)
    for each in outputs:
        for t, label in enumerate(each.labels):
            summed[t, place[label]] += each.probability
    np.testing.assert_allclose(marginals, summed, atol=1e-12)


@pytest.mark.parametrize("structure", ["projective", "nonprojective"])
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_a_parser_learns_trees(structure, loss):
    parser = DependencyParser(C=0.1, loss=loss, structure=structure).fit(TREES, HEADS)
    assert parser.certificate_.relative_gap <= parser.tol
    assert parser.predict(TREES) == HEADS and parser.score(TREES, HEADS) == 1
    assert parser.score(TREES, [[0, 1, 1], [0, 1, 1, 1], [0, 1], [0, 1, 1]]) < 1


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_segments_are_learned_and_scored_as_wholes(loss):
    chunks = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP", "B-VP", "O"], ["B-NP", "B-VP"], ["B-NP", "I-NP", "B-VP"]]
    model = SemiMarkovCRF(C=0.1, loss=loss, max_length=3).fit(TREES, chunks)
    assert model.certificate_.relative_gap <= model.tol
    assert model.predict(TREES) == chunks and model.score(TREES, chunks) == 1
    others = [["B-NP", "B-NP", "B-VP"], *chunks[1:]]  # three chunks in place of two, of which one is found
    assert model.score(TREES, others) == pytest.approx(2 * 7 / (8 + 9))
    new = [["B-NP", "I-NP", "B-PP"], ["B-NP", "I-NP", "B-PP", "I-PP"], *chunks[2:]]  # I-PP goes on with B-PP
    assert model.score(TREES, new) == pytest.approx(2 * 6 / (8 + 8))
    rows = model.scores_by_label(TREES, new)
    assert {label: row[3:] for label, row in rows.items()} == {"NP": (4, 4, 4), "PP": (0, 2, 0), "VP": (4, 2, 2)}
    assert (rows["NP"].f1, rows["VP"].precision, rows["VP"].recall) == (1, 0.5, 1)
    assert model.coef_.shape[0] == 3 and model.transitions_.shape == (3, 3)
    assert model._weights.size == model.coef_.shape[0] * model.coef_.shape[1] + 9


def test_it_is_searched_copied_and_stored_as_scikit_learns_estimators_are():
    search = GridSearchCV(ChainCRF(), {"C": [0.1, 10.0], "loss": ["log", "smoothed-hinge-0.5"]}, cv=2)
    search.fit(ATTRIBUTES, TAGS)
    best = search.best_estimator_
    copied: Any = clone(best)
    assert copied.get_params() == best.get_params()
    assert pickle.loads(pickle.dumps(best)).predict(ATTRIBUTES) == best.predict(ATTRIBUTES)
    pipe = make_pipeline(DictVectorizer(), MulticlassCRF()).fit([{"x": 1.0}, {"y": 1.0}], [0, 1])
    assert pipe.predict([{"y": 2.0}]).tolist() == [1]
    assert repr(StructuredSVM(C=0.5)) == "StructuredSVM(C=0.5)"
    assert structbench.ChainCRF is ChainCRF


def test_the_curve_leads_to_the_certificate():
    model = MulticlassCRF(random_state=3).fit(DIGITS, CLASSES)
    assert model.curve_["primal"][-1] == model.certificate_.primal
    assert model.curve_["relative_gap"][-1] <= model.tol < model.curve_["relative_gap"][0]
    assert model.algorithm_ == "newton"
    assert (
        MulticlassCRF(random_state=3).fit(DIGITS, CLASSES).curve_["primal"].tolist()
        == model.curve_["primal"].tolist()
    )


def test_a_gap_that_is_not_reached_is_a_warning():
    with pytest.warns(ConvergenceWarning, match="relative gap of .*, above tol = 1e-09"):
        ChainCRF(tol=1e-9, max_passes=1).fit(ATTRIBUTES, TAGS)
    with pytest.raises(NotFittedError):
        ChainCRF().predict(ATTRIBUTES)


def test_an_algorithm_without_an_objective_has_no_certificate():
    model = ChainCRF(algorithm="perceptron", max_passes=5).fit(ATTRIBUTES, TAGS)
    assert np.isnan(model.certificate_.primal) and model.score(ATTRIBUTES, TAGS) > 0.9


NO_STRUCTURE: Any = "any"


@pytest.mark.parametrize(
    "model, X, y, sentence",
    [
        (ChainCRF(), WORDS, TAGS[:2], "X has 4 sequences, y has 2"),
        (ChainCRF(), WORDS, [*TAGS[:3], ["D"]], "example 3 has 3 tokens: expected as many labels in y, found 1"),
        (ChainCRF(), WORDS, [*TAGS[:3], 7], "example 3 has 3 tokens: expected as many labels in y, found 7"),
        (ChainCRF(), [*WORDS[:3], []], TAGS, "example 3 has 0 tokens: expected as many labels in y"),
        (ChainCRF(), [[], []], [[], []], "expected sequences of tokens in X, found no token"),
        (ChainCRF(), ["the dog", *WORDS[1:]], TAGS, "example 0 is no sequence of tokens"),
        (ChainCRF(), [[("a", "b"), ("c",)]], [["x", "y"]], "expected 2 texts a token, found"),
        (ChainCRF(), [[{"a": float("nan")}, {"a": 1}]], [["x", "y"]], "the attribute 'a' must be finite"),
        (ChainCRF(), [[{"a": [1]}, {"a": 1}]], [["x", "y"]], "expected a number or text for 'a'"),
        (ChainCRF(), [np.ones((2, 3)), np.ones((2, 4))], [["x", "y"]] * 2, "X has 4 features"),
        (ChainCRF(), WORDS, [["x"] * len(each) for each in WORDS], "expected two labels or more in y"),
        (ChainCRF(), WORDS, None, "requires y to be passed, .* but the target y is None"),
        (ChainCRF(), [["a", None]], [["x", "y"]], "example 0, token 1: expected a text a token"),
        (ChainCRF(loss="hing"), WORDS, TAGS, "unknown loss 'hing': did you mean 'hinge'"),
        (ChainCRF(algorithm="lbfsg"), WORDS, TAGS, "lbfgs"),
        (ChainCRF(algorithm="eg:eta=-1"), WORDS, TAGS, "eta"),
        (ChainCRF(C=0.0), WORDS, TAGS, "C must be a number above 0"),
        (ChainCRF(penalty="l3"), WORDS, TAGS, "unknown penalty 'l3': choose l2 or elastic-A"),
        (ChainCRF(n_jobs=0), WORDS, TAGS, "n_jobs must be a number of threads"),
        (MulticlassCRF(), ["red", "blue"], [0, 1], "expected rows of numbers, dicts or lists of attributes"),
        (MulticlassCRF(), None, [0, 1], "expected X, rows of numbers or of attributes, found None"),
        (MulticlassCRF(loss="hinge", algorithm="kernel-svm"), DIGITS, CLASSES, "kernel-svm learns no weights of"),
        (MulticlassCRF(loss="hinge", algorithm="sdca"), DIGITS, CLASSES, "sdca minimises the"),
        (SemiMarkovCRF(), TREES, TAGS, "expected a tag O, B-type or I-type in y, found 'D'"),
        (SemiMarkovCRF(), TREES[2:3], [["I-NP", "O"]], "example 0, token 0: the tag I-NP in y continues no"),
        (SemiMarkovCRF(max_length=0), TREES, TAGS, "max_length must be a whole number above 0"),
        (DependencyParser(), TREES, [[2, 1, 0], *HEADS[1:]], "example 0, word 1: expected a tree, found a cycle"),
        (DependencyParser(), WORDS, HEADS, "expected 2 texts a token, found 'the'"),
        (DependencyParser(structure=NO_STRUCTURE), TREES, HEADS, "structure must be projective or nonprojective"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(model, X, y, sentence):
    with pytest.raises(UserError, match=sentence.replace("(", r"\(")):
        model.fit(X, y)


def test_a_fit_that_fails_leaves_nothing_to_predict_with():
    model = ChainCRF().fit(WORDS, TAGS)
    with pytest.raises(UserError):
        model.set_params(algorithm="nonsense").fit(WORDS, TAGS)
    with pytest.raises(NotFittedError):
        model.predict(WORDS)


def test_a_column_of_labels_scores_as_a_list_does():
    model = MulticlassCRF().fit(DIGITS, CLASSES)
    assert model.score(DIGITS, CLASSES[:, None]) == model.score(DIGITS, CLASSES)
    with pytest.raises(UserError, match="X has 120 examples"):
        model.score(DIGITS, CLASSES[:3])


def test_a_path_that_ends_before_its_C_warns_and_certifies_nothing():
    model = ChainCRF(algorithm="eg-path:first=100", tol=0.5, max_passes=1)
    with pytest.warns(ConvergenceWarning, match=r"did not come to C = 1 \(.* C = 100 .*: raise max_passes, or"):
        model.fit(WORDS, TAGS)
    assert np.isnan(model.certificate_).all() and "did not come to C" in repr(model.certificate_)


def test_without_a_penalty_the_warning_says_that_nothing_can_be_certified():
    with pytest.warns(ConvergenceWarning, match="without a penalty nothing bounds the optimum.*: take l2 or l1"):
        model = MulticlassCRF(penalty="none", max_passes=2).fit(DIGITS, CLASSES)
    assert [*np.isnan(model.certificate_)] == [False, True, True, True]


def test_new_examples_are_checked_too():
    model = ChainCRF().fit(as_arrays(sp.csr_matrix), TAGS)
    with pytest.raises(UserError, match="X has 2 features, but the model is expecting"):
        model.predict([np.ones((1, 2))])
    with pytest.raises(TypeError, match=r"^ChainCRF has no parameter 'c': did you mean 'C'. it has C, l1, "):
        ChainCRF(c=1)  # pyright: ignore[reportCallIssue]
    with pytest.raises(UserError, match="has no parameter 'c': did you mean 'C'"):
        model.set_params(c=1)
    hinge = StructuredSVM().fit(WORDS, TAGS)
    with pytest.raises(UserError, match="has no probabilities"):
        hinge.predict_marginals(WORDS)


def test_heads_are_numbers_and_are_held_against_those_of_the_same_words():
    parser = DependencyParser(C=0.1).fit(TREES, HEADS)
    for outputs, heads in zip(parser.predict_k_best(TREES, 2), parser.predict(TREES), strict=True):
        assert outputs[0].labels == heads and all(type(head) is int for each in outputs for head in each.labels)
    two = [TREES[2], TREES[2]]
    assert parser.score(two, [[2, 0], [0, 1]]) == 0.5
    for wrong in ([[2], [2, 0, 1]], [[2, 0, 1], [2]], [[2], [2]]):
        with pytest.raises(UserError, match="example 0 has 2 words: expected as many whole numbers in y"):
            parser.score(two, wrong)
    with pytest.raises(UserError, match="X has 2 sentences: expected the heads of as many in y"):
        parser.score(two, [[2, 0]])


def test_trees_whose_arcs_cross_are_counted():
    crossing = [[3, 4, 0, 3]]
    with pytest.warns(UserWarning, match="1 of 1 trees in y have arcs that cross: learned with these arcs lifted"):
        DependencyParser(C=0.1).fit([TREES[1]], crossing)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            DependencyParser(C=0.01, structure="nonprojective", tol=0.5)
            .fit([TREES[1]], crossing)
            .predict([TREES[1]])
            == crossing
        )


@pytest.mark.parametrize("kind", [ChainCRF, DependencyParser, MulticlassCRF, SemiMarkovCRF, StructuredSVM])
def test_estimators_have_the_same_defaults(kind):
    usual = {
        "C": 1.0,
        "l1": 0.0,
        "penalty": "l2",
        "tol": 1e-3,
        "max_passes": 100.0,
        "random_state": None,
        "n_jobs": None,
    }
    assert usual.items() <= kind().get_params().items()


@pytest.mark.parametrize(
    ("C", "spec"), [(1.0, {"C": 1.0, "penalty": "elastic-2"}), (0.0, {"C": 4.0, "penalty": "l1"})]
)
@pytest.mark.parametrize(
    ("model", "X", "y"), [(ChainCRF(), WORDS * 8, TAGS * 8), (MulticlassCRF(), DIGITS, CLASSES)]
)
def test_l1_makes_weights_0_and_the_gap_is_certified(model, X, y, C, spec):
    model = cast(Any, clone(model)).set_params(C=C, l1=2.0, tol=1e-6, max_passes=2000)
    fitted = pickle.loads(pickle.dumps(model.fit(X, y)))
    assert spec.items() <= fitted._spec.as_dict().items()
    assert fitted.certificate_.relative_gap <= 1e-6
    assert 0 < np.count_nonzero(fitted.coef_) < fitted.coef_.size
    search = GridSearchCV(clone(model), {"l1": [200.0, 2.0]}, cv=KFold(2)).fit(X, y)
    assert search.best_params_ == {"l1": 2.0}


TAKE_EG = "loss and the penalty elastic-0.1 take eg"


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (ChainCRF(l1=-1), "l1 must be a number of 0 or more, not -1"),
        (ChainCRF(l1=0.1, penalty="l1"), "l1 = 0.1 goes with the penalty l2, not 'l1': give one of them"),
        (ChainCRF(C=0), "C must be a number above 0, not 0"),
        (ChainCRF(l1=0.1, algorithm="lbfgs"), f"lbfgs takes no l1: with the log {TAKE_EG} or sag or sdca or sgd"),
        (ChainCRF(l1=0.1, algorithm="perceptron"), f"perceptron takes no l1: with the log {TAKE_EG}"),
        (StructuredSVM(l1=0.1, algorithm="smo"), f"smo takes no l1: with the hinge {TAKE_EG}"),
        (StructuredSVM(C=0, l1=0.1), "no algorithm of choice minimises the hinge loss with the penalty 'l1'"),
    ],
)  # fmt: skip
def test_an_l1_that_cannot_be_is_one_sentence(model, sentence):
    with pytest.raises(UserError, match=sentence):
        model.fit(WORDS, TAGS)


def test_an_algorithm_without_an_objective_says_that_it_has_no_certificate():
    assert repr(ChainCRF(algorithm="perceptron").fit(WORDS, TAGS).certificate_).startswith("no certificate: ")
    assert repr(ChainCRF().fit(WORDS, TAGS).certificate_).startswith("Certificate(primal=")
