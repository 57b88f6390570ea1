"""CoNLL-2002: a small archive of the same shape, and the real corpus."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.datasets import conll2002, conll2002_skip
from structbench.datasets.text import ner

TRAIN = "El DA O\nEspañol AQ B-ORG\n. Fp O\n\nEn SP O\nMadrid NC B-LOC\n\n"
TEST = "Melbourne NP B-LOC\n( Fpa O\n\n"


@pytest.fixture
def load(load_zipped):
    """``load(train, **options)`` reads an archive with this training file."""
    return lambda train=TRAIN, **options: load_zipped(
        conll2002, {conll2002.TRAIN: train, conll2002.TEST: TEST}, **options
    )


@pytest.mark.parametrize("train", [TRAIN, "\ufeff" + TRAIN.replace("\n", "\r\n")])
def test_splits_and_labels(load, train):
    problem = load(train)
    assert problem.labels == ner.LABELS
    assert problem.train.starts.tolist() == [0, 3, 5]
    assert [problem.labels[y] for y in problem.train.y] == ["O", "B-ORG", "O", "O", "B-LOC"]
    assert [problem.labels[y] for y in problem.test.y] == ["B-LOC", "O"]


def test_the_first_sentences(load):
    problem = load(sentences=1)
    assert problem.train.starts.tolist() == [0, 3]
    assert problem.labels == ner.LABELS, "nine tags, whichever occur"
    with pytest.raises(UserError, match=r"esp.train has 2 sentences: cannot take the first 3"):
        load(sentences=3)
    with pytest.raises(UserError, match=r"esp.testb has 1 sentences: cannot take the first -2"):
        load(test_sentences=-2)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (None, "has no member conll2002/esp.train"),
        (TRAIN.replace(" AQ", ""), "conll2002.zip:conll2002/esp.train, line 2: expected 3 columns .* found 2"),
        (TRAIN.encode("latin-1"), "esp.train, line 2: expected UTF-8 text, found byte 0xf1"),
        (TRAIN + " " * 2**23, "esp.train in conll2002.zip is larger than the 8388608 bytes"),
    ],
)
def test_malformed(load, train, message):
    with pytest.raises(UserError, match=message):
        load(train)


def test_skip_chains_of_the_same_sentences(load_zipped):
    members = {conll2002.TRAIN: TRAIN, conll2002.TEST: TEST}
    one, chains = (load_zipped(data_set, members, sentences=2) for data_set in (conll2002_skip, conll2002))
    for skips, plain in zip(one[:2], chains[:2], strict=True):
        np.testing.assert_array_equal(skips.y, plain.y)
        np.testing.assert_array_equal(skips.starts, plain.starts)
    assert one.train.num_node_features == chains.train.num_node_features
    with pytest.raises(UserError, match="max_width=0: expected 1 or more"):
        conll2002_skip.load(None, max_width=0)


@pytest.mark.corpus(conll2002.CORPUS)
def test_real():
    problem = datasets.build("conll2002")
    assert (len(problem.train.starts) - 1, len(problem.test.starts) - 1) == (8_323, 1_517)
    assert (len(problem.train.y), len(problem.test.y)) == (264_715, 51_533)
    tags = np.bincount(problem.train.y)  # one I-LOC of the file begins a chunk, and is a B-LOC here
    assert dict(zip(problem.labels, tags.tolist(), strict=True)) == {
        "O": 231_920, "B-PER": 4_321, "I-PER": 3_903, "B-ORG": 7_390, "I-ORG": 4_992,
        "B-LOC": 4_914, "I-LOC": 1_890, "B-MISC": 2_173, "I-MISC": 3_212,
    }  # fmt: skip
    train = datasets.build("conll2002:sentences=1000,test_sentences=10").train
    assert (len(train.y), train.num_node_features, train.num_edge_features) == (31_924, 30_121, 33_152)
    assert parts.num_weights(train) == 30_121 * 9 + 81 + 33_152 * 81 == 2_956_482
    skips = datasets.build("conll2002-skip:sentences=60,test_sentences=20").train
    assert (skips.kinds == 1).sum() > 0 and skips.id == datasets.structure("conll2002-skip") == "field"
