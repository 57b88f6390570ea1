"""The svmlight format."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets import svmlight
from structbench.datasets.text import number_pairs

TEXT = "1 1:0.5 3:2\n2 7:1 # a comment\n10 3:-1\n"


def build(path, test=None):
    return svmlight.load(None, path=path, test=test)


def matrix(split):
    return features.as_matrix(split.x).toarray()


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
    for word in ("x", "inf", "nan", "1e999", "1_0"):
        assert build(written(f"1 1:1\n1.0 1:1\n{word} 1:1\n")).labels == tuple(sorted(["1", "1.0", word]))


@pytest.mark.parametrize("last", ["7", "7000"])  # indices are looked up in a table, or searched if they are large
def test_unseen_features_are_dropped_and_unseen_labels_are_minus_one(written, last):
    problem = build(written(TEXT.replace("7", last)), written("3 1:4 2:5 9999:6\n2\n", "test"))
    assert problem.test.y.tolist() == [-1, 1]
    np.testing.assert_array_equal(matrix(problem.test), [[4, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no examples: expected lines such as '3 1:0.5 7:1'"),
        (b"# only this\n", "has no examples"),
        (b"1 1:1\n1 1:2\n", "expected at least two classes, found only '1'"),
        (b"1\n2\n", "expected features, index:value, found none on any line"),
        (b"1 1:1\n1:1 2:1\n", "line 2: expected a label first, found '1:1'"),
        (b"1 1:1\n2 3\n", "line 2: expected index:value, found '3'"),
        (b"1 1:1\n2 1:2:3\n", "line 2: expected index:value, found '1:2:3'"),
        (b"1 1:1\n\n2 1:\n", "line 3: expected a finite number after the colon, found '1:'"),
        (b"1 x:1\n", "line 1: expected a whole number from 0 to .* before the colon, found 'x:1'"),
        (b"1 1.5:1\n", "line 1: expected a whole number"),
        (b"1 99999999999999999999:1\n", "line 1: expected a whole number"),
        (b"1 1_0:1\n", "line 1: expected a whole number"),
        (b"1 -1:1\n", "line 1: expected an index of 0 or more, found -1"),
        (b"1 1:nan\n", "line 1: expected a finite number, found nan"),
        (b"1 1:1\n2 1:inf\n", "line 2: expected a finite number, found inf"),
        (b"1 1:1\n2 3:1 2:1 3:1\n", "line 2: index 3 occurs twice"),
        (b"1 qid:3 1:1\n", "line 1: found 'qid:3', but queries belong to ranking"),
    ],
)
def test_malformed(written, data, message):
    path = written(data)
    with pytest.raises(UserError, match=message) as caught:
        build(path)
    assert str(caught.value).startswith(path)


FIELDS = """
1 -1 +1 a 3:1 1:0.5 2:-0.25 7:1e-3 8:.5 9:5. 4:. 5: 6:inf 2:1_0 # qid:3 11:0.49411764705882355 x:1 1:2:3
12:123456789012345678 13:-99999.0000000001 999999999999999999:1
"""
WORDS = st.sampled_from(FIELDS.split())
BETWEEN = st.sampled_from([" ", "  ", "\t", "\n", "\n", "\r\n", "\n\n"])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.tuples(WORDS, BETWEEN), max_size=12))
def test_plain_files_read_at_once_are_what_their_lines_say(tmp_path_factory, words):
    """Every number to the last bit; what is not plain, and what is wrong, is left to the lines."""
    file = tmp_path_factory.mktemp("svm") / "file"
    file.write_text("".join(word + between for word, between in words), newline="")
    plain = number_pairs.read(file.read_bytes())
    if plain is None:
        return
    lines = svmlight._read_lines(file.read_bytes().decode(), str(file))
    assert [file.read_bytes()[begin:end].decode() for begin, end in plain.labels.tolist()] == lines.labels
    for fast, slow in zip(plain[1:], lines[1:], strict=True):
        np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("way", [number_pairs._read, number_pairs._read.python])
def test_most_files_are_plain(monkeypatch, way):
    """Python reads long numbers alone. As plain Python the kernel would say where it reads too far."""
    given = []
    monkeypatch.setattr(number_pairs, "_read", way)
    monkeypatch.setattr(number_pairs, "float", lambda word: given.append(word) or float(word), raising=False)
    plain = number_pairs.read(b" 1 3:.123456789012345\t7:-1\n\t\r\n-1 1:2\t 4:0.12345678901234567\r\nb")
    assert plain.indptr.tolist() == [0, 2, 4, 4]
    assert plain.values.tolist() == [0.123456789012345, -1.0, 2.0, 0.12345678901234567]
    assert plain.line.tolist() == [1, 3, 4]
    assert given == [b"0.12345678901234567"]
    for end in (b"a 1:2", b"a 1:", b"a 1", b"a ", b"a 1:-", b"a", b" \t"):
        assert (number_pairs.read(b"b\n" + end) is None) == (end in (b"a 1:", b"a 1", b"a 1:-"))
