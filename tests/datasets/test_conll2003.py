"""CoNLL-2003: the user's own files, in the shape that they are distributed in."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets.text import ner

TRAIN = (
    "-DOCSTART- -X- -X- O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\nGerman JJ I-NP I-MISC\n. . O O\n\n"
    "Peter NNP I-NP I-PER\nBlackburn NNP I-NP I-PER\n\n-DOCSTART- -X- -X- O\n\nRome NNP I-NP I-LOC\n\n"
)
TEST = "-DOCSTART- -X- -X- O\n\nParis NNP B-NP B-LOC\nLyon NNP B-NP B-LOC\n\n"


def tags(split):
    return [ner.LABELS[y] for y in split.y]


def test_iob1_as_distributed(written):
    problem = datasets.build(f"conll2003:{written(TRAIN)}", written(TEST, "test"))
    assert problem.labels == ner.LABELS
    assert problem.train.starts.tolist() == [0, 4, 6, 7]
    assert tags(problem.train) == ["B-ORG", "O", "B-MISC", "O", "B-PER", "I-PER", "B-LOC"]
    assert tags(problem.test) == ["B-LOC", "B-LOC"]


def test_iob2_is_the_same_problem(written):
    converted = TRAIN.replace("I-ORG", "B-ORG").replace("I-MISC", "B-MISC").replace("I-LOC", "B-LOC")
    converted = converted.replace("Peter NNP I-NP I-PER", "Peter NNP B-NP B-PER")
    read, plain = (datasets.build(f"conll2003:{written(text)}").train for text in (converted, TRAIN))
    assert tags(read) == tags(plain)
    np.testing.assert_array_equal(*(features.as_matrix(s.edges).toarray() for s in (read, plain)))


def test_without_a_test_file(written):
    assert datasets.build(f"conll2003:{written(TRAIN)}").test is None


def test_the_first_sentences(written):
    path = f"conll2003:{written(TRAIN)}"
    problem = datasets.build(f"{path},sentences=2,test_sentences=1", written(TEST, "test"))
    assert problem.train.starts.tolist() == [0, 4, 6]
    with pytest.raises(UserError, match="data has 3 sentences: cannot take the first 4"):
        datasets.build(f"{path},sentences=4")


@pytest.mark.parametrize(
    "data",
    [TRAIN.replace("\n", "\r\n"), b"\xef\xbb\xbf" + TRAIN.encode(), TRAIN.rstrip("\n"), TRAIN.replace(" ", "\t")],
    ids=["CRLF", "BOM", "no last line end", "tabs"],
)
def test_the_same_problem_in_other_spellings(written, data):
    read, plain = (datasets.build(f"conll2003:{written(text)}").train for text in (data, TRAIN))
    assert tags(read) == tags(plain)
    np.testing.assert_array_equal(*(features.as_matrix(s.x).toarray() for s in (read, plain)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", r"data has no sentences: expected lines of 4 columns \(w pos chunk tag\)"),
        (TRAIN[:50], "data, line 4: expected 4 columns .* found 2: 'rejects VB'"),
        ("EU NNP I-ORG\n", "data, line 1: expected 4 columns .* found 3"),
        ("EU NNP I-NP I-NP\n", "data, line 1: expected an entity tag, O or B- or I- .* found 'I-NP'"),
        ("a NN I-NP O\ncafé NN I-NP O\n".encode("latin-1"), "data, line 2: expected UTF-8 text, found byte 0xe9"),
    ],
)
def test_malformed(written, data, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"conll2003:{written(data)}")


def test_no_such_file(tmp_path):
    with pytest.raises(UserError, match=r"eng\.train: there is no such file"):
        datasets.build(f"conll2003:{tmp_path / 'eng.train'}")
