"""Text in UTF-8; CoNLL columns, and chunking in them: what is understood, and what a malformed file is told."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import sampling
from structbench.datasets.text import chunking, columns

TEXT = "12\u00a0000 CD B-NP\ncat NN I-NP\n\nsleeps VBZ B-VP\n"
NAMES = ("w", "pos", "chunk")


@pytest.mark.parametrize(
    "text",
    [
        *(TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip("\n"), "\n\n" + TEXT + "\n\n"),
        *(TEXT.replace("\n\n", "\n \t \n\n"), TEXT.replace(" ", "\t"), TEXT.replace(" ", "  ")),
    ],
    ids=["plain", "CRLF", "no last line end", "empty lines", "blank lines", "tabs", "two blanks"],
)
def test_columns(text):
    """A no-break space is part of a word."""
    sentences = columns.read_columns(text, NAMES, "x")
    assert sentences.columns["w"] == ["12\u00a0000", "cat", "sleeps"]
    assert sentences.columns["chunk"] == ["B-NP", "I-NP", "B-VP"]
    assert sentences.lengths.tolist() == [2, 1]
    given = text.splitlines()
    assert [given[k - 1].split()[-1] for k in sentences.lines] == ["B-NP", "I-NP", "B-VP"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a DT NP\n", "file, line 1: expected a chunk tag O, B-type or I-type, found 'NP'"),
        ("a DT B-NP\nb NN B-\n", "file, line 2: expected a chunk tag .* found 'B-'"),
    ],
)
def test_tags_that_are_of_no_chunk(text, message):
    with pytest.raises(UserError, match=message):
        chunking.read_chunks(text, "file")


def test_the_first_sentences():
    sentences = columns.read_columns(TEXT, NAMES, "x")
    assert sampling.first(sentences, 1, "x").columns["w"] == ["12\u00a0000", "cat"]
    for count in (2, 0):
        assert sampling.first(sentences, count, "x").columns == sentences.columns
    for count in (3, -1):
        with pytest.raises(UserError, match=f"x has 2 sentences: cannot take the first {count}"):
            sampling.first(sentences, count, "x")


def test_chunking_problem():
    problem = chunking.chunking_problem(
        chunking.read_chunks(TEXT, "a"), chunking.read_chunks("it PRP B-NP\nso RB B-ADVP\n", "b")
    )
    assert problem.labels == ("B-NP", "B-VP", "I-NP")
    assert problem.train.y.tolist() == [0, 2, 1]
    assert problem.test.y.tolist() == [0, -1], "a tag that training never saw is -1"
    assert problem.train.num_node_features == problem.test.num_node_features
