"""The user's own trees in CoNLL-X."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError

pytestmark = pytest.mark.usefixtures("kept_trees")


def line(number, word, head, width=10):
    return "\t".join([str(number), word, "_", "N", "NN", "_", str(head), "x", "_", "_"][:width]) + "\n"


# the second sentence has two roots, the third is not projective
TRAIN = line(1, "café", 2) + line(2, "b", 0) + "\n" + line(1, "c", 0) + line(2, "d", 0) + "\n"
TRAIN += line(1, "e", 3) + line(2, "f", 0) + line(3, "g", 2) + "\n"
TEST = line(1, "x", 0, 8) + line(2, ".", 1, 8)


def test_files(written):
    problem = datasets.build(f"conllx:{written(TRAIN)}", written(TEST, "test"))
    assert problem.train.id == problem.test.id == "dependency"
    assert problem.train.heads.tolist() == [2, 0, 0, 0, 3, 0, 2]
    assert problem.train.learned.tolist() == [2, 0, 0, 0, 2, 0, 2]
    assert problem.test.heads.tolist() == [0, 1]
    assert problem.punctuation.tolist() == [False] * 8 + [True]
    assert problem.train.arcs.templates == "mcdonald"


def test_options(written):
    path = f"conllx:{written(TRAIN)},"
    problem = datasets.build(f"{path}features=rich,sentences=2,test_sentences=1", written(TRAIN, "test"))
    assert (problem.train.lengths.tolist(), problem.test.lengths.tolist()) == ([2, 2], [2])
    assert problem.train.arcs.templates == "rich"
    assert datasets.build(f"{path}nonprojective=drop").train.lengths.tolist() == [2, 2]
    problem = datasets.build(f"{path}structure=nonprojective")
    assert (problem.train.id, problem.test) == ("nonprojective", None)
    assert problem.train.learned.tolist() == [2, 0, 0, 0, 3, 0, 2]
    assert datasets.structure(f"{path}structure=nonprojective") == "nonprojective"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("sentences=4", "data has 3 sentences: cannot take the first 4"),
        ("features=all", "data set conllx: features must be one of mcdonald, rich, not 'all'"),
        ("structure=tree", "structure must be one of projective, nonprojective, not 'tree'"),
        ("nonprojective=drop,structure=nonprojective", "is an option of structure=projective only"),
    ],
)
def test_options_out_of_range(written, options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"conllx:{written(TRAIN)},{options}")


@pytest.mark.parametrize(
    "data",
    [TRAIN.replace("\n", "\r\n"), b"\xef\xbb\xbf" + TRAIN.encode(), TRAIN.rstrip("\n")],
    ids=["CRLF", "BOM", "no last line end"],
)
def test_the_same_problem_in_other_spellings(written, data):
    read, plain = (datasets.build(f"conllx:{written(text)}").train for text in (data, TRAIN))
    assert [each[:5] for each in read.arcs.sentences] == [each[:5] for each in plain.arcs.sentences]
    assert read.heads.tolist() == plain.heads.tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "data has no sentences: expected lines of 10 columns"),
        (TRAIN[:12], "data, line 1: expected 8 or 10 columns separated by tabs"),
        ("# a comment\n" + TRAIN, "data, line 1: expected 8 or 10 columns separated by tabs, found 1"),
        (TRAIN.encode("latin-1"), "data, line 1: expected UTF-8 text, found byte 0xe9"),
    ],
    ids=["empty", "truncated", "comment", "latin-1"],
)
def test_malformed(written, data, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"conllx:{written(data)}")
    with pytest.raises(UserError, match=message):
        datasets.build(f"conllx:{written(TRAIN, 'train')}", written(data))
