"""CoNLL-2000: a small archive of the same shape, and the real corpus."""

import zipfile

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import conll2000
from tests.datasets.packed import zipped

TRAIN = "He PRP B-NP\nsleeps VBZ B-VP\n\nThey PRP B-NP\nsleep VBP B-VP\nnow RB B-ADVP\n\n"
TEST = "She PRP B-NP\nsleeps VBZ B-VP\n\n"


@pytest.fixture
def load(tmp_path):
    """``load(train, test, **options)`` reads an archive with these contents."""

    def build(train=TRAIN, test=TEST, **options):
        path = zipped(tmp_path / "conll2000.zip", {"conll2000/train.txt": train, "conll2000/test.txt": test})
        return conll2000.load(lambda file: path, **options)

    return build


def test_splits_and_labels(load):
    problem = load()
    assert problem.labels == ("B-ADVP", "B-NP", "B-VP")
    assert problem.train.starts.tolist() == [0, 2, 5]
    assert problem.train.y.tolist() == [1, 2, 1, 2, 0]
    assert problem.test.y.tolist() == [1, 2]


def test_the_first_sentences(load):
    problem = load(sentences=1)
    assert problem.train.starts.tolist() == [0, 2]
    assert problem.labels == ("B-NP", "B-VP")
    with pytest.raises(UserError, match=r"train.txt has 2 sentences: cannot take the first 3"):
        load(sentences=3)
    with pytest.raises(UserError, match=r"test.txt has 1 sentences: cannot take the first -2"):
        load(test_sentences=-2)


@pytest.mark.parametrize("spell", [lambda s: s.replace("\n", "\r\n"), lambda s: "\ufeff" + s], ids=["CRLF", "BOM"])
def test_the_same_problem_in_other_spellings(load, spell):
    assert load(spell(TRAIN)).train.y.tolist() == load().train.y.tolist()
    assert parts.num_weights(load(spell(TRAIN)).train) == parts.num_weights(load().train)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (None, "has no member conll2000/train.txt"),
        ("", "conll2000.zip:conll2000/train.txt has no sentences"),
        (TRAIN[:30], "conll2000/train.txt, line 4: expected 3 columns"),
        (TRAIN + "x y\n", "conll2000/train.txt, line 8: expected 3 columns .* found 2"),
        (TRAIN.replace("B-ADVP", "ADVP"), "train.txt, line 6: expected a chunk tag"),
        ("caf\xe9 NN B-NP\n".encode("latin-1"), "train.txt, line 1: expected UTF-8 text, found byte 0xe9"),
    ],
)
def test_malformed(load, train, message):
    with pytest.raises(UserError, match=message):
        load(train)


def test_damaged_archive(tmp_path):
    path = zipped(tmp_path / "conll2000.zip", {"conll2000/train.txt": TRAIN})
    path.write_bytes(path.read_bytes()[:-30])
    assert not zipfile.is_zipfile(path)
    with pytest.raises(UserError, match=r"conll2000.zip is damaged"):
        conll2000.load(lambda file: path)


@pytest.mark.corpus
def test_real():
    problem = datasets.build("conll2000")
    assert len(problem.train.starts) - 1 == 8_936
    assert len(problem.test.starts) - 1 == 2_012
    assert len(problem.train.y) == 211_727
    assert len(problem.test.y) == 47_377
    assert len(problem.labels) == 22
    assert features.shape(problem.train.x)[1] == 335_674
    assert parts.num_weights(problem.train) == 335_674 * 22 + 22 * 22
    assert (problem.test.y == -1).sum() == 2, "tags that training never saw"
