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
        dependency.build(x, [T], heads, single_root=False)
    whole = lifted(heads)
    made = single_rooted(whole)
    dependency.build(x, [T], heads, training_heads=made)
    assert (made != whole).sum() == (whole == 0).sum() - 1
