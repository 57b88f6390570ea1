"""The WSJ sample: a small archive of the same shape, and the real corpus."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.datasets import treebank
from structbench.datasets.fetching.download import Fetcher
from tests.datasets.packed import zipped

TREE = "( (S (NP-SBJ (NN grass)) (VP (VBZ grows)) (. .)) )\n"


@pytest.fixture
def load(tmp_path):
    """``load(numbers, **options)`` reads an archive with these files, a sentence each."""

    def build(changed=None, **options):
        numbers = [*treebank.TRAIN, *treebank.VALIDATION, *treebank.TEST]
        members = dict.fromkeys(map(treebank.MEMBER.format, numbers), TREE) | (changed or {})
        path = zipped(tmp_path / "treebank.zip", members)
        return treebank.load(lambda file: path, **options)

    return build


def test_splits_are_files(load):
    problem = load()
    assert parts.num_examples(problem.train) == 130
    assert parts.num_examples(problem.test) == 39
    assert parts.num_examples(load(tune=True).test) == 30
    assert problem.labels == ("none", "NP", "S", "VP")
    assert not set(treebank.TRAIN) & set(treebank.VALIDATION) | set(treebank.VALIDATION) & set(treebank.TEST)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "treebank.zip has no member treebank/combined/wsj_0007.mrg"),
        ("", "treebank.zip:treebank/combined/wsj_0007.mrg has no trees"),
        (TREE[:-4], "wsj_0007.mrg, line 1: expected brackets that match"),
        (b"(S (NN \xf1))", "wsj_0007.mrg, line 1: expected UTF-8 text, found byte 0xf1"),
    ],
)
def test_malformed(load, text, message):
    with pytest.raises(UserError, match=message):
        load({treebank.MEMBER.format(7): text})


def test_a_length_that_no_sentence_has(load):
    with pytest.raises(UserError, match="data set treebank has no sentences of at most 2 tokens"):
        load(max_length=2)


@pytest.mark.corpus(treebank.CORPUS)
def test_real():
    problem = datasets.build("treebank")
    assert parts.num_examples(problem.train) == 719
    assert parts.num_examples(problem.test) == 110
    assert parts.num_weights(problem.train) == 16_547
    assert len(problem.labels) == 36
    assert problem.train.y.min() >= 0, "every right tree is in its forest"
    sizes = np.diff(parts.offsets(problem.train))
    assert 150 < sizes.mean() < 220
    assert (np.diff(parts.offsets(problem.test)) == 0).sum() < 10


@pytest.mark.corpus(treebank.CORPUS)
def test_all_sentences_of_the_real_one():
    with Fetcher("") as files:
        path = files(treebank.CORPUS)
    counts = [
        len(treebank.read(path, numbers)) for numbers in (treebank.TRAIN, treebank.VALIDATION, treebank.TEST)
    ]
    assert sum(counts) == 3_914
