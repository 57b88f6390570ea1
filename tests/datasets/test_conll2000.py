"""CoNLL-2000, also with CRF++'s template: a small archive of the same shape, and the real corpus."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import bottou, conll2000

TRAIN = "He PRP B-NP\nsleeps VBZ B-VP\n\nThey PRP B-NP\nsleep VBP B-VP\nnow RB B-ADVP\n\n"
TEST = "She PRP B-NP\nsleeps VBZ B-VP\n\n"


@pytest.fixture
def load(load_zipped):
    """``load(train, test, **options)`` reads an archive with these contents."""

    def build(train=TRAIN, test=TEST, **options):
        members = {"conll2000/train.txt": train, "conll2000/test.txt": test}
        return load_zipped(conll2000, members, **options)

    return build


@pytest.mark.parametrize("train", [TRAIN, "\ufeff" + TRAIN.replace("\n", "\r\n")])
def test_splits_and_labels(load, train):
    problem = load(train)
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


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (None, "has no member conll2000/train.txt"),
        (TRAIN + "x y\n", "conll2000.zip:conll2000/train.txt, line 8: expected 3 columns .* found 2"),
        ("caf\xe9 NN B-NP\n".encode("latin-1"), "train.txt, line 1: expected UTF-8 text, found byte 0xe9"),
        (TRAIN + " " * 2**23, "train.txt in conll2000.zip is larger than the 8388608 bytes"),
    ],
)
def test_malformed(load, train, message):
    with pytest.raises(UserError, match=message):
        load(train)


def test_attributes_of_bottou_that_occur_less_than_three_times_are_left_out(load_zipped):
    """Of three sentences of two tokens each attribute occurs three times, of two none."""
    for count, columns in ((3, 38), (2, 0)):
        members = {"conll2000/train.txt": TEST * 3, "conll2000/test.txt": TEST}
        problem = load_zipped(bottou, members, sentences=count)
        assert parts.num_weights(problem.train) == 2 * columns + 4
        assert problem.labels == ("B-NP", "B-VP")


@pytest.mark.corpus
def test_real():
    problem = datasets.build("conll2000")
    assert (len(problem.train.starts) - 1, len(problem.test.starts) - 1) == (8_936, 2_012)
    assert (len(problem.train.y), len(problem.test.y), len(problem.labels)) == (211_727, 47_377, 22)
    assert features.shape(problem.train.x)[1] == 335_674
    assert parts.num_weights(problem.train) == 335_674 * 22 + 22 * 22
    assert (problem.test.y == -1).sum() == 2, "tags that training never saw"
    problem = datasets.build("bottou")
    assert parts.num_weights(problem.train) == 1_679_700  # 76,328 attributes x 22 tags + 22 x 22
    assert (parts.num_examples(problem.train), parts.num_examples(problem.test)) == (8936, 2012)
