"""CoNLL-2002: a small archive of the same shape, and the real corpus."""

import zipfile

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import conll2002
from structbench.datasets.text import ner
from tests.datasets.packed import zipped

TRAIN = "El DA O\nEspañol AQ B-ORG\n. Fp O\n\nEn SP O\nMadrid NC B-LOC\n\n"
TEST = "Melbourne NP B-LOC\n( Fpa O\n\n"


@pytest.fixture
def load(tmp_path):
    """``load(train, test, **options)`` reads an archive with these contents."""

    def build(train=TRAIN, test=TEST, **options):
        path = zipped(tmp_path / "conll2002.zip", {conll2002.TRAIN: train, conll2002.TEST: test})
        return conll2002.load(lambda file: path, **options)

    return build


def test_splits_and_labels(load):
    problem = load()
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


@pytest.mark.parametrize("spell", [lambda s: s.replace("\n", "\r\n"), lambda s: "\ufeff" + s], ids=["CRLF", "BOM"])
def test_the_same_problem_in_other_spellings(load, spell):
    read, plain = load(spell(TRAIN)).train, load().train
    assert read.y.tolist() == plain.y.tolist()
    for split in ("x", "edges"):
        np.testing.assert_array_equal(*(features.as_matrix(getattr(s, split)).toarray() for s in (read, plain)))


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (None, "has no member conll2002/esp.train"),
        ("", "conll2002.zip:conll2002/esp.train has no sentences"),
        (TRAIN[:16], "conll2002/esp.train, line 2: expected 3 columns"),
        (TRAIN.replace(" AQ", ""), "esp.train, line 2: expected 3 columns .* found 2"),
        (TRAIN.replace("B-LOC", "LOC"), "esp.train, line 6: expected an entity tag"),
        (TRAIN.encode("latin-1"), "esp.train, line 2: expected UTF-8 text, found byte 0xf1"),
    ],
)
def test_malformed(load, train, message):
    with pytest.raises(UserError, match=message):
        load(train)


def test_damaged_archive(tmp_path):
    path = zipped(tmp_path / "conll2002.zip", {conll2002.TRAIN: TRAIN})
    path.write_bytes(path.read_bytes()[:-30])
    assert not zipfile.is_zipfile(path)
    with pytest.raises(UserError, match=r"conll2002.zip is damaged"):
        conll2002.load(lambda file: path)


@pytest.mark.corpus(conll2002.CORPUS)
def test_real():
    problem = datasets.build("conll2002")
    assert len(problem.train.starts) - 1 == 8_323
    assert len(problem.test.starts) - 1 == 1_517
    assert len(problem.train.y) == 264_715
    assert len(problem.test.y) == 51_533
    tags = np.bincount(problem.train.y)  # one I-LOC of the file begins a chunk, and is a B-LOC here
    assert dict(zip(problem.labels, tags.tolist(), strict=True)) == {
        "O": 231_920, "B-PER": 4_321, "I-PER": 3_903, "B-ORG": 7_390, "I-ORG": 4_992,
        "B-LOC": 4_914, "I-LOC": 1_890, "B-MISC": 2_173, "I-MISC": 3_212,
    }  # fmt: skip


@pytest.mark.corpus(conll2002.CORPUS)
def test_the_first_thousand_sentences_of_the_real_one():
    train = datasets.build("conll2002:sentences=1000,test_sentences=10").train
    assert len(train.y) == 31_924
    assert (train.num_node_features, train.num_edge_features) == (30_121, 33_152)
    assert parts.num_weights(train) == 30_121 * 9 + 81 + 33_152 * 81 == 2_956_482
