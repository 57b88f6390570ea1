"""The svmlight format."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import svmlight
from tests.datasets.matrices import array_of
from tests.narrowing import not_none

TEXT = "1 1:0.5 3:2\n2 7:1 # a comment\n10 3:-1\n"


def build(path, test=None):
    return svmlight.load(None, path=path, test=test)


def matrix(split):
    return array_of(split.x)


def test_values_labels_and_columns(written):
    problem = build(written(TEXT))
    assert problem.labels == ("1", "2", "10"), "as numbers, not as words"
    assert problem.train.y.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(matrix(problem.train), [[0.5, 2, 0], [0, 0, 1], [0, -1, 0]])
    assert problem.test is None


def test_indices_in_any_order_from_0_on(written):
    problem = build(written("a 5:1 0:2\nb 0:3\n"))
    assert problem.labels == ("a", "b")
    np.testing.assert_array_equal(matrix(problem.train), [[2, 1], [3, 0]])


def test_one_name_for_a_number_and_words_as_they_are_written(written):
    problem = build(written("+1 1:1\n-1 1:1\n1.0 1:1\n1e0 1:1\n0.5 1:1\n"), written("1.00 1:1\nx 1:1\n", "test"))
    assert problem.labels == ("-1", "0.5", "1")
    assert problem.train.y.tolist() == [2, 0, 2, 2, 1]
    assert problem.test.y.tolist() == [2, -1]
    for word in ("x", "1_0"):
        assert build(written(f"1 1:1\n1.0 1:1\n{word} 1:1\n")).labels == tuple(sorted(["1", "1.0", word]))


@pytest.mark.parametrize("last", ["7", "7000"])  # indices are looked up in a table, or searched if they are large
def test_unseen_features_are_dropped_and_unseen_labels_are_minus_one(written, last):
    problem = build(written(TEXT.replace("7", last)), written("3 1:4 2:5 9999:6\n2\n", "test"))
    assert problem.test.y.tolist() == [-1, 1]
    np.testing.assert_array_equal(matrix(problem.test), [[4, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("# only this\n", " has no examples: expected lines such as '3 1:0.5 7:1'"),
        ("1 1:1\n2 1:1\n-inf 1:1\n", ", line 3: '-inf' is no label: expected a finite number"),
        ("1 1:1\n1e999 1:1\n", ", line 2: '1e999' is no label"),
        ("1 1:1\n1 1:2\n", ": expected at least two classes, found only '1'"),
        ("1\n2\n", ": expected features, index:value, found none on any line"),
        ("1 1:1\n2 \u0661:1\n", ", line 2: expected a whole number from 0 to 10^18 - 1 before the colon"),
        ("1 1:1\n2 1:\u0662\n", ", line 2: expected a finite number after the colon, found"),
        ("C 1:1\nC# 1:2 2:3\n", ", line 2: expected a label without #, which begins a comment, found 'C#'"),
        ("C 1:1\n#no\n\tC#1:2\n", ", line 3: expected a label without #, which begins a comment, found 'C#1:2'"),
        ("1 1:1\n2\u00a01:1\n", ", line 2: expected a label first, found"),
    ],
)
def test_what_no_line_alone_does_wrong(written, data, message):
    path = written(data)
    with pytest.raises(UserError) as caught:
        build(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_comment_begins_behind_the_label(written):
    problem = build(written("C 1:1#a\n#b\n # c\nD #e\nC\t# f\n"))
    known = not_none(problem.vocabulary)
    assert problem.labels == ("C", "D") and problem.train.y.tolist() == [0, 1, 0]
    with pytest.raises(UserError, match=r"^new, line 2: expected a label without #"):
        svmlight.encode(b"1:1#a\nC# 1:1\n", "new", problem.labels, known)
    assert svmlight.encode(b"1:1#a\n#b\nC #1:1", "new", problem.labels, known).after[0] == " 1:1 #a"


def test_a_whole_number_of_any_size_is_a_label(written):
    long = "1" + 400 * "0"
    assert build(written(f"{long} 1:1\n2 1:1\n")).labels == ("2", long)
