"""The Spanish trees of CoNLL-X: an archive of the same shape, and the real one with eg2008's numbers."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conll2007
from structbench.datasets.text.projectivity import crossing
from tests.datasets.packed import zipped

pytestmark = pytest.mark.usefixtures("kept_trees")


def sentences(first, last):
    """Of one token, with its number in the whole as its word."""
    return "".join(f"1\tw{k}\t_\tn\tnc\t_\t0\tROOT\t0\tROOT\n\n" for k in range(first, last))


@pytest.fixture
def load(tmp_path):
    """``load(**options)`` reads an archive of as many sentences; ``contents`` may take the place of one member."""

    def build(contents=None, **options):
        members = dict(zip(conll2007.MEMBERS, (sentences(0, 700), sentences(700, 3512)), strict=True))
        path = zipped(tmp_path / "conll2007.zip", members | (contents or {}))
        return conll2007.load(lambda file: path, **options)

    return build


def words(split):
    return [sentence.words[0] for sentence in split.arcs.sentences]


def test_splits(load):
    problem = load()
    assert words(problem.test) == [f"w{k}" for k in range(206, 1206)]
    assert words(problem.train) == [f"w{k}" for k in range(1206, 3512)]
    assert problem.train.arcs.templates == "mcdonald"


def test_options(load):
    problem = load(sentences=10, test_sentences=3, features="rich", structure="nonprojective")
    assert words(problem.train) == [f"w{k}" for k in range(1206, 1216)]
    assert words(problem.test) == ["w206", "w207", "w208"]
    assert (problem.train.arcs.templates, problem.train.id) == ("rich", "nonprojective")
    with pytest.raises(
        UserError, match="training split of conll2007 has 2306 sentences: cannot take the first 2307"
    ):
        load(sentences=2307)
    with pytest.raises(UserError, match="test split of conll2007 has 1000 sentences: cannot take the first -1"):
        load(test_sentences=-1)


def test_tuning_on_the_last_tenth(load):
    problem = load(sentences=40, tune=True)
    assert words(problem.train) == [f"w{k}" for k in range(1206, 1242)]
    assert words(problem.test) == [f"w{k}" for k in range(1242, 1246)]
    assert [len(split.lengths) for split in load(tune=True)[:2]] == [2076, 230]
    with pytest.raises(UserError, match="with tune=true the test split is training sentences: no test_sentences"):
        load(tune=True, test_sentences=5)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (None, "has no member conll2007/esp.train"),
        ("", "conll2007/esp.train has no sentences"),
        ("1\tEl\n", "conll2007/esp.train, line 1: expected 8 or 10 columns separated by tabs, found 2"),
        (
            sentences(0, 3).replace("\t0\tROOT\t0", "\t1\tROOT\t0"),
            "esp.train, line 1: expected a token with head 0",
        ),
        (sentences(0, 1).replace("w0", "él").encode("latin-1"), "esp.train, line 1: expected UTF-8 text"),
    ],
    ids=["none", "empty", "columns", "no root", "latin-1"],
)
def test_malformed(load, contents, message):
    with pytest.raises(UserError, match=message):
        load({conll2007.MEMBERS[1]: contents})


def test_the_structure():
    assert datasets.structure("conll2007") == "dependency"
    assert datasets.structure("conll2007:structure=nonprojective,features=rich") == "nonprojective"


@pytest.mark.corpus(conll2007.CORPUS)
def test_real():
    """eg2008, section 7.2: 2,306 training sentences of 58,771 tokens, 1,000 validation sentences of 30,563."""
    problem = datasets.build("conll2007")
    train, test, punctuation = problem.train, problem.test, problem.punctuation
    assert (len(train.lengths), len(train.heads)) == (2_306, 58_771)
    assert (len(test.lengths), len(test.heads)) == (1_000, 30_563)
    for split, lifted in ((train, 39), (test, 18)):
        assert sum(crossing(heads).any() for heads in split.each) == lifted
        assert {int((heads == 0).sum()) for heads in split.each} == {1}
    assert [int((split.lengths**2).sum()) for split in (train, test)] == [2_180_057, 1_193_071]
    assert [split.lengths.max() for split in (train, test)] == [143, 128]
    assert (int(punctuation[:58_771].sum()), int(punctuation[58_771:].sum())) == (7_435, 3_813)


@pytest.mark.corpus(conll2007.CORPUS)
def test_the_real_one_without_trees_that_are_not_projective():
    train, test, *_ = datasets.build("conll2007:nonprojective=drop")
    assert (len(train.lengths), len(test.lengths)) == (2_306 - 39, 1_000)
    np.testing.assert_array_equal(train.heads, train.learned)
