"""A fit with ``warm_start`` goes on from the one before: from its dual variables, or from its weights."""

import pickle

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, DependencyParser, FieldCRF, MulticlassCRF, SemiMarkovCRF
from structbench.bench.estimators.earlier import Earlier
from tests.bench.estimators.test_estimators import ATTRIBUTES, CLASSES, DIGITS, HEADS, TAGS, TREES
from tests.bench.estimators.test_weights import CHUNKS, OF_DIGITS
from tests.narrowing import not_none

KEEPS_DUALS = [("log", "eg:order=gap"), ("log", "eg:mode=batch"), ("hinge", "eg"), ("log", "sdca")]
KEEPS_DUALS += [("smoothed-hinge-0.5", "sdca"), ("softmax-margin", "eg")]
ALL = [*KEEPS_DUALS, ("log", "lbfgs"), ("log", "owl-qn"), ("log", "sgd")]
TOL = {"hinge": 1e-2}
EARLY = 2  # passes: one visit to each example makes the first dual point again


def passes(model):
    return model.curve_["passes"][-1]


@pytest.mark.parametrize(("loss", "algorithm"), ALL)
def test_a_second_fit_is_there_at_once_and_a_first_one_is_as_without(loss, algorithm):
    tol = 0.05 if algorithm == "sgd" else TOL.get(loss, 1e-6)
    cold = ChainCRF(loss=loss, algorithm=algorithm, tol=tol, max_passes=20_000).fit(ATTRIBUTES, TAGS)
    warm = ChainCRF(**cold.get_params()).set_params(warm_start=True).fit(ATTRIBUTES, TAGS)
    assert warm.curve_["primal"].tolist() == cold.curve_["primal"].tolist()
    assert passes(warm) > EARLY
    warm = pickle.loads(pickle.dumps(warm)).fit(ATTRIBUTES, TAGS)
    assert passes(warm) <= EARLY and warm.certificate_.relative_gap <= tol
    assert warm.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=tol)


@pytest.mark.parametrize(
    ("model", "X", "y"),
    [
        (SemiMarkovCRF(algorithm="sdca", max_length=3), TREES, CHUNKS),
        (DependencyParser(algorithm="sdca"), TREES, HEADS),
        (DependencyParser(structure="nonprojective"), TREES, HEADS),
        (MulticlassCRF(algorithm="sdca"), DIGITS, CLASSES),
        (MulticlassCRF(algorithm="eg:precision=float32"), DIGITS, CLASSES),
    ],
)
def test_every_estimator_goes_on(model, X, y):
    model.set_params(tol=1e-4, max_passes=2000, warm_start=True).fit(X, y)
    first = passes(model)
    assert passes(model.fit(X, y)) <= EARLY < first


@pytest.mark.parametrize(("loss", "algorithm"), KEEPS_DUALS)
def test_dual_variables_hold_for_other_strengths_weights_and_labels_of_examples(loss, algorithm):
    tol = TOL.get(loss, 1e-5)
    given = {"loss": loss, "algorithm": algorithm, "tol": tol, "max_passes": 20_000}
    warm = MulticlassCRF(**given, warm_start=True).fit(DIGITS, CLASSES)
    others = np.roll(CLASSES, 7)
    for C, y, weights in [(0.7, CLASSES, None), (0.7, CLASSES, OF_DIGITS), (0.9, others, OF_DIGITS)]:
        found = warm.set_params(C=C).fit(DIGITS, y, weights).certificate_
        wanted = MulticlassCRF(C, **given).fit(DIGITS, y, weights).certificate_
        assert found.dual <= wanted.primal and wanted.dual <= found.primal and found.relative_gap <= tol


def test_another_algorithm_or_other_examples_start_from_the_weights():
    for first, second in (
        ("lbfgs", "eg:order=gap"),
        ("lbfgs", "sdca"),
        ("sdca", "newton"),
        ("sdca", "eg:order=gap"),
    ):
        model = MulticlassCRF(algorithm=first, tol=1e-5, warm_start=True, max_passes=1000).fit(DIGITS, CLASSES)
        cold = MulticlassCRF(algorithm=second, tol=1e-3, max_passes=1000).fit(DIGITS, CLASSES)
        found = model.set_params(algorithm=second, tol=1e-3).fit(DIGITS, CLASSES)
        assert passes(found) <= EARLY < passes(cold)
    model = MulticlassCRF(tol=1e-5, warm_start=True, max_passes=1000).fit(DIGITS, CLASSES)
    fewer = model.set_params(tol=1e-3).fit(DIGITS[:119], CLASSES[:119])
    assert passes(fewer) <= passes(MulticlassCRF(tol=1e-3).fit(DIGITS[:119], CLASSES[:119]))


