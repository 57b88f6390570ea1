"""Data that Python holds: the problem is that of a file with the same lines."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import structbench
from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench import python_data
from structbench.bench.estimators.attributes import Attributes
from structbench.bench.notebook import run
from structbench.bench.runs import results
from tests.narrowing import not_none

NAN, INF = float("nan"), float("inf")
TABLE = pd.DataFrame(
    {"sentence": [7, 7, 2], "word": ["The", "dog", "runs"], "pos": ["DT", "NN", "VB"], "label": ["B", "I", "O"]}
)
TOKENS = [[{"w=the": 1.0}, ["w=dog", "a:b"]], [{"w=runs": 0.5}]]


@pytest.fixture(autouse=True)
def _results(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))


def text_of(data: str) -> str:
    with open(not_none(datasets.data_ref(data).path)) as file:
        return file.read()


def test_a_table_is_columns_with_a_sentence_for_each_number():
    data, test = python_data.named(TABLE, TABLE)
    assert text_of(data) == "The DT B\ndog NN I\n\nruns VB O\n"
    assert data == f"columns:{test},names=word pos label", "the same table is one file"
    problem = datasets.build(data, test)
    assert problem.labels == ("B", "I", "O") and parts.label_sequences(problem.train).starts.tolist() == [0, 2, 3]


def test_a_model_of_a_table_labels_tables():
    made = run(TABLE, "lbfgs", loss="log", C=0.01, passes=30)
    new = TABLE.drop(columns="label")
    assert made.predict(new) == made.predict([[("The", "DT"), ("dog", "NN")], [("runs", "VB")]])
    assert made.predict(new) == [["B", "I"], ["O"]]
    with pytest.raises(UserError, match="the columns sentence, word, label: it needs pos, too"):
        made.predict(TABLE.drop(columns="pos"))
    other = run("toy-english:sentences=20", "lbfgs", loss="log", C=1.0, passes=1)
    with pytest.raises(
        UserError, match=r"labels no DataFrame: give lists of words, such as \[g.word.tolist\(\) for"
    ):
        other.predict(TABLE)


def test_whole_numbers_and_truths_in_a_table_are_words():
    for dtype in (bool, object):
        pos = pd.Series([True, False, True], dtype=dtype)
        data, _ = python_data.named(TABLE.assign(pos=pos, label=[0, 10, 0]))
        assert text_of(data) == "The True 0\ndog False 10\n\nruns True 0\n"
    data, _ = python_data.named(TABLE.assign(pos=pd.Series([1, 2, 3], dtype=object)))
    assert text_of(data).startswith("The 1 B")


def test_sequences_of_attributes_are_crfsuites():
    data, _ = python_data.named((TOKENS, [["B:x", "I"], ["O"]]))
    problem = datasets.build(data)
    assert problem.labels == ("B:x", "I", "O") and not_none(problem.vocabulary)["nodes"] == [
        "w=the",
        "w=dog",
        "a:b",
        "w=runs",
    ]
    assert parts.label_sequences(problem.train).x.values.tolist()[-1] == 0.5


def test_a_set_of_names_is_the_same_data_in_each_process():
    names = [f"w={k}" for k in range(10, 40)]
    data, _ = python_data.named(([[{*names}, frozenset(names)]], [["B", "I"]]))
    wanted = "\t".join(f"{name}:1.0" for name in names)
    assert text_of(data) == f"B\t{wanted}\nI\t{wanted}\n"
    with pytest.raises(UserError, match="example 0, token 0: 5 is no name of an attribute"):
        python_data.named(([[{"w", 5}]], [["B"]]))


@pytest.mark.parametrize(
    ("tokens", "text"), [("the", "the D\ndog N\n\nruns V\n"), (("the", "DT"), "the DT D\ndog DT N\n\nruns DT V\n")]
)
def test_words_are_columns_as_for_estimators(tokens, text):
    words = [["the", "dog"], ["runs"]]
    if isinstance(tokens, tuple):
        words = [[(word, "DT") for word in each] for each in words]
    data, _ = python_data.named((words, [["D", "N"], ["V"]]))
    assert text_of(data) == text and data.startswith("columns:")
    assert datasets.build(data).labels == ("D", "N", "V")


@pytest.mark.parametrize("odd", [{"w": 1}, ["x"], (), ("a", "b"), 5, None, NAN])
def test_tokens_are_of_one_kind(odd):
    with pytest.raises(UserError, match=r"^example 1, token 1: expected a text a token, as for the first, found"):
        python_data.named(([["a"], ["the", odd]], [["D"], ["D", "N"]]))
    for other in ("x", ("x",), ("x", 5), ("x", None)):
        with pytest.raises(UserError, match=r"^example 0, token 1: expected 2 texts a token, found"):
            python_data.named(([[("the", "DT"), other]], [["D", "N"]]))


@pytest.mark.parametrize(
    ("token", "said"),
    [
        *(({"w": value}, "the attribute 'w' must be finite, found") for value in (NAN, -INF, 10**400)),
        *(
            ({"w": value}, "expected a number or text for 'w', or several, found")
            for value in (None, pd.NA, pd.NaT, [NAN], ["a", None])
        ),
        ({"w": {"x": NAN}}, "the attribute 'w=x' must be finite, found nan"),
        *((token, "expected a dict of values or a list of names for each token, found") for token in (None, NAN)),
        *((token, "(None|5) is no name of an attribute") for token in (["a", None], {5: 1.0})),
        (("a", None), "is a tuple: give a dict"),
        ("a", "the token 'a' is a text"),
    ],
)
def test_what_is_no_attribute_is_named_with_its_place(token, said):
    X, y = [[{"w": 1.0}], [{"w": 2.0}, token]], [["a"], ["a", "b"]]
    with pytest.raises(UserError, match=f"^example 1, token 1: .*{said}"):
        python_data.named((X, y))
    made = structbench.run((X[:1] * 2, [["a"], ["b"]]), "lbfgs", loss="log", C=1.0, passes=1)
    with pytest.raises(UserError, match=f"^example 1, token 1: .*{said}"):
        made.predict(X)


def test_texts_and_dicts_describe_attributes_as_for_estimators():
    tokens = [{"w": "the", "n": 2.5, "t": ["a", "b"], "in": {"x": "y", "z": True}}, {"s": {"c", "b"}}]
    data, _ = python_data.named(([tokens], [["D", "N"]]))
    split = parts.label_sequences(datasets.build(data).train)
    ours, theirs = Attributes(), not_none(datasets.build(data).vocabulary)["nodes"]
    x = ours.fit([tokens])
    assert [*theirs] == [*ours.names] and split.x.values.tolist() == x.values.tolist()


TWICE = sp.csr_array(([0.25, 0.25, 2.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))  # two entries of one cell add up


@pytest.mark.parametrize(
    "make", [np.array, list, sp.csr_array, pd.DataFrame, lambda x: TWICE, lambda x: [{1: 0.5}, {2: 2.0}]]
)
def test_rows_are_svmlights(make):
    data, _ = python_data.named((make([[0.5, 0.0], [0.0, 2.0]]), np.array([3, 1])))
    assert text_of(data) == "3 1:0.5\n1 2:2.0\n" and data.startswith("svmlight:")


@pytest.mark.parametrize(
    ("data", "test", "sentence"),
    [
        (3, None, "data is of type int: give the name of a data set, a DataFrame"),
        ("mnist", TABLE, "test must be the path of a file, as data is a name"),
        (
            TABLE,
            (TOKENS, [["a", "b"], ["a"]]),
            "test must have the form of data: columns,names=word pos label, not crf",
        ),
        (TABLE.drop(columns="sentence"), None, "has the columns word, pos, label: it needs sentence"),
        (TABLE.assign(pos=["c", "a b", "d"]), None, "row 1, column pos: 'a b' is no cell of a token"),
        (TABLE.assign(pos=["c", "d", ""]), None, "row 2, column pos: '' is no cell of a token"),
        (TABLE.assign(pos=["c", 1.5, "d"]), None, "row 1, column pos: 1.5 is no cell of a token"),
        (TABLE.set_axis(["sentence", "word", "word", "label"], axis=1), None, "has the column 'word' twice"),
        (TABLE.set_axis(["sentence", "word", "label", "label"], axis=1), None, "has the column 'label' twice"),
        (TABLE, "x1.sv", r"test must have the form of data, a DataFrame or a pair \(X, y\), not 'x1.sv'"),
        (TABLE, 3, "test is of type int"),
        ((np.eye(3), [0, 1, 2]), (np.eye(2), [0, 1]), "data has 3 columns, and test 2: give equally many"),
        (([[1, 2]], [0]), (sp.csr_array([[1]]), [0]), "data has 2 columns, and test 1: give equally many"),
        ((TOKENS, [["a", "b"]]), None, "2 examples have 1 lists of labels"),
        ((TOKENS, [["a"], ["b"]]), None, "example 0 has 2 tokens and 1 labels"),
        ((TOKENS, [["a", "b c"], ["a"]]), None, "'b c' is no label: give a word without blanks"),
        (([["x"], ["y"]], [0, 1]), None, r"\['x'\] is no row: expected numbers"),
        (([], []), None, "data has no examples"),
        (
            ([{1: 1.0}, {2: 1.0}], ["C#", "C"]),
            None,
            "'C#' is no label: give a word without blanks, line ends, # and",
        ),
        (([["a b"]], [["DT"]]), None, "'a b' is no cell of a token"),
        (([["the", "dog"]], [["DT"]]), None, "example 0 has 2 tokens and 1 labels"),
        (([["the"], None], [["a"], ["b"]]), None, "^example 1 is no sequence of tokens, it is None"),
        (([["the"], ["a"]], [["a"], NAN]), None, "^example 1 is no sequence of labels, it is nan"),
        (([{1: 1.0}, {1: None}], [0, 1]), None, "^example 1 has the value None: expected finite numbers"),
        (([{1: 1.0}, {1: np.float32(NAN)}], [0, 1]), None, "^example 1 has the value nan: expected finite"),
        (([{1: 1.0}, {1: 10**400}], [0, 1]), None, "^example 1 has the value 10*: expected finite numbers"),
        (([{1: 1.0}, {"w": 1.0}], [0, 1]), None, "^example 1 has the index 'w': expected a whole number"),
        (([[1.0], [10**400]], [0, 1]), None, "^example 1: .* is no row: expected numbers"),
        ((np.array([[1.0], [NAN]]), [0, 1]), None, "^example 1 has the value nan: expected finite numbers"),
        (([{1: 1.0}], None), None, "data cannot be read"),
        (
            ([[0, 1], [1, 0]], ["01", "2"]),
            None,
            "the label '01' would be read as the number 1: give '1', or 'class-01'$",
        ),
        (
            ([[0, 1], [1, 0]], np.array(["5", "1e3"])),
            None,
            "the label '1e3' would be read as the number 1000: give",
        ),
        (([[0, 1], [1, 0]], ["1", "1.0"]), None, "the label '1.0' would be read as the number 1: give"),
        (TABLE.assign(pos=["a", "b", None]), None, "row 2, column pos, is empty: expected a word"),
        (TABLE.assign(sentence=[1, None, 2]), None, "sentence has empty cells"),
        (TABLE.iloc[:0], None, "the DataFrame has no rows: expected a row a token"),
        (TABLE.assign(sentence=[1, 2, 1]), None, "sentence 1 begins in row 0 and again in row 2: give each"),
        (([[1.0, None], [2.0, 3.0]], [0, 1]), None, "^example 0: .*None.* is no row: expected numbers"),
        (([[1.0, ""], [2.0, 3.0]], [0, 1]), None, "is no row: expected numbers"),
        (([[1.0, 2.0], [1.0]], [0, 1]), None, "of the same length: row 0 has 2 values, row 1 has 1"),
        (
            ([["5.1", "2"], ["3.1", "1"]], [0, 1]),
            None,
            r"texts \['5.1', '2'\] are numbers: give numbers",
        ),
        (([[["5.1", "2"], ["3.1", "1"]]], [["a", "b"]]), None, "are numbers: give numbers, not texts"),
        (([[["5", "2"], ["3.1", "1"]]], [["a", "b"]]), None, "are numbers: give numbers, not texts"),
        (
            (pd.DataFrame({"a": [0, 1], "b": [1, 2]}), [0, 1]),
            (pd.DataFrame({"b": [1, 2], "a": [0, 1]}), [0, 1]),
            "data has the column 'a' where test has 'b': give the same columns in one order",
        ),
        (
            TABLE.assign(label=[0, 1, 0]),
            TABLE.assign(label=[0.0, 1.0, 0.0]),
            "test has the label 0.0 and data has 0, which are equal but of the types float and int",
        ),
        (([["a"], ["b"]], [[0], [1]]), ([["a"]], [[True]]), "test has the label True and data has 1, which are"),
        (([[1.0], [2.0]], [True, False]), ([[1.0]], [1]), "test has the label 1 and data has True, which are"),
        (([["5", "2"], ["3", "1"]], [0, 1]), None, r"\['5', '2'\] is no row: expected numbers"),
        (TABLE.assign(pos=["a\n", "c", "d"]), None, "without blanks and line ends"),
        (
            TABLE.rename(columns={"pos": "part of speech"}),
            None,
            "'part of speech' has no name that templates can use",
        ),
    ],
)
def test_other_forms_are_refused_in_a_sentence(data, test, sentence):
    with pytest.raises(UserError, match=sentence):
        python_data.named(data, test)


@pytest.mark.parametrize(
    "make", [np.array, list, sp.csr_array, pd.DataFrame, lambda x: [{1: 0.5}, {2: 2.0}], lambda x: iter(x)]
)
def test_a_run_of_rows_labels_the_same_rows(make):
    X = [[0.5, 0.0], [0.0, 2.0]]
    made = structbench.run((np.array(X), ["a", "b"]), "lbfgs", loss="log", C=0.1, passes=20)
    assert made.predict(make(X)) == ["a", "b"]
    assert made.predict(pd.DataFrame(X, columns=["sentence", "words"])) == ["a", "b"]
    for odd, sentence in {
        "short": ([[0.5, 0.0], [0.5]], "^expected rows of the same length: row 0 has 2 values, row 1 has 1$"),
        "names": (
            [["a", "b"]],
            r"^example 0: \['a', 'b'\] is no row: expected numbers, or a dict of values by index$",
        ),
        "none": (5, r"these are no examples .* dicts of values by index, from 1 on where rows were numbers\.$"),
    }.values():
        with pytest.raises(UserError, match=sentence):
            made.predict(odd)


@pytest.mark.parametrize("labels", [["1", "-0.5"], ["01", "x"], [1.0, 2.0], [1, 20]])
def test_labels_that_come_back_as_they_were_are_taken(labels):
    data, _ = python_data.named(([[0, 1], [1, 0]], labels))
    assert {*datasets.build(data).labels} == {f"{y:g}" if isinstance(y, float) else str(y) for y in labels}


def test_labels_of_training_decide_how_those_of_the_test_split_are_read():
    _, test = python_data.named(([[0, 1], [1, 0]], ["1.0", "x"]), ([[0, 1]], ["1.0"]))
    assert text_of(f"svmlight:{test}").startswith("1.0 ")


@pytest.mark.parametrize("labels", [[0.0, 1.0], np.array([0, 1], np.int8)])
def test_labels_of_rows_may_be_whole_or_not(labels):
    X = np.eye(2)
    data, test = python_data.named((X, [0, 1]), (pd.DataFrame(X, columns=["a", "b"]), labels))
    assert text_of(data) == "0 1:1.0\n1 2:1.0\n" and len(set(datasets.build(data, test).labels)) == 2


def test_a_column_of_labels_is_a_label_each():
    X, y = np.eye(2), np.array(["a", "b"])
    (plain, _), *others = (python_data.named((X, each)) for each in (y, y[:, None], pd.DataFrame({"y": y})))
    assert others == [(plain, None)] * 2
    words, _ = python_data.named(([["the"], ["dog"]], np.array([["D"], ["N"]])))
    assert text_of(words) == "the D\n\ndog N\n", "a label a token"


def test_a_list_of_tables_is_not_read_by_the_names_of_their_columns():
    table = pd.DataFrame({"D": ["the", "a"], "N": ["dog", "cat"]})
    words, labels = ["the", "dog"], ["D", "N"]
    for X, y, sentence in (
        ([words, table], [labels] * 2, "example 1 is a DataFrame: give a list of its tokens"),
        ([words, words], [labels, table], "example 1 is a DataFrame: give a list of its labels"),
        ([words, words], table, "y is a DataFrame: give a list of the labels of each example"),
    ):
        with pytest.raises(UserError, match=f"^{sentence}$"):
            python_data.named((X, y))
