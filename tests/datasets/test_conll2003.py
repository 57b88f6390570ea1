"""CoNLL-2003: the user's own files, in the shape that they are distributed in."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conll2003
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.text import ner

TRAIN = (
    "-DOCSTART- -X- -X- O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\nGerman JJ I-NP I-MISC\n. . O O\n\n"
    "Peter NNP I-NP I-PER\nBlackburn NNP I-NP I-PER\n\n-DOCSTART- -X- -X- O\n\nRome NNP I-NP I-LOC\n\n"
)
TEST = "-DOCSTART- -X- -X- O\n\nParis NNP B-NP B-LOC\nLyon NNP B-NP B-LOC\n\n"


def tags(split):
    return [ner.LABELS[y] for y in split.y]


def test_both_conventions_and_the_first_sentences(written):
    path, test = written(TRAIN), written(TEST, "test")
    problem = conll2003.load(None, path=path, test=test)
    assert problem.labels == ner.LABELS
    assert problem.train.starts.tolist() == [0, 4, 6, 7]
    assert tags(problem.train) == ["B-ORG", "O", "B-MISC", "O", "B-PER", "I-PER", "B-LOC"]
    assert tags(problem.test) == ["B-LOC", "B-LOC"]
    iob2 = TRAIN.replace("I-ORG", "B-ORG").replace("I-MISC", "B-MISC").replace("I-LOC", "B-LOC")
    iob2 = iob2.replace("Peter NNP I-NP I-PER", "Peter NNP B-NP B-PER")
    assert fingerprint(conll2003.load(None, path=written(iob2, "2"), test=test)) == fingerprint(problem)
    fewer = conll2003.load(None, path=path, test=test, sentences=2, test_sentences=1)
    assert (fewer.train.starts.tolist(), fewer.test.starts.tolist()) == ([0, 4, 6], [0, 2])
    with pytest.raises(UserError, match="data has 3 sentences: cannot take the first 4"):
        conll2003.load(None, path=path, sentences=4)