def test_other_variables_start_from_the_same_weights():
    given = {"tol": 1e-6, "warm_start": True, "max_passes": 1000}
    for algorithm in ("newton", "lbfgs", "lbfgs:preconditioner=diagonal"):
        model = MulticlassCRF(algorithm=algorithm, **given).fit(DIGITS, CLASSES)
        wanted, first = model.certificate_.primal, passes(model)
        assert passes(model.fit(DIGITS, CLASSES)) <= EARLY < first
        assert model.certificate_.primal == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_auto_takes_the_same_algorithm_as_without_and_it_goes_on_if_it_can(loss):
    cold = MulticlassCRF(0.01, loss=loss).fit(DIGITS, CLASSES)
    model = MulticlassCRF(0.01, loss=loss, warm_start=True).fit(DIGITS, CLASSES)
    assert (model.algorithm_, model.certificate_) == (cold.algorithm_, cold.certificate_)
    again = passes(model.fit(DIGITS, CLASSES))
    assert again <= EARLY if loss == "log" else again == passes(cold)


@pytest.mark.parametrize("algorithm", ["eg:order=gap", "lbfgs"])
def test_it_goes_on_from_the_weights_of_a_fit_without(algorithm):
    given = {"C": 0.1, "algorithm": algorithm, "max_passes": 1000}
    cold = passes(MulticlassCRF(**given, tol=1e-2).fit(DIGITS, CLASSES))
    model = MulticlassCRF(**given, tol=1e-4).fit(DIGITS, CLASSES)
    start = not_none(model._earlier.start(model._problem(DIGITS, CLASSES), model._feature_names, "eg"))
    assert start.weights is model._weights and start.stored is None
    assert passes(model.set_params(warm_start=True, tol=1e-2).fit(DIGITS, CLASSES)) <= EARLY < cold
    with pytest.raises(UserError, match="warm_start is true, but labels or features differ"):
        model.set_params(warm_start=False).fit(DIGITS, CLASSES).set_params(warm_start=True).fit(
            DIGITS[:, :5], CLASSES
        )


@pytest.mark.parametrize(
    ("model", "X", "y", "later"),
    [
        (ChainCRF(algorithm="eg"), ATTRIBUTES, TAGS, ()),
        (SemiMarkovCRF(max_length=3), TREES, CHUNKS, ("_longest",)),
        (DependencyParser(structure="nonprojective"), TREES, HEADS, ("_structure",)),
    ],
)
def test_what_1_0_0_pickled_predicts_and_goes_on_from_its_weights(model, X, y, later):
    model.set_params(warm_start=True, tol=1e-3).fit(X, y)
    wanted, weights = model.predict(X), model._weights
    model._earlier = Earlier(*model._earlier[:7])  # ``joined`` came later
    for name in later:
        delattr(model, name)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X) == wanted
    start = again._earlier.start(again._problem(X, y), again._feature_names, again._spec.algorithm)
    assert start.stored is None and start.weights.tolist() == weights.tolist()
    assert again.fit(X, y).certificate_.relative_gap <= 1e-3


def test_a_mistake_is_one_sentence():
    model = MulticlassCRF(warm_start=True).fit(DIGITS, CLASSES)
    for X, y in ((DIGITS[:, :5], CLASSES), (DIGITS, np.where(CLASSES == "a", "d", CLASSES))):
        with pytest.raises(UserError, match="warm_start is true, but labels or features differ"):
            model.fit(X, y)
    with pytest.raises(UserError, match=r"cutting-plane takes no warm_start: .* take eg or adagrad$"):
        MulticlassCRF(loss="hinge", algorithm="cutting-plane", warm_start=True).fit(DIGITS, CLASSES)


def test_dual_variables_of_graphs_hold_for_the_same_edges_alone():
    nodes = [np.eye(4) + k for k in range(6)]
    y = [["a", "b", "a", "b"]] * 3 + [["b", "a", "b", "a"]] * 3
    path, star = ([(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)])
    given = {"algorithm": "sdca", "tol": 1e-6, "max_passes": 2000}
    warm = FieldCRF(**given, warm_start=True).fit([(each, path) for each in nodes], y)
    assert passes(warm.fit([(each, path) for each in nodes], y)) <= EARLY
    for edges, holds in ((path, True), (star, False)):
        problem = warm._problem([(each, edges) for each in nodes], y)
        start = not_none(not_none(warm._earlier).start(problem, warm._feature_names, "sdca"))
        assert (start.stored is not None) is holds
    found = warm.fit([(each, star) for each in nodes], y).certificate_
    wanted = FieldCRF(**given).fit([(each, star) for each in nodes], y).certificate_
    assert found.primal == pytest.approx(wanted.primal, rel=1e-5) and found.dual <= wanted.primal
