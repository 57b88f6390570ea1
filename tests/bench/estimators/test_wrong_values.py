"""What is no number, no truth, no head or no label of a token is refused in a sentence."""

import datetime
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import structbench
from structbench import ChainCRF, DependencyParser, MulticlassCRF, SemiMarkovCRF
from structbench.algorithms.runtime.errors import UserError

X, Y = [["a", "b"], ["c"], ["a", "c", "b"]], [["X", "Y"], ["X"], ["X", "X", "Y"]]
ROWS, CLASSES = np.array([[1.0], [2.0], [3.0]]), [0, 1, 0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (np.array([["2020-01-01"], ["2020-01-02"], ["2020-01-03"]], "M8[D]"), "expected numbers, found times"),
        (np.array([[1], [2], [3]], "m8[s]"), "expected numbers, found durations"),
        (np.ma.array(ROWS, mask=ROWS == 2), "an array with masked values: fill them"),
    ],
)
def test_times_and_masked_values_are_no_numbers(given, sentence):
    with pytest.raises(UserError, match=sentence):
        MulticlassCRF().fit(given, CLASSES)
    with pytest.raises(UserError, match=sentence):
        ChainCRF().fit([given], [CLASSES])


@pytest.mark.parametrize("name", ["warm_start", "fit_intercept"])
def test_a_truth_is_true_or_false(name):
    with pytest.raises(UserError, match=f"^{name} must be True or False, not 'no'$"):
        MulticlassCRF(**{name: "no"}).fit(ROWS, CLASSES)
    MulticlassCRF(**{name: np.bool_(False)}, tol=0.1).fit(ROWS, CLASSES)


@pytest.mark.parametrize("weights", [np.ones(3, complex), ["1", "1", "1"], np.ones(3, "m8[s]")])
def test_weights_of_examples_are_real_numbers(weights):
    with pytest.raises(UserError, match="sample_weight must be numbers, one an example"):
        MulticlassCRF().fit(ROWS, CLASSES, weights)


@pytest.mark.parametrize(
    ("heads", "sentence"),
    [
        (
            ["2", "0"],
            "^example 0, word 1: expected the number of its head in y, such as 0 for the root, found '2'$",
        ),
        ([2.0, 0.0], "word 1: .*, found 2.0$"),
        ([True, False], "word 1: .*, found True$"),
        ([[1], [2, 3]], r"word 1: .*, found \[1\]$"),
        ([2], r"^example 0 has 2 words: expected as many whole numbers in y, found \[2\]$"),
    ],
)
def test_a_wrong_head_is_named(heads, sentence):
    with pytest.raises(UserError, match=sentence):
        DependencyParser().fit([[("a", "A"), ("b", "B")]], [heads])


def test_heads_may_be_in_any_collection_and_must_be_in_one():
    for wrong in (None, 3, "2 0"):
        with pytest.raises(UserError, match=r"^requires y to be passed, a list of the heads of each example"):
            DependencyParser().fit([[("a", "A"), ("b", "B")]], wrong)
    with pytest.raises(UserError, match=r"^X has 1 sentences: expected the heads of as many in y$"):
        DependencyParser().fit([[("a", "A"), ("b", "B")]], iter([[2, 0], [0]]))
    model = DependencyParser(max_passes=1, tol=1.0).fit(TREES, iter(HEADS))
    assert model.score(TREES, iter(HEADS)) == model.score(TREES, HEADS)


def test_an_example_that_is_a_table_is_not_read_by_the_names_of_its_columns():
    table = pd.DataFrame({"X": ["Y", "Y"], "Y": ["X", "X"]})
    with pytest.raises(UserError, match=r"^example 1 of y is a DataFrame: give a list of its labels$"):
        ChainCRF().fit([["a", "b"], ["c", "d"]], [["X", "Y"], table])
    with pytest.raises(UserError, match=r"^example 1 is a DataFrame: give a list of its tokens$"):
        ChainCRF().fit([["a", "b"], table], [["X", "Y"], ["X", "Y"]])


