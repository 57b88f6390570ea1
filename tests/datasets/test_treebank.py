"""The WSJ sample: a small archive of the same shape, and the real corpus."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.datasets import treebank
from structbench.datasets.fetching.download import Fetcher

TREE = "( (S (NP-SBJ (NN grass)) (VP (VBZ grows)) (. .)) )\n"


@pytest.fixture
def load(load_zipped):
    """``load(numbers, **options)`` reads an archive with these files, a sentence each."""

    def build(changed=None, **options):
        numbers = [*treebank.TRAIN, *treebank.VALIDATION, *treebank.TEST]
        members = dict.fromkeys(map(treebank.MEMBER.format, numbers), TREE) | (changed or {})
        return load_zipped(treebank, members, **options)

    return build


def test_splits_are_files(load):
    problem = load()
    assert parts.num_examples(problem.train) == 130
    assert parts.num_examples(problem.test) == 39
    assert parts.num_examples(load(tune=True).test) == 30
    assert problem.labels == ("none", "NP", "S", "VP")
    assert not set(treebank.TRAIN) & set(treebank.VALIDATION) | set(treebank.VALIDATION) & set(treebank.TEST)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, {}, "treebank.zip has no member treebank/combined/wsj_0007.mrg"),
        (TREE[:-4], {}, "zip:treebank/combined/wsj_0007.mrg, line 1: expected brackets that match"),
        (b"(S (NN \xf1))", {}, "wsj_0007.mrg, line 1: expected UTF-8 text, found byte 0xf1"),
        (TREE + " " * 2**20, {}, "wsj_0007.mrg in treebank.zip is larger than the 1048576 bytes"),
        (TREE, {"max_length": 2}, "data set treebank has no sentences of at most 2 tokens"),
    ],
)
def test_what_is_refused(load, text, options, message):
    with pytest.raises(UserError, match=message):
        load({treebank.MEMBER.format(7): text}, **options)


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
    with Fetcher("") as files:
        path = files(treebank.CORPUS)
    splits = treebank.TRAIN, treebank.VALIDATION, treebank.TEST
    assert sum(len(treebank.read(path, numbers)) for numbers in splits) == 3_914
