"""CRFsuite's format."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import chunks

TEXT = "B\tx\ty:2\nI\tx\n\nO\tz:0.5\n"


def build(path, test=None):
    return datasets.build(f"crfsuite:{path}", test)


def matrix(split):
    return features.as_matrix(split.x).toarray()


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
    problem = build(written("A\ta\\:b:2\nB\ta\\:b:3\n"), written("A\ta\\:b\nB\ta:1\n", "test"))
    np.testing.assert_array_equal(matrix(problem.train), [[2], [3]])
    np.testing.assert_array_equal(matrix(problem.test), [[1], [0]])


def test_two_spellings_of_a_backslash_are_one_name(written):
    problem = build(written("A\ta\\\\b:2\nB\ta\\b:3\n"))
    np.testing.assert_array_equal(matrix(problem.train), [[2], [3]])


def test_unseen_attributes_are_dropped_and_unseen_labels_are_minus_one(written):
    problem = build(written(TEXT), written("O\tnew\tx\nNEW\ty\n", "test"))
    assert problem.test.y.tolist() == [2, -1]
    np.testing.assert_array_equal(matrix(problem.test), [[1, 0, 0], [0, 1, 0]])
    assert problem.labels == ("B", "I", "O")


def test_chunks_are_scored_where_labels_are_their_tags(written):
    def scored(text: str) -> chunks.Scores:
        problem = build(written(text))
        y = problem.train.y
        return chunks.scores(Judged(problem, "train", y, y, np.array([0, len(y)])))

    assert scored("B-X\tx\nI-X\tx\nO\n") == (1, 1, 1)
    assert np.isnan(scored("B-X\tx\nX\tx\n")).all()


@pytest.mark.parametrize(
    "data",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.rstrip("\n"),
        "\n\n" + TEXT.replace("\n\n", "\n\n\n") + "\n\n",
        b"\xef\xbb\xbf" + TEXT.encode(),
    ],
    ids=["CRLF", "no last line end", "empty lines", "BOM"],
)
def test_the_same_problem_in_other_spellings(written, data):
    read, plain = build(written(data)), build(written(TEXT, "plain"))
    assert read.labels == plain.labels
    np.testing.assert_array_equal(matrix(read.train), matrix(plain.train))
    np.testing.assert_array_equal(read.train.starts, plain.train.starts)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no sequences: expected lines of a label and attributes, separated by tabs"),
        (b"\n\n", "has no sequences"),
        (b"A\tx\n", "expected at least two labels, found only 'A'"),
        (b"A\tx\n\tx\n", "line 2: expected a label at the start of the line"),
        (b"A\tx\n  \n", "line 2: expected a label at the start of the line"),
        (b"A\tx\n\nB x y\n", "line 3: expected a label and attributes separated by tabs, found blanks in 'B x y'"),
        (b"@weight:2\nA\tx\n", "line 1: expected a label, found the declaration '@weight:2'"),
        (b"A:1\tx\n", "line 1: expected a label, its colons written"),
        (b"A\tx:y\n", "line 1: expected attribute:value with a finite value .* found 'x:y'"),
        (b"A\tx\nB\tx:nan\n", "line 2: expected attribute:value with a finite value"),
        (b"A\tx:inf\n", "line 1: expected attribute:value"),
        (b"A\tx:1_0\n", "line 1: expected attribute:value"),
        (b"A\tx:1:2\n", "line 1: expected attribute:value"),
        (b"A\tx\nB\tcaf\xe9\n", "line 2: expected UTF-8 text, found byte 0xe9"),
        (b"\xff\xfeA\0\t\0x\0\n\0", "line 1: expected UTF-8 text, found byte 0xff"),
    ],
)
def test_malformed(written, data, message):
    path = written(data)
    with pytest.raises(UserError, match=message) as caught:
        build(path)
    assert str(caught.value).startswith(path)


def test_malformed_test_file_is_the_one_named(written):
    with pytest.raises(UserError, match=r"bad, line 1: expected attribute:value"):
        build(written(TEXT), written("B\tx:y\n", "bad"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="none: there is no such file"):
        build(tmp_path / "none")
    with pytest.raises(UserError, match=r"expected a readable text file, but: Is a directory"):
        build(tmp_path)