def test_a_scorer_takes_labels_of_all_kinds():
    accuracy = structbench.scorer("accuracy")
    kinds = {
        "tuple": lambda k: (k, 1),
        "date": lambda k: datetime.date(2020, 1, "XY".index(k) + 1),
        "number": "XY".index,
        "truth": "X".__eq__,
    }
    for kind in kinds.values():
        said, gold = ([[kind(k) for k in each] for each in of] for of in (Y, [["Y", "Y"], *Y[1:]]))
        known = np.empty(2, object)
        known[:] = sorted(map(kind, "XY"))
        assert accuracy(SimpleNamespace(classes_=known, predict=lambda X, said=said: said), X, gold) == 5 / 6
    trees = SimpleNamespace(classes_=np.array([]), predict=lambda X: [[2, 0], [0]])
    assert accuracy(trees, X[:2], [[0, 1], [0]]) == 1 / 3
    grids = SimpleNamespace(classes_=np.array([0, 1]), predict=lambda X: [np.array([[0, 1], [1, 1]])])
    assert (
        accuracy(grids, X[:1], [[[0, 1], [1, 0]]]) == accuracy(grids, X[:1], [np.array([[0, 1], [1, 0]])]) == 0.75
    )


def test_a_scorer_refuses_labels_of_other_examples():
    model = SimpleNamespace(classes_=np.array(["X", "Y"]), predict=lambda X: Y)
    for gold, sentence in {
        "shifted": ([["X"], ["Y", "X"], ["X", "X", "Y"]], "^example 0 has 2 decisions: .* in y, found 1$"),
        "short": (Y[:2], "^X has 3 examples, y has 2$"),
    }.values():
        with pytest.raises(UserError, match=sentence):
            structbench.scorer("accuracy")(model, X, gold)


def test_a_class_of_ones_own_may_pass_its_parameters_on():
    class Own(ChainCRF):
        def __init__(self, **given):
            super().__init__(**given)

    assert Own(C=3).C == 3
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        Own(c=3)


TREES, HEADS = [[("the", "D"), ("dog", "N"), ("barks", "V")], [("dogs", "N"), ("bark", "V")]], [[2, 3, 0], [2, 0]]
CHUNKS = [["B-NP", "I-NP", "B-VP"], ["B-NP", "B-VP"]]


@pytest.mark.parametrize(
    ("model", "y", "later"),
    [
        (SemiMarkovCRF(max_length=2), CHUNKS, [{"max_length": 1}, {"max_length": None}]),
        (DependencyParser(), HEADS, [{"structure": "nonprojective"}, {"structure": None}]),
    ],
)
def test_what_is_set_after_fit_is_for_the_next(model, y, later):
    model.set_params(max_passes=5, tol=1.0).fit(TREES, y)
    best, marginals = model.predict(TREES), model.predict_marginals(TREES)
    for given in later:
        model.set_params(**given)
        assert model.predict(TREES) == best and model.predict_k_best(TREES, 2)[0][0].labels == best[0]
        for found, wanted in zip(model.predict_marginals(TREES), marginals, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_heads_have_no_scores_by_label():
    with pytest.raises(UserError, match=r"^heads have no scores by label: take score"):
        DependencyParser(max_passes=1, tol=1.0).fit(TREES, HEADS).scores_by_label(TREES, HEADS)


def test_a_value_that_is_no_number_has_a_place():
    model = MulticlassCRF(tol=0.1).fit(ROWS, CLASSES)
    wrong = {"{'w': 'x'} in row 0": [{"w": "x"}], "{} in row 1, column 0": np.array([[2.0], [{}]], object)}
    for place, odd in wrong.items():
        for kind in (UserError, TypeError):
            with pytest.raises(
                kind, match=f"^expected numbers, found {place}.* must be a string or a real number"
            ):
                model.predict(odd)
