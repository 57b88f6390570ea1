"""What is wrong in X is named with its place, as the user counts: empty sequences count, too."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from structbench import CRF, ChainCRF, DependencyParser, FieldCRF, MulticlassCRF, SemiMarkovCRF, StructuredSVM
from structbench.algorithms.runtime.errors import UserError

NAN, INF = float("nan"), float("inf")
TABLE = pd.DataFrame({"length": [1.0, NAN], "width": [1.0, 2.0]})


@pytest.mark.parametrize(
    "model, X, y, sentence",
    [
        (MulticlassCRF(), [[1, 2], [3, None]], [0, 1], "expected finite numbers, found NaN in row 1, column 1"),
        (MulticlassCRF(), TABLE, [0, 1], "expected finite numbers, found NaN in row 1, column length"),
        (MulticlassCRF(), sp.csr_array([[0, 0], [0, -INF]]), [0, 1], "found -infinity in row 1, column 1"),
        (MulticlassCRF(), [[1, 2], ["x", 3]], [0, 1], "expected numbers, found 'x' in row 1, column 0"),
        (MulticlassCRF(), [[1, 2], [3]], [0, 1], "of the same length: row 0 has 2 values, row 1 has 1"),
        (MulticlassCRF(), [[1, [2]], [3, 4]], [0, 1], "expected rows of numbers, found lists within rows"),
        (MulticlassCRF(), [["5.1", "3"], ["4.9", "2"]], [0, 1], "the texts ['5.1', '3'] are numbers: give"),
        (ChainCRF(), [[], [["5.1"], ["4.9"]]], [[], [0, 1]], "the texts ['5.1'] are numbers: give numbers"),
        (MulticlassCRF(), [["5", "3"], ["4.9", "2"]], [0, 1], "the texts ['5', '3', '4.9', '2'] are numbers"),
        (ChainCRF(), [[["5"], ["4.9"]]], [[0, 1]], "the texts ['5', '4.9'] are numbers: give numbers"),
        (ChainCRF(), [[], [[1], [NAN]]], [[], [0, 1]], "found NaN in example 1, row 1, column 0"),
        (ChainCRF(), [[], [[1, 2], [3]]], [[], [0, 1]], "example 1: expected rows of the same length: row 0"),
        (ChainCRF(), [[], np.ones((2, 2)), np.ones((1, 3))], [[], [0, 1], [0]], "3 features, .* (example 2)"),
        (ChainCRF(), [[], ["a", None]], [[], [0, 1]], "example 1, token 1: expected a text a token"),
        (SemiMarkovCRF(), [[], [("a", "b"), ("a",)]], [[], ["O", "O"]], "example 1, token 1: expected 2 texts"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(model, X, y, sentence):
    pattern = sentence.translate({ord(letter): f"\\{letter}" for letter in "()[]"})
    with pytest.raises(UserError, match=pattern):
        model.fit(X, y)


def test_examples_to_be_labelled_are_counted_with_the_empty_ones():
    words = ChainCRF().fit([["a", "b"]], [[0, 1]])
    with pytest.raises(UserError, match="example 1, token 0: expected a text a token, as for the"):
        words.predict([[], [("a", "b")]])


def test_names_of_attributes_may_be_whole_numbers():
    model = MulticlassCRF().fit([["17", "4"], ["5", "4"]], ["a", "b"])
    assert model.feature_names_out_.tolist() == ["17", "4", "5"] and [*model.predict([["17"], ["5"]])] == [
        "a",
        "b",
    ]


def test_columns_of_all_tables_have_the_same_names():
    one = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]})
    other, y = one[["b", "a"]], [["x", "y"]] * 2
    with pytest.raises(UserError, match="the columns of the first example: a, b, found b, a in example 1"):
        ChainCRF().fit([one, other], y)
    model = ChainCRF().fit([one, one], y)
    with pytest.raises(UserError, match="passed during fit: expected a, b, found b, a in example 1"):
        model.predict([one, other])


@pytest.mark.parametrize("make", [ChainCRF, StructuredSVM, CRF, SemiMarkovCRF, DependencyParser, FieldCRF])
def test_a_table_is_no_list_of_examples_nor_of_labels(make):
    X, y = [[("a", "A"), ("b", "B")]] * 2, [["B-X", "O"]] * 2
    if make is DependencyParser:
        y = [[2, 0]] * 2
    elif make in (CRF, FieldCRF):
        X = [[{"w": "a"}, {"w": "b"}]] * 2
    X = [(each, [(0, 1)]) for each in X] if make is FieldCRF else X
    table, model = pd.DataFrame({"f1": ["a", "b"], "f2": ["c", "d"]}), make().fit(X, y)
    said = "X is a DataFrame: group it by sentence into lists, or use structbench.run"
    said = "expected a list of graphs, found DataFrame: expected" if make is FieldCRF else said
    for use in (lambda: make().fit(table, y), lambda: model.predict(table), lambda: model.score(table, y)):
        with pytest.raises(UserError, match=said):
            use()
    for use in (make().fit, model.score):
        with pytest.raises(
            UserError, match=r"y is a DataFrame: give a list of the (labels|heads) of each example"
        ):
            use(X, table)


@pytest.mark.parametrize(
    ("model", "X", "y", "wrong"),
    [
        (ChainCRF(), [[NAN, "dog"]], [["x", "y"]], "'dog' in row 1: all"),
        (ChainCRF(), [["a"], [b"the", b"dog"]], [["x"], ["x", "y"]], "example 1, token 0"),
        (ChainCRF(), [[b"the", b"dog"]], [["x", "y"]], "b'the' in row 0"),
        (MulticlassCRF(), [1, "x"], [0, 1], "'x' in row 1"),
    ],
)
def test_what_is_neither_words_nor_rows_of_numbers(model, X, y, wrong):
    with pytest.raises(UserError, match=wrong):
        model.fit(X, y)


def test_words_for_a_model_of_numbers():
    model = ChainCRF().fit([np.eye(2)] * 2, [["x", "y"]] * 2)
    with pytest.raises(UserError, match="expected numbers, found 'the' in row 0"):
        model.predict([["the", "dog"]])


def test_numbers_of_numpy_bound_segments_and_graphs():
    y = [["B-X", "O"]] * 2
    assert SemiMarkovCRF(max_length=np.int64(3)).fit([[("a", "A"), ("b", "B")]] * 2, y).n_iter_
    for wrong in (True, 0, 1.5):
        with pytest.raises(UserError, match=f"max_length must be a whole number above 0, not {wrong}"):
            SemiMarkovCRF(max_length=wrong).fit([[("a", "A"), ("b", "B")]] * 2, y)
