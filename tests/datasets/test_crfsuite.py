"""CRFsuite's format."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import crfsuite
from tests.datasets.matrices import array_of

LONG = b"A\tx\nB\tx\n\n" + b"A\n" * 100_001
TEXT = "B\tx\ty:2\nI\tx\n\nO\tz:0.5\n"


def build(path, test=None):
    return crfsuite.load(None, path=path, test=test)


def matrix(split):
    return array_of(split.x)


def test_values_and_numbering(written):
    problem = build(written(TEXT))
    assert problem.labels == ("B", "I", "O")
    assert problem.train.y.tolist() == [0, 1, 2]
    assert problem.train.starts.tolist() == [0, 2, 3]
    np.testing.assert_array_equal(matrix(problem.train), [[1, 2, 0], [1, 0, 0], [0, 0, 0.5]])
    assert problem.test is None


@pytest.mark.parametrize(
    ("field", "row"),
    [
        ("a", [1]),
        ("a:3", [3]),
        ("a:-1e-1", [-0.1]),
        ("a:", [1]),
        ("a:1\ta:2", [3]),
        ("a\t\tb", [1, 1]),
        (r"a\:1", [1]),
        (r"a\:1:2", [2]),
        ("a\ta\\\\:5", [1, 5]),
        ("a\tb\\c", [1, 1]),
        ("a\ta\\", [1, 1]),
    ],
)
def test_one_line(written, field, row):
    problem = build(written(f"A\t{field}\nB\n"))
    np.testing.assert_allclose(matrix(problem.train), [row, np.zeros(len(row))])


def test_escaped_names_are_the_names_that_they_stand_for(written):
    """A backslash has two spellings."""
    text = "A\ta\\:b:2\tc\\\\d:5\nB\ta\\:b:3\tc\\d:4\n"
    problem = build(written(text), written("A\ta\\:b\nB\ta:1\n", "test"))
    np.testing.assert_array_equal(matrix(problem.train), [[2, 5], [3, 4]])
    np.testing.assert_array_equal(matrix(problem.test), [[1, 0], [0, 0]])


def test_unseen_attributes_are_dropped_and_unseen_labels_are_minus_one(written):
    problem = build(written(TEXT), written("O\tnew\tx\nNEW\ty\n", "test"))
    assert problem.test.y.tolist() == [2, -1]
    np.testing.assert_array_equal(matrix(problem.test), [[1, 0, 0], [0, 1, 0]])
    assert problem.labels == ("B", "I", "O")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(LONG, " has a sequence of 100,001 tokens: expected at most 100,000", id="long"),
        (b"A\tx\n", ": expected at least two labels, found only 'A'"),
        (b"A\tA:1\nA:1\tx:y\n", ", line 2: expected a label, its colons written"),
        (b"A\tx:y\nA:1\tx\n", ", line 1: expected attribute:value with a finite value"),
        (b"A\tx:1e308\nB\ty\tx:1e308\tx:1e308\n", ", line 2: values of an attribute add up to more than 1.8e308"),
    ],
)
def test_what_no_word_alone_does_wrong(written, data, message):
    path = written(data)
    with pytest.raises(UserError) as caught:
        build(path)
    assert str(caught.value).startswith(f"{path}{message}")


# ---- new lines -------------------------------------------------------------------------------------

LEARNED = "B\tx\ty:2\nB\tO\nI\tx\n\n\\:\tz:0.5\tw\\:=a\n"  # O is an attribute, and no label


def encoded(written, text):
    problem = build(written(LEARNED))
    assert problem.vocabulary
    return crfsuite.encode(text.encode(), "new.txt", problem.labels, problem.vocabulary)


@pytest.mark.parametrize(
    ("text", "rows", "after"),
    [
        ("x\ty:3\nz\n", [[1, 3, 0, 0, 0], [0, 0, 0, 1, 0]], ["\tx\ty:3", "\tz"]),  # without labels
        ("new\tx\nx:4\ty\n", [[1, 0, 0, 0, 0], [4, 1, 0, 0, 0]], ["\tnew\tx", "\tx:4\ty"]),  # an attribute is new
        ("w\\:=a:3\r\n\r\nO\n", [[0, 0, 0, 0, 3], [0, 0, 1, 0, 0]], ["\tw\\:=a:3", "\tO"]),
        ("B\tx\nNEW\ty:3\n", [[1, 0, 0, 0, 0], [0, 3, 0, 0, 0]], ["\tx", "\ty:3"]),  # a label is new
        ("\tx\n\t\n", [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]], ["\tx", "\t"]),
        ("\\:\tx\nI\n", [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]], ["\tx", ""]),
    ],
)
def test_labels_and_attributes_that_the_model_knows_tell_what_begins_a_line(written, text, rows, after):
    new = encoded(written, text)
    np.testing.assert_array_equal(matrix(new.split), rows)
    assert new.after == after and new.before == [""] * len(after)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B\tx\n\nx\ty\n", "line 1 begins with a label of the model, line 3 with an attribute"),
        ("x\n\tx\n", "line 2 begins with a label of the model, line 1 with an attribute"),
        ("?\tx\n?\ty\n", "no line begins with what is only a label, or only an attribute, of the model"),
    ],
)
def test_new_lines_that_do_not_tell_are_refused(written, text, message):
    with pytest.raises(UserError) as caught:
        encoded(written, text)
    assert str(caught.value) == f"new.txt: {message}: begin each line with its label, or each with a tab"


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_without_ends_of_sequences_is_doubted(written, end, capsys):
    build(written("A\tx\nB\ty\n" * 200 + end))
    assert "is a single sequence of 400 tokens: an empty line ends a sequence" in capsys.readouterr().err


def test_a_name_that_a_list_has_twice_counts_twice_as_in_a_file():
    assert crfsuite.written([[["ng=a", "ng=n", "ng=a"]]]) == "\tng=a:1.0\tng=n:1.0\tng=a:1.0\n"
