"""Weights of examples and classes: a weight of 2 is the example twice, of 0 none, and others lie between."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, DependencyParser, MulticlassCRF, SemiMarkovCRF, StructuredSVM
from tests.bench.estimators.test_estimators import ATTRIBUTES, CLASSES, DIGITS, HEADS, TAGS, TREES

TWICE = [2, 1, 0, 3]
REAL = np.array([0.3, 2.5, 1.0, 12.0])
CHUNKS = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP", "B-VP", "O"], ["B-NP", "B-VP"], ["B-NP", "I-NP", "B-VP"]]
SMOOTH = ["eg:order=gap", "eg:mode=batch", "eg:calibrate=true", "sdca", "sdca:sampling=random", "lbfgs", "owl-qn"]
CASES = [("log", each) for each in ("eg", *SMOOTH)]
CASES += [("hinge", each) for each in ("eg", "eg:order=gap", "eg:mode=batch")]
CASES += [("softmax-margin", each) for each in ("eg:order=gap", "sdca", "lbfgs")]
OF_DIGITS = np.random.default_rng(2).uniform(0.1, 5.0, len(DIGITS))


def repeated(rows, counts=TWICE):
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


def assert_same(found, wanted, tol):
    """Both certificates are of one optimum, which lies in both."""
    assert found.dual <= wanted.primal and wanted.dual <= found.primal
    assert found.primal == pytest.approx(wanted.primal, rel=2 * tol)
    assert found.relative_gap <= tol


@pytest.mark.parametrize(("loss", "algorithm"), CASES)
def test_a_weight_is_the_example_as_often(loss, algorithm):
    tol = 1e-3 if loss == "hinge" else 1e-7
    model = ChainCRF(loss=loss, algorithm=algorithm, tol=tol, max_passes=20_000)
    found = model.fit(ATTRIBUTES, TAGS, sample_weight=TWICE).certificate_
    wanted = ChainCRF(loss=loss, tol=tol, max_passes=2000).fit(repeated(ATTRIBUTES), repeated(TAGS)).certificate_
    assert_same(found, wanted, tol)


@pytest.mark.parametrize(
    ("model", "X", "y"),
    [
        (ChainCRF(), ATTRIBUTES, TAGS),
        (StructuredSVM(), ATTRIBUTES, TAGS),
        (SemiMarkovCRF(max_length=3), TREES, CHUNKS),
        (DependencyParser(), TREES, HEADS),
        (DependencyParser(structure="nonprojective"), TREES, HEADS),
    ],
)
def test_every_estimator_takes_weights(model, X, y):
    model.set_params(tol=1e-3, max_passes=2000)
    counts = [2, 1, 1, 3]  # features are of all examples, also of those that weigh 0
    found = model.fit(X, y, sample_weight=np.array(counts)).certificate_
    assert_same(found, model.fit(repeated(X, counts), repeated(y, counts)).certificate_, 1e-3)


OF_CLASSES = ["eg", "eg:mode=batch", "eg:eta=0", "eg:eta=0,mode=batch", "sdca", "lbfgs", "newton"]


@pytest.mark.parametrize("algorithm", [*OF_CLASSES, "lbfgs:preconditioner=diagonal"])
def test_real_weights_have_the_optimum_of_scikit_learn(algorithm):
    ours = MulticlassCRF(C=2.0, tol=1e-8, max_passes=20_000, fit_intercept=False, algorithm=algorithm)
    ours.fit(DIGITS, CLASSES, sample_weight=OF_DIGITS)
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-12, max_iter=5000)
    theirs.fit(DIGITS, CLASSES, sample_weight=OF_DIGITS)
    chances = theirs.predict_proba(DIGITS)
    losses = -np.log(chances[np.arange(120), np.unique(CLASSES, return_inverse=True)[1]])
    assert ours.certificate_.primal == pytest.approx(OF_DIGITS @ losses + np.sum(theirs.coef_**2), rel=1e-7)
    np.testing.assert_allclose(ours.predict_proba(DIGITS), chances, atol=1e-3)
    right = ours.predict(DIGITS) == CLASSES
    assert ours.score(DIGITS, CLASSES, OF_DIGITS) == pytest.approx(OF_DIGITS @ right / OF_DIGITS.sum())


@pytest.mark.parametrize("algorithm", ["eg:order=gap", "eg:mode=batch", "sdca", "lbfgs", "owl-qn"])
def test_real_weights_of_sequences_have_one_optimum(algorithm):
    known = ChainCRF(algorithm="lbfgs", tol=1e-8, max_passes=5000).fit(ATTRIBUTES, TAGS, REAL)
    model = ChainCRF(algorithm=algorithm, tol=1e-7, max_passes=20_000)
    assert_same(model.fit(ATTRIBUTES, TAGS, REAL).certificate_, known.certificate_, 1e-7)
    plain = model.fit(ATTRIBUTES, TAGS).certificate_.primal
    assert model.fit(ATTRIBUTES, TAGS, np.ones(4)).certificate_.primal == plain, "ones change no bit"


@pytest.mark.parametrize(
    ("loss", "algorithm"),
    [("log", "newton"), ("hinge", "interior-point"), ("log", "eg:order=gap"), ("hinge", "eg"), ("log", "sdca")],
)
def test_equal_weights_and_as_strong_a_penalty_change_no_step(loss, algorithm):
    """The objective is so many times as large, at all weights."""
    given = {"loss": loss, "algorithm": algorithm, "tol": 0.01}
    plain = MulticlassCRF(2.0, **given).fit(DIGITS, CLASSES)
    times = MulticlassCRF(14.0, **given).fit(DIGITS, CLASSES, np.full(120, 7.0))
    for name in ("passes", "primal", "dual"):
        scale = 1 if name == "passes" else 7
        np.testing.assert_allclose(times.curve_[name], scale * plain.curve_[name], rtol=1e-6)


def test_the_hinge_weighs_classes():
    counts = np.arange(120) % 4
    often = np.repeat(np.arange(120), counts)
    known = MulticlassCRF(loss="hinge", algorithm="smo", tol=1e-3).fit(DIGITS[often], CLASSES[often]).certificate_
    for algorithm in ("interior-point", "eg:order=gap", "auto"):
        model = MulticlassCRF(loss="hinge", algorithm=algorithm, tol=1e-3, max_passes=2000)
        assert_same(model.fit(DIGITS, CLASSES, counts).certificate_, known, 1e-3)


def test_sgd_weighs_its_steps():
    near = MulticlassCRF(algorithm="sgd", tol=1e-2, max_passes=3000).fit(DIGITS, CLASSES, OF_DIGITS).certificate_
    known = MulticlassCRF(tol=1e-7).fit(DIGITS, CLASSES, OF_DIGITS).certificate_
    assert near.relative_gap <= 1e-2 and near.primal == pytest.approx(known.primal, rel=1e-2)


def test_class_weights_are_weights_of_their_examples():
    doubled = {"b": 2.0, "c": 0.5}
    found = MulticlassCRF(class_weight=doubled, tol=1e-7).fit(DIGITS, CLASSES, OF_DIGITS)
    of_class = np.array([doubled.get(label, 1.0) for label in CLASSES.tolist()])
    assert_same(
        found.certificate_, MulticlassCRF(tol=1e-7).fit(DIGITS, CLASSES, OF_DIGITS * of_class).certificate_, 1e-7
    )
    labels, counts = np.unique(CLASSES, return_counts=True)
    balanced = dict(zip(labels.tolist(), 120 / (3 * counts), strict=True))
    assert_same(
        MulticlassCRF(class_weight="balanced", tol=1e-7).fit(DIGITS, CLASSES).certificate_,
        MulticlassCRF(class_weight=balanced, tol=1e-7).fit(DIGITS, CLASSES).certificate_,
        1e-7,
    )


@pytest.mark.parametrize(
    ("model", "given", "sentence"),
    [
        (ChainCRF(), [1, 2], r"X has 4 examples: expected as many in sample_weight, found shape \(2,\)"),
        (ChainCRF(), [1, -1, 1, 1], "sample_weight must be finite and 0 or more, found -1.0 for example 1"),
        (ChainCRF(), [1, 1, float("nan"), 1], "found nan for example 2"),
        (ChainCRF(), [0] * 4, "sample_weight has only zeros"),
        (ChainCRF(), ["a"] * 4, "sample_weight must be numbers, one an example"),
        (
            StructuredSVM(algorithm="smo"),
            [1] * 4,
            "smo takes no sample_weight or class_weight: with the hinge loss .* take eg or adagrad$",
        ),
        (
            ChainCRF(algorithm="sag"),
            [1] * 4,
            "log loss and the penalty l2 take eg or lbfgs or sdca or sgd or adagrad$",
        ),
        (
            StructuredSVM(penalty="l1", algorithm="l1m3n-proximal"),
            [1] * 4,
            "hinge loss and the penalty l1 no algorithm does",
        ),
        (ChainCRF(algorithm="crfsuite"), [1] * 4, "crfsuite takes no sample_weight or class_weight"),
    ],
)
def test_a_mistake_is_one_sentence(model, given, sentence):
    with pytest.raises(UserError, match=sentence):
        model.fit(ATTRIBUTES, TAGS, given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("even", "class_weight must be None, 'balanced' or a dict by label, not 'even'"),
        ({"d": 1.0}, "class_weight has the label 'd', which y does not have, and lacks y's 'a'$"),
        ({"a": -1.0}, "class_weight must be numbers of 0 or more"),
    ],
)
def test_a_mistake_in_weights_of_classes_is_one_sentence(given, sentence):
    with pytest.raises(UserError, match=sentence):
        MulticlassCRF(class_weight=given).fit(DIGITS, CLASSES)


def test_a_fold_may_lack_a_label_that_has_a_weight():
    of_all = {"a": 1.0, "b": 2.0, "c": 0.5}
    part = CLASSES != "c"
    found = MulticlassCRF(class_weight=of_all, tol=1e-7).fit(DIGITS[part], CLASSES[part]).certificate_
    wanted = MulticlassCRF(class_weight={"b": 2.0}, tol=1e-7).fit(DIGITS[part], CLASSES[part]).certificate_
    assert found == wanted


@pytest.mark.parametrize(
    ("model", "weights"),
    [
        (MulticlassCRF(), np.where(CLASSES == "a", 2e12, 2.0)),
        (MulticlassCRF(class_weight={"a": 1e12}), None),
        (MulticlassCRF(class_weight={"a": 1e6}), np.where(CLASSES == "a", 1e6, 1.0)),
    ],
)
def test_weights_that_doubles_cannot_add_are_refused(model, weights):
    with pytest.raises(UserError, match=r"weights of examples go from [12] to [12]e\+12; .* at most 1e\+10 times"):
        model.fit(DIGITS, CLASSES, weights)


def test_a_large_weight_beside_zeros_is_taken():
    weights = np.where(CLASSES == "a", 0.0, 1e12)
    assert MulticlassCRF(1e12).fit(DIGITS, CLASSES, weights).certificate_.relative_gap <= 1e-3
