"""Chunks as segments: the problem of two parts of a corpus, and the options of data sets that have it."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.segments.tags import num_too_long
from structbench.datasets import conll2000
from structbench.datasets.problems import storage as store
from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import chunks
from structbench.datasets.text import chunking
from structbench.datasets.text.segment_chunking import segments_problem

TRAIN = """He PRP B-NP
sleeps VBZ B-VP
. . O

The DT B-NP
old JJ I-NP
bank NN I-NP
fell VBD B-VP
. . O

They PRP B-NP
sleep VBP B-VP
"""
TEST = """Well UH B-INTJ
well UH I-INTJ
, , O
the DT B-NP
bank NN I-NP
sleeps VBZ B-VP
now RB B-ADVP
"""


def problem(train: str = TRAIN, test: str = TEST, most: int = 3) -> store.Problem:
    return segments_problem(chunking.read(train, "train"), chunking.read(test, "test"), max_length=most)


def test_labels_tags_and_chunks_that_are_too_long():
    made, short = problem(), problem(most=2)
    assert made.labels == ("B-NP", "I-NP", "B-VP", "I-VP", "O", "O")
    assert made.train.y.tolist() == short.train.y.tolist() == [0, 2, 4, 0, 1, 1, 2, 4, 0, 2]
    assert made.test.y.tolist() == [-1, -1, 4, 0, 1, 2, -1]
    assert (made.train.num_labels, made.train.outside, made.train.max_length) == (3, 2, 3)
    assert made.train.num_features == made.test.num_features
    assert (num_too_long(short.train), num_too_long(short.test)) == (1, 0)
    assert short.train.target.tolist() == [0, 2, 4, 0, 1, 0, 2, 4, 0, 2]
    bare = problem("a DT B-NP\nb NN I-NP\n", "a DT B-NP\nb NN O\n")  # no token is outside
    assert (bare.labels, bare.test.y.tolist()) == (("B-NP", "I-NP", "O", "O"), [0, 2])


def test_weights_of_right_chunks_find_them():
    made = problem()
    w = np.zeros(parts.num_weights(made.train))
    offsets = parts.offsets(made.train)
    mu = np.zeros(offsets[-1])
    for i, (begin, end) in enumerate(pairwise(offsets)):
        parts.gold(made.train, i, mu[begin:end])
    parts.add_expected_features(made.train, offsets, mu, w)
    predicted, right, starts = prediction.predictions(made.train, w)
    assert chunks.scores(Judged(made, "train", predicted, right, starts)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ("a DT I-NP\n", TEST, r"train, line 1: chunk tag I-NP continues nothing: expected B-NP or I-NP before it"),
        (TRAIN, "a DT B-NP\nb NN I-X\n", "test, line 2: chunk tag I-X continues nothing"),
    ],
)
def test_tags_that_break_bio(train, test, message):
    with pytest.raises(UserError, match=message):
        problem(train, test)


# ---- options of data sets --------------------------------------------------------------------------


@pytest.fixture
def load(load_zipped):
    """``load(**options)``: conll2000 with these sentences in its archive."""
    members = {"conll2000/train.txt": TRAIN, "conll2000/test.txt": TEST}
    return partial(load_zipped, conll2000, members)


def test_the_same_problem_from_an_archive(load):
    made = load(task="segments", max_length=2)
    assert isinstance(made.train, segments.Segments)
    assert store.fingerprint(made) == store.fingerprint(problem(most=2))
    assert store.fingerprint(load(task="segments", max_length=3)) == store.fingerprint(problem())


@pytest.mark.parametrize("task", ["chunks", "segments"])
def test_the_last_tenth_is_held_out(load, task):
    held = load(task=task, tune=True)
    assert held.train.starts.tolist() == [0, 3, 8]
    assert held.test.starts.tolist() == [0, 2]
    assert [held.labels[k] for k in held.test.y] == ["B-NP", "B-VP"]
    fewer = load(task=task, tune=True, sentences=2)
    assert (fewer.train.starts.tolist(), fewer.test.starts.tolist()) == ([0, 3], [0, 5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 0, "task": "segments"}, "data set conll2000: max_length must be 1 or more, not 0"),
        ({"max_length": 5}, "max_length is an option of task=segments only, not of task=chunks"),
        ({"tune": True, "sentences": 1}, "train.txt has 1 sentence: holding out a tenth needs 2 or more"),
        ({"tune": True, "test_sentences": 1}, "with tune=true the test split is training sentences"),
    ],
)
def test_options_that_make_no_sense(load, options, message):
    with pytest.raises(UserError, match=message):
        load(**options)


@pytest.mark.corpus
def test_real():
    made = datasets.build("conll2000:task=segments")
    assert parts.num_examples(made.train) == 8_936
    assert len(made.train.y) == 211_727
    assert (made.train.num_labels, made.train.num_features) == (12, 881_570)
    assert (num_too_long(made.train), num_too_long(made.test)) == (73, 17)
    assert not (made.test.y == -1).any()
