"""Dependency trees: projective ones by definition, what lifting makes of the others, and problems of both."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import dependency
from structbench.algorithms.structures import features as ft
from structbench.datasets.text import parsing
from structbench.datasets.text.dependencies import Sentence
from structbench.datasets.text.projectivity import crossing, lifted, single_rooted


@st.composite
def trees(draw, longest=9):
    """Heads of all kinds: tokens come into the tree in any order, each below one that is there, or the root."""
    order = draw(st.permutations(range(1, draw(st.integers(1, longest)) + 1)))
    heads = [0] * len(order)
    for place, token in enumerate(order):
        heads[token - 1] = draw(st.sampled_from([0, *order[:place]]))
    return np.array(heads, np.int32)


every_tree = given(trees())
often = settings(max_examples=400, deadline=None, derandomize=True)


def above(heads, token):
    """The token, its head, its head's head and so on, and the root."""
    while True:
        yield int(token)
        if not token:
            return
        token = heads[token - 1]


def not_projective(heads):
    """Modifiers of arcs with a token in between that is not below the head."""
    return [
        modifier
        for modifier, head in enumerate(heads.tolist(), 1)
        if any(head not in above(heads, k) for k in range(min(head, modifier) + 1, max(head, modifier)))
    ]


def slowly_lifted(heads):
    """Nivre and Nilsson's algorithm in its own words."""
    heads = heads.copy()
    while wrong := not_projective(heads):
        modifier = min(wrong, key=lambda token: (abs(token - heads[token - 1]), token))
        heads[modifier - 1] = heads[heads[modifier - 1] - 1]
    return heads


@often
@every_tree
def test_crossing_is_the_definition_and_what_arcs_do_in_a_drawing(heads):
    assert (np.flatnonzero(crossing(heads)) + 1).tolist() == not_projective(heads)
    arcs = [sorted(arc) for arc in enumerate(heads.tolist(), 1)]
    assert crossing(heads).any() == any(a < c < b < d for a, b in arcs for c, d in arcs)


@often
@every_tree
def test_only_what_must_be_is_lifted(heads):
    before = heads.copy()
    made = lifted(heads)
    np.testing.assert_array_equal(made, slowly_lifted(heads))
    np.testing.assert_array_equal(heads, before, err_msg="what is given stays as it is")
    assert made.dtype == heads.dtype
    assert not_projective(made) == []
    for token in range(1, len(heads) + 1):
        assert made[token - 1] in list(above(heads, token))[1:], "heads are lifted, so there is no cycle"
    roots = np.flatnonzero(heads == 0)
    one = single_rooted(heads)
    assert np.flatnonzero(lifted(one) == 0).tolist() == [roots[0]], "one token under the root stays the only one"
    np.testing.assert_array_equal(
        one, np.where((heads == 0) & (np.arange(len(heads)) > roots[0]), roots[0] + 1, heads)
    )


@often
@every_tree
def test_the_structure_takes_projective_trees_alone_and_what_is_made_of_the_others(heads):
    T = len(heads)
    x = ft.dense(np.zeros((T * T, 1)))
    with pytest.raises(UserError, match="projective") if crossing(heads).any() else nullcontext():
        dependency.build(x, np.array([T]), heads, single_root=False)
    whole = lifted(heads)
    made = single_rooted(whole)
    dependency.build(x, np.array([T]), heads, training_heads=made)
    assert (made != whole).sum() == (whole == 0).sum() - 1


# ---- problems ---------------------------------------------------------------------------------------


def sentence(words, heads):
    cells = tuple(words.split(" "))
    return Sentence(cells, cells, cells, cells, cells, np.array(heads, np.int32))


# the second one is not projective: 3 is not below 2, which has 4 beyond it
TRAIN = [sentence("El niño come .", [2, 3, 0, 3]), sentence("a b c d", [3, 3, 0, 2])]
LIFTED = [2, 3, 0, 3, 3, 3, 0, 3]
TEST = [sentence("( sí )", [2, 0, 2]), sentence("a b c d", [3, 3, 0, 2]), sentence("no", [0])]


def test_projective_trees_are_learned_from_lifted_ones(kept_trees):
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


def test_dropped_training_sentences(kept_trees):
    problem = parsing.problem(TRAIN, TEST, features="rich", nonprojective="drop")
    assert problem.train.lengths.tolist() == [4]
    assert problem.train.heads.tolist() == problem.train.learned.tolist() == [2, 3, 0, 3]
    assert (len(problem.train.arcs.sentences), len(problem.train.arcs.heads)) == (1, 1)
    assert problem.train.arcs.templates == "rich"
    assert problem.test.lengths.tolist() == [3, 4, 1], "no test sentence is dropped"
    assert len(problem.punctuation) == 4 + 8
    with pytest.raises(UserError, match="nonprojective=drop leaves no training sentence"):
        parsing.problem(TRAIN[1:], None, nonprojective="drop")


def test_all_trees_are_learned_as_they_are(kept_trees):
    problem = parsing.problem(TRAIN, TEST, structure="nonprojective")
    for split in (problem.train, problem.test):
        assert split.id == "nonprojective"
        np.testing.assert_array_equal(split.learned, split.heads)
    assert np.concatenate(problem.train.arcs.heads).tolist() == problem.train.heads.tolist()
    with pytest.raises(UserError, match="nonprojective=drop is an option of structure=projective only"):
        parsing.problem(TRAIN, TEST, structure="nonprojective", nonprojective="drop")


@pytest.mark.parametrize("structure", parsing.STRUCTURES)
def test_trees_with_several_roots(structure, kept_trees):
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
