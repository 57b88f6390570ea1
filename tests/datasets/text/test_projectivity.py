"""Projective trees: the definition written out, the arcs drawn, and what lifting makes of the other trees."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import dependency
from structbench.algorithms.structures import features as ft
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
def test_crossing_is_the_definition(heads):
    assert (np.flatnonzero(crossing(heads)) + 1).tolist() == not_projective(heads)


@often
@every_tree
def test_a_tree_is_projective_if_no_arcs_cross_in_a_drawing(heads):
    arcs = [sorted(arc) for arc in enumerate(heads.tolist(), 1)]
    drawn = any(a < c < b < d for a, b in arcs for c, d in arcs)
    assert crossing(heads).any() == drawn


@often
@every_tree
def test_what_is_lifted_is_a_projective_tree(heads):
    before = heads.copy()
    made = lifted(heads)
    assert made.dtype == heads.dtype
    assert not_projective(made) == []
    for token in range(1, len(heads) + 1):
        assert made[token - 1] in list(above(heads, token))[1:], "heads are lifted, so there is no cycle"
    np.testing.assert_array_equal(heads, before, err_msg="what is given stays as it is")


@often
@every_tree
def test_only_what_must_be_is_lifted(heads):
    np.testing.assert_array_equal(lifted(heads), slowly_lifted(heads))
    if not not_projective(heads):
        np.testing.assert_array_equal(lifted(heads), heads)


@often
@every_tree
def test_one_token_under_the_root_stays_the_only_one(heads):
    roots = np.flatnonzero(heads == 0)
    heads[roots[1:]] = roots[0] + 1
    assert np.flatnonzero(lifted(heads) == 0).tolist() == [roots[0]]


@pytest.mark.parametrize(
    ("heads", "wrong", "made"),
    [
        ([0], [], [0]),
        ([0, 0, 0], [], [0, 0, 0]),
        ([2, 0, 2], [], [2, 0, 2]),
        # A hearing is scheduled on the issue today
        ([2, 3, 0, 3, 2, 7, 5, 4], [5, 8], [2, 3, 0, 3, 3, 7, 5, 3]),
        # the root's arc to 2 is crossed by the one from 3 to 1
        ([3, 0, 2], [1], [2, 0, 2]),
        # up three steps: from 1 to 2, 3 and 5, which are above it
        ([2, 3, 5, 5, 0, 1], [6], [2, 3, 5, 5, 0, 5]),
    ],
)
def test_by_hand(heads, wrong, made):
    heads = np.array(heads, np.int32)
    assert (np.flatnonzero(crossing(heads)) + 1).tolist() == wrong
    assert lifted(heads).tolist() == made


def test_a_long_sentence():
    """Every token but the first two hangs on the one two before it: all of these arcs cross."""
    heads = np.maximum(np.arange(1, 301) - 2, 0).astype(np.int32)
    assert crossing(heads).sum() == 298
    assert not crossing(lifted(heads)).any()


@often
@every_tree
def test_the_structure_takes_projective_trees_alone_and_what_is_made_of_the_others(heads):
    T = len(heads)
    x = ft.dense(np.zeros((T * T, 1)))
    with pytest.raises(UserError, match="projective") if crossing(heads).any() else nullcontext():
        dependency.build(x, [T], heads, single_root=False)
    whole = lifted(heads)
    made = single_rooted(whole)
    dependency.build(x, [T], heads, training_heads=made)
    assert (made != whole).sum() == (whole == 0).sum() - 1
