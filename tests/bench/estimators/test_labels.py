"""Kinds of labels through each door: estimators, lists, DataFrames and files. They come back as they went in."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from structbench import datasets
from structbench.algorithms.black_boxes.examples import label_names
from structbench.algorithms.runtime.errors import UserError
from structbench.bench import python_data
from structbench.bench.estimators import ChainCRF, MulticlassCRF, SemiMarkovCRF

BIG = 2**53
DAYS = np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")


@pytest.fixture(autouse=True)
def _results(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))


def of_classes(labels):
    X = np.tile(np.eye(len(labels)), (3, 1))
    y = np.tile(labels, 3) if isinstance(labels, np.ndarray) else labels * 3
    model = MulticlassCRF(C=0.1).fit(X, y)
    assert model.score(X, y) == 1
    return model.classes_, [*model.predict(X[: len(labels)])]


def of_chains(labels):
    X = [[[f"a{k}"] for k in range(len(labels))]] * 3
    model = ChainCRF(C=0.1).fit(X, [labels] * 3)
    assert model.score(X, [labels] * 3) == 1
    return model.classes_, model.predict(X)[0]


def of_rows(labels):
    return built(([{k: 1.0} for k in range(1, len(labels) + 1)], labels))


def of_tokens(labels):
    return built(([[[f"a{k}"] for k in range(len(labels))]], [labels]))


def of_table(labels):
    return built(pd.DataFrame({"sentence": 0, "word": "w", "label": pd.Series([*labels], dtype=object)}))


def built(data):
    problem = datasets.build(python_data.named(data)[0])
    return [problem.labels[k] for k in problem.train.y.tolist()]


ESTIMATORS, PYTHON = [of_classes, of_chains], [of_rows, of_tokens, of_table]
KEPT = {  # labels in their order, the type of ``classes_``, and whether files have words for them
    "whole numbers": ([BIG, BIG + 1], np.int64, True),
    "whole numbers above 2^63": ([3, 2**63, 2**63 + 1], object, True),
    "uint64": (np.array([3, 2**63, 2**63 + 1], np.uint64), np.uint64, True),
    "int8": (np.array([-3, 4], np.int8), np.int8, True),
    "float32": (np.array([1, 2], np.float32), np.float32, True),
    "int and float": ([0, 1.0], object, True),
    "bool": ([False, True], np.bool_, True),
    "texts": (["a", "bc"], np.dtype("<U2"), True),
    "a text that ends in 0": (["a", "a\0"], object, True),
    "tuples": ([("a", 1), ("b", 0)], object, False),
    "tuples of different lengths": ([("a",), ("a", 1)], object, False),
    "bytes": ([b"a", b"b"], np.dtype("S1"), False),
    "dates": ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], object, False),
    "times": (DAYS, DAYS.dtype, False),
    "decimals": ([Decimal(1), Decimal("1.5")], object, False),
}
MISSING = [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), ("a", None)]
WRONG = [
    (
        [0, 1, True],
        "(example 2|token 2|row 2.*) has the label True .* has 1, which are equal but of the types bool and int",
    ),
    ([0, 1, 1.0], "which are equal but of the types float and int"),
    ([(0, 1), (1, 1), (True, 1)], r"equal but of the types \(bool, int\) and \(int, int\)"),
    ([1, "a"], r"the labels 1 \(int\) and 'a' \(str\) do not sort together"),
    ([frozenset("a"), frozenset("b")], r"\(frozenset\) do not sort together"),
    ([1j, 2j], r"1j \(complex\) and 2j \(complex\) do not sort"),
    ([0.0, np.inf], "(example 1|token 1|row 1.*): inf is no label: expected a finite number"),
    ([{}, {"a": 1}], "(example 0|token 0|row 0.*): {} is no label"),
]


def refused(sentence, make, *given):
    with pytest.raises(UserError, match=sentence):
        make(*given)


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("door", ESTIMATORS)
def test_estimators_give_labels_back_as_they_went_in(door, kind):
    given, dtype, _ = KEPT[kind]
    classes, predicted = door(given)
    assert classes.dtype == dtype and [*classes] == [*given] == predicted
    assert [*map(type, predicted)] == [*map(type, given if door is of_chains else classes)]


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("door", PYTHON)
def test_lists_and_tables_keep_labels_apart(door, kind):
    given, _, has_words = KEPT[kind]
    if not has_words:
        refused("no label: give a word", door, given)
        return
    by_value = door is of_rows and kind in ("float32", "int and float")
    assert door(given) == [str(int(each) if by_value else each) for each in given]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
@pytest.mark.parametrize("door", [*ESTIMATORS, *PYTHON])
def test_a_missing_label_is_refused_with_its_place(door, missing):
    refused("(example 1|token 1|row 1, column label): the label is missing", door, ["a", missing])


@pytest.mark.parametrize(("labels", "sentence"), WRONG)
@pytest.mark.parametrize("door", [*ESTIMATORS, *PYTHON])
def test_what_is_no_label_is_refused(door, labels, sentence):
    refused(sentence, door, labels)


def test_texts_that_a_file_of_numbers_would_merge_are_refused():
    refused("the label '1.0' would be read as the number 1: give '1', or 'class-1.0'", of_rows, ["1", "1.0", "2"])
    assert of_tokens(["1", "1.0", "2"]) == ["1", "1.0", "2"]


def test_files_compare_whole_numbers_by_value_and_words_as_they_are_written(tmp_path):
    labels = [f"{BIG}", f"{BIG + 1}", f"+{BIG + 1}", f"{BIG + 1}.0", "1", "+1", "1.0", "1e0", "-0", "0"]
    for kind in ("svmlight", "columns"):
        file = tmp_path / kind
        file.write_text("".join(f"{each} 1:1\n" if kind == "svmlight" else f"w {each}\n" for each in labels))
        problem = datasets.build(f"{kind}:{file}")
        found = [problem.labels[k] for k in problem.train.y.tolist()]
        assert found == ([f"{BIG}", *[f"{BIG + 1}"] * 3, *"111100"] if kind == "svmlight" else labels)


def test_tags_of_segments_are_distinct_and_missing_ones_are_refused():
    X, y = [[("a", "A"), ("b", "B"), ("c", "C")]] * 2, [["B-Y", "B-X", "O"]] * 2
    model = SemiMarkovCRF(C=0.1).fit(X, y)
    assert model.classes_.tolist() == ["B-X", "B-Y", "I-X", "I-Y", "O"] and model.predict(X) == y
    assert model.coef_.shape[0] == 3 and model.score(X, y) == 1
    for missing in MISSING:
        refused("example 0, token 1: the label is missing", SemiMarkovCRF().fit, X, [["B-X", missing, "O"]] * 2)
        refused("example 0, token 1: the label is missing", model.score, X, [["B-X", missing, "O"]] * 2)


@pytest.mark.parametrize("labels", [[("a", 1), ("b", 2)], [1, 2], ["a", "a\0"], ["", "a b"]], ids=repr)
def test_programs_that_have_only_texts_keep_labels_apart(labels):
    problem = ChainCRF()._problem([[["a"], ["b"]]] * 2, [labels] * 2)
    assert label_names(problem, problem.train) == ["1", "2"], "a file of lines, too, keeps them apart"
    model = ChainCRF(C=0.1, algorithm="crfsuite", tol=0.01).fit([[["a"], ["b"]]] * 2, [labels] * 2)
    assert model.predict([[["a"], ["b"]]]) == [labels]


def test_k_best_and_columns_have_the_labels_as_given():
    chain = ChainCRF(C=0.1).fit([[["a"], ["b"]]] * 2, [[("a", 1), ("b", 2)]] * 2)
    assert chain.predict_k_best([[["a"], ["b"]]], 1)[0][0].labels == [("a", 1), ("b", 2)]
    model = MulticlassCRF(C=0.1).fit(np.eye(2), np.array([[2**63], [2**63 + 1]], np.uint64).ravel())
    assert model.predict_proba(np.eye(2)).argmax(1).tolist() == [0, 1]
    assert model.predict(np.eye(2)).dtype == np.uint64


def test_dates_have_scores_by_label():
    X, y = [[{"w": "a"}, {"w": "b"}]] * 2, [DAYS, DAYS]
    found = ChainCRF(C=0.01).fit(X, y).scores_by_label(X, y)
    assert {*found} == {*DAYS} and all(row.f1 == 1 for row in found.values())
