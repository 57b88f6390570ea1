"""CoNLL columns, and chunking in them: what is understood, and what a malformed file is told."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text import chunking, columns

TEXT = "the DT B-NP\ncat NN I-NP\n\nsleeps VBZ B-VP\n"
NAMES = ("w", "pos", "chunk")


def test_columns():
    sentences = columns.read(TEXT, NAMES, "x")
    assert sentences.columns["w"] == ["the", "cat", "sleeps"]
    assert sentences.columns["chunk"] == ["B-NP", "I-NP", "B-VP"]
    assert sentences.lengths.tolist() == [2, 1]
    assert sentences.lines == [1, 2, 4]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.rstrip("\n"),
        "\n\n" + TEXT + "\n\n",
        TEXT.replace("\n\n", "\n \t \n\n"),
        TEXT.replace(" ", "\t"),
        TEXT.replace(" ", "  "),
    ],
    ids=["CRLF", "no last line end", "empty lines", "blank lines", "tabs", "two blanks"],
)
def test_the_same_sentences_in_other_spellings(text):
    read, plain = columns.read(text, NAMES, "x"), columns.read(TEXT, NAMES, "x")
    assert read.columns == plain.columns
    np.testing.assert_array_equal(read.lengths, plain.lengths)


def test_a_no_break_space_is_part_of_a_word():
    assert columns.read("12\u00a0000 CD B-NP\n", NAMES, "x").columns["w"] == ["12\u00a0000"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"file has no sentences: expected lines of 3 columns \(w pos chunk\)"),
        ("\n \n", "file has no sentences"),
        ("a DT B-NP\nb NN\n", r"file, line 2: expected 3 columns \(w pos chunk\), found 2: 'b NN'"),
        ("a DT B-NP\n\nb NN I-NP x\n", "file, line 3: expected 3 columns .* found 4"),
        (TEXT[:-10], "file, line 4: expected 3 columns .* found 1"),
        ("a DT NP\n", "file, line 1: expected a chunk tag O, B-type or I-type, found 'NP'"),
        ("a DT B-NP\nb NN B-\n", "file, line 2: expected a chunk tag .* found 'B-'"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(UserError, match=message):
        chunking.read(text, "file")


def test_the_first_sentences():
    sentences = columns.read(TEXT, NAMES, "x")
    assert sentences.first(1).columns["w"] == ["the", "cat"]
    assert sentences.first(2).columns == sentences.columns
    for count in (3, 0, -1):
        with pytest.raises(UserError, match=f"x has 2 sentences: cannot take the first {count}"):
            sentences.first(count)


def test_chunking_problem():
    problem = chunking.chunking_problem(
        chunking.read(TEXT, "a"), chunking.read("it PRP B-NP\nso RB B-ADVP\n", "b")
    )
    assert problem.labels == ("B-NP", "B-VP", "I-NP")
    assert problem.train.y.tolist() == [0, 2, 1]
    assert problem.test.y.tolist() == [0, -1], "a tag that training never saw is -1"
    assert problem.train.num_node_features == problem.test.num_node_features
