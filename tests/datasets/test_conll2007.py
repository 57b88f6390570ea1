"""The Spanish trees of CoNLL-X: an archive of the same shape, the real one by eg2008's numbers; relations."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conll2007, conll2007_relations
from structbench.datasets.text.projectivity import crossing


def sentences(first, last):
    """Of two tokens, with its number in the whole as its first word."""
    rows = ("1\tw{}\t_\tn\tnc\t_\t2\tSUJ\t2\tSUJ", "2\tv\t_\tv\tvm\t_\t0\tROOT\t0\tROOT", "", "")
    return "".join("\n".join(rows).format(k) for k in range(first, last))


TWO_ROOTS = sentences(0, 3).replace("\t2\tSUJ\t2", "\t0\tSUJ\t0")


@pytest.fixture
def load(load_zipped):
    """``load(**options)`` reads an archive of as many sentences; ``contents`` may take the place of one member."""

    def build(contents=None, data_set=conll2007, **options):
        members = dict(zip(conll2007.MEMBERS, (sentences(0, 700), sentences(700, 3512)), strict=True))
        return load_zipped(data_set, members | (contents or {}), **options)

    return build


def words(split):
    return [sentence.words[0] for sentence in split.arcs.sentences]


def test_splits_and_options(load, kept_trees):
    problem = load()
    assert words(problem.test) == [f"w{k}" for k in range(206, 1206)]
    assert words(problem.train) == [f"w{k}" for k in range(1206, 3512)]
    assert problem.train.arcs.templates == "mcdonald"
    problem = load(sentences=10, test_sentences=3, features="rich", structure="nonprojective")
    assert words(problem.train) == [f"w{k}" for k in range(1206, 1216)]
    assert words(problem.test) == ["w206", "w207", "w208"]
    assert (problem.train.arcs.templates, problem.train.id) == ("rich", "nonprojective")
    problem = load(sentences=40, tune=True)
    assert words(problem.train) == [f"w{k}" for k in range(1206, 1242)]
    assert words(problem.test) == [f"w{k}" for k in range(1242, 1246)]
    assert [len(split.lengths) for split in load(tune=True)[:2]] == [2076, 230]
    assert conll2007.CORPUS.max_bytes == 2**21
    assert datasets.data_ref("conll2007").structure == "dependency"
    assert datasets.data_ref("conll2007:structure=nonprojective,features=rich").structure == "nonprojective"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sentences": 2307}, "training split of conll2007 has 2306 sentences: cannot take the first 2307"),
        ({"test_sentences": -1}, "test split of conll2007 has 1000 sentences: cannot take the first -1"),
        ({"tune": True, "test_sentences": 5}, "the test split is training sentences: no test_sentences"),
        ({"contents": {conll2007.MEMBERS[1]: "1\tEl\n"}}, "zip:conll2007/esp.train, line 1: expected 8 or 10"),
        ({"contents": {conll2007.MEMBERS[1]: b"1\t\xe9l"}}, "esp.train, line 1: expected UTF-8 text"),
        ({"contents": {conll2007.MEMBERS[1]: TWO_ROOTS}}, "esp.train, line 2: expected one token with head 0"),
    ],
    ids=["sentences", "test_sentences", "tune", "columns", "latin-1", "two roots"],
)
def test_what_is_refused(load, options, message):
    with pytest.raises(UserError, match=message):
        load(**options)


@pytest.mark.corpus(conll2007.CORPUS)
def test_real(kept_trees):
    """eg2008, section 7.2: 2,306 training sentences of 58,771 tokens, 1,000 validation sentences of 30,563."""
    problem = datasets.build("conll2007")
    train, test, punctuation = problem.train, problem.test, problem.punctuation
    assert (len(train.lengths), len(train.heads)) == (2_306, 58_771)
    assert (len(test.lengths), len(test.heads)) == (1_000, 30_563)
    for split, lifted in ((train, 39), (test, 18)):
        each = np.split(split.heads, np.cumsum(split.lengths)[:-1])
        assert sum(crossing(heads).any() for heads in each) == lifted
    assert [int((split.lengths**2).sum()) for split in (train, test)] == [2_180_057, 1_193_071]
    assert [split.lengths.max() for split in (train, test)] == [143, 128]
    assert (int(punctuation[:58_771].sum()), int(punctuation[58_771:].sum())) == (7_435, 3_813)
    train, test, *_ = datasets.build("conll2007:nonprojective=drop")
    assert (len(train.lengths), len(test.lengths)) == (2_306 - 39, 1_000)
    np.testing.assert_array_equal(train.heads, train.learned)


def test_relations_of_a_share_of_the_training_sentences(load):
    options = {"data_set": conll2007_relations, "sentences": 200, "test_sentences": 30, "share": 10}
    one, other = load(draw=1, **options), load(draw=2, **options)
    assert (len(one.train.starts) - 1, len(one.test.starts) - 1) == (20, 30)
    np.testing.assert_array_equal(one.test.y, other.test.y)
    assert one.labels == ("ROOT", "SUJ")
    assert datasets.data_ref("conll2007-relations").structure == one.train.id == "tree"


@pytest.mark.corpus(conll2007.CORPUS)
def test_relations_of_the_real_trees():
    one = datasets.build("conll2007-relations:sentences=300,test_sentences=20")
    assert len(one.train.starts) - 1 == 300
    assert {"SUJ", "CD", "ATR", "ROOT", "_"} <= set(one.labels)
    assert [one.labels[k] for k in one.key_attributes] == ["SUJ", "CD", "ATR"]
