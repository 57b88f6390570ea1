"""Attachment scores against a slow count, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import attachments


def scores(predicted: list[list[int]], right: list[list[int]], punctuation: list[list[bool]]) -> tuple:
    problem = Problem(None, None, (), punctuation=np.concatenate(punctuation))
    labels, starts = map(np.concatenate, (predicted, right)), np.cumsum([0, *map(len, right)])
    return attachments.scores(Judged(problem, "test", *labels, starts))


def slow_scores(predicted: list[list[int]], right: list[list[int]], punctuation: list[list[bool]]) -> tuple:
    tokens, words, roots, trees = [], [], [], []
    for ours, theirs, marks in zip(predicted, right, punctuation, strict=True):
        tokens += [p == r for p, r in zip(ours, theirs, strict=True)]
        words += [p == r for p, r, mark in zip(ours, theirs, marks, strict=True) if not mark]
        under = [{token for token, head in enumerate(heads, 1) if head == 0} for heads in (ours, theirs)]
        roots.append(under[0] == under[1])
        trees.append(ours == theirs)
    return tuple(sum(good) / len(good) if good else math.nan for good in (tokens, words, roots, trees))


token = st.tuples(st.integers(0, 4), st.none() | st.integers(0, 4), st.booleans())


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=4))
def test_scores_are_the_slow_ones(drawn):
    predicted = [[p for p, _, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r, _ in sentence] for sentence in drawn]  # half of them alike
    punctuation = [[mark for _, _, mark in sentence] for sentence in drawn]
    found = scores(predicted, right, punctuation)
    assert found == pytest.approx(slow_scores(predicted, right, punctuation), nan_ok=True)


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([[2, 0, 2], [0]], (1, 1, 1, 1)),
        ([[2, 0, 1], [0]], (3 / 4, 1, 1, 1 / 2)),  # a comma hangs on another token
        ([[0, 1, 2], [0]], (2 / 4, 1 / 3, 1 / 2, 1 / 2)),  # another root
        ([[0, 0, 2], [0]], (3 / 4, 2 / 3, 1 / 2, 1 / 2)),  # one root too many
        ([[3, 0, 2], [0]], (3 / 4, 2 / 3, 1, 1 / 2)),
    ],
)
def test_by_hand(predicted, expected):
    found = scores(predicted, [[2, 0, 2], [0]], [[False, False, True], [False]])
    assert found == pytest.approx(expected)
    assert (found.attachment, found.word_attachment, found.right_roots, found.right_trees) == found
