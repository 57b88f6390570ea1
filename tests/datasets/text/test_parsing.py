"""Problems of dependency trees: what is learned from, what is evaluated, what is punctuation."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text import parsing
from structbench.datasets.text.dependencies import Sentence

pytestmark = pytest.mark.usefixtures("kept_trees")


def sentence(words, heads):
    cells = tuple(words.split(" "))
    return Sentence(cells, cells, cells, cells, cells, np.array(heads, np.int32))


# the second one is not projective: 3 is not below 2, which has 4 beyond it
TRAIN = [sentence("El niño come .", [2, 3, 0, 3]), sentence("a b c d", [3, 3, 0, 2])]
LIFTED = [2, 3, 0, 3, 3, 3, 0, 3]
TEST = [sentence("( sí )", [2, 0, 2]), sentence("a b c d", [3, 3, 0, 2]), sentence("no", [0])]


def test_projective_trees_are_learned_from_lifted_ones():
    problem = parsing.problem(TRAIN, TEST)
    train, test = problem.train, problem.test
    assert (train.id, test.id, problem.labels, problem.tags) == ("dependency", "dependency", (), ())
    assert train.lengths.tolist() == [4, 4]
    assert train.heads.tolist() == [2, 3, 0, 3, 3, 3, 0, 2], "true heads are what is evaluated"
    assert train.learned.tolist() == LIFTED
    assert train.arcs.sentences == TRAIN
    assert np.concatenate(train.arcs.heads).tolist() == LIFTED
    assert train.arcs.templates == "mcdonald"
    assert test.lengths.tolist() == [3, 4, 1]
    assert test.heads.tolist() == [2, 0, 2, 3, 3, 0, 2, 0]
    assert test.learned.tolist() == [2, 0, 2, 3, 3, 0, 3, 0], "a tree of the structure"
    assert test.arcs.sentences == TEST
    assert np.flatnonzero(problem.punctuation).tolist() == [3, 8, 10]
    alone = parsing.problem(TRAIN, None)
    assert (alone.test, len(alone.punctuation)) == (None, 8)
    assert {each.dtype for each in (train.heads, train.learned, test.heads, test.learned)} == {np.dtype(np.int32)}


def test_dropped_training_sentences():
    problem = parsing.problem(TRAIN, TEST, features="rich", nonprojective="drop")
    assert problem.train.lengths.tolist() == [4]
    assert problem.train.heads.tolist() == problem.train.learned.tolist() == [2, 3, 0, 3]
    assert (len(problem.train.arcs.sentences), len(problem.train.arcs.heads)) == (1, 1)
    assert problem.train.arcs.templates == "rich"
    assert problem.test.lengths.tolist() == [3, 4, 1], "no test sentence is dropped"
    assert len(problem.punctuation) == 4 + 8
    with pytest.raises(UserError, match="nonprojective=drop leaves no training sentence"):
        parsing.problem(TRAIN[1:], None, nonprojective="drop")


def test_all_trees_are_learned_as_they_are():
    problem = parsing.problem(TRAIN, TEST, structure="nonprojective")
    for split in (problem.train, problem.test):
        assert split.id == "nonprojective"
        np.testing.assert_array_equal(split.learned, split.heads)
    assert np.concatenate(problem.train.arcs.heads).tolist() == problem.train.heads.tolist()
    with pytest.raises(UserError, match="nonprojective=drop is an option of structure=projective only"):
        parsing.problem(TRAIN, TEST, structure="nonprojective", nonprojective="drop")


@pytest.mark.parametrize("structure", parsing.STRUCTURES)
def test_trees_with_several_roots(structure):
    """Are searched if training sentences have them, whatever test sentences have."""
    several = sentence("a b", [0, 0])
    for train, test, single in ((TRAIN, TEST, True), ([*TRAIN, several], TEST, False), (TRAIN, [several], True)):
        problem = parsing.problem(train, test, structure=structure)
        assert problem.train.single_root == problem.test.single_root == single
    assert problem.test.heads.tolist() == [0, 0]
    assert problem.test.learned.tolist() == [0, 1], "a tree of the structure"


def test_punctuation_is_what_unicode_calls_so():
    """The property P that CoNLL-X asks for; $ + < = > ^ ` | ~ are symbols."""
    marks = (".", "...", "¿", "«", "--", "\u2014", "%", "&", "@", "_", "[", "\u3002")
    others = ("$", "+", "=", "<", "^", "`", "~", "|", "\u20ac", "1", "a.", ".a", "\u00a0.")
    words = sentence("a", [0])._replace(words=(*marks, *others))
    assert parsing.punctuation([words]).tolist() == [True] * len(marks) + [False] * len(others)
