"""Chunk precision, recall and F1 against two slow readings of the tags, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import chunks

LABELS = ("O", "B-NP", "I-NP", "B-VP", "I-VP")
UNSEEN = -1


def scores(predicted: list[list[int]], right: list[list[int]], counts: list | None = None) -> chunks.Scores:
    given = np.concatenate(predicted), np.concatenate(right), np.cumsum([0, *map(len, right)])
    return chunks.scores(Judged(Problem(None, None, LABELS), "test", *given, counts))


@pytest.mark.parametrize(
    ("predicted", "right", "f1"),
    [
        ([[1, 2, 0]], [[1, 2, 0]], 1.0),
        ([[2, 2, 0]], [[1, 2, 0]], 1.0),  # I- without B-
        ([[1, 1]], [[1, 2]], 0.0),  # two adjacent chunks, or one
        ([[1, 1]], [[1, 1]], 1.0),
        ([[1, 4]], [[1, 3]], 1.0),  # I- of another type begins a chunk
        ([[1], [2]], [[1], [1]], 1.0),  # a chunk ends with its sentence
        ([[1, 2, 2]], [[1, 2, 0]], 0.0),
        ([[1, 0, 3]], [[1, 0, 1]], 0.5),
        ([[0, 0]], [[0, 0]], math.nan),
        ([[0, 0]], [[1, 0]], 0.0),
        ([[1, 0]], [[UNSEEN, 0]], 0.0),
        ([[1, 3]], [[1, UNSEEN]], 0.5),
    ],
)
def test_f1_by_hand(predicted, right, f1):
    assert scores(predicted, right).f1 == pytest.approx(f1, nan_ok=True)


def boundaries(tags: list[str]) -> list[tuple[int, int, str]]:
    """Chunks by the two questions that the shared task's script asks at every token: ends one, begins one?"""
    found, start = [], 0
    before, kind_before = "O", ""
    for t, tag in enumerate([*tags, "O"]):
        place, _, kind = tag.partition("-")
        ends = before != "O" and (place in ("B", "O") or kind != kind_before)
        begins = place == "B" or (place == "I" and (before == "O" or kind != kind_before))
        if ends:
            found.append((start, t - 1, kind_before))
        if begins:
            start = t
        before, kind_before = place, kind
    return found


tag = st.integers(0, 4)
tokens = st.tuples(tag, st.none() | tag | st.just(UNSEEN))


@settings(max_examples=600, deadline=None, derandomize=True)
@given(st.lists(st.lists(tokens, min_size=1, max_size=8), min_size=1, max_size=4))
def test_scores_and_counts_of_each_sentence_are_those_of_boundaries(drawn):
    predicted = [[p for p, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r in sentence] for sentence in drawn]
    counted, expected = [], []
    found = scores(predicted, right, counted)
    for p, r in zip(predicted, right, strict=True):
        ours, theirs = (boundaries([(*LABELS, "B-unseen")[k] for k in tags]) for tags in (p, r))
        expected.append([sum(c in theirs for c in ours), len(ours), len(theirs)])
    assert counted[0].tolist() == expected
    both, ours, theirs = map(sum, zip(*expected, strict=True))
    shares = (both / n if n else math.nan for n in (ours, theirs, (ours + theirs) / 2))
    assert found == pytest.approx(tuple(shares), nan_ok=True)


OUT, BN, IN, BV, IV = range(5)


@pytest.mark.parametrize(
    ("predicted", "right", "precision", "recall"),
    [
        ([[BN, IN, OUT, BV]], [[BN, IN, OUT, BN]], 1 / 2, 1 / 2),  # of another type
        ([[IN, IN, OUT, IV]], [[BN, IN, OUT, BV]], 1, 1),  # I- without B-, at the beginning and after O
        ([[BN, BN, BN]], [[BN, IN, IN]], 0, 0),  # adjacent chunks of one type
        ([[BN, BN, OUT]], [[BN, BN, BN]], 1, 2 / 3),
        ([[BN, IV, IN]], [[BN, BV, BN]], 1, 1),  # a type that changes inside
        ([[BN, IV, IV]], [[BN, IN, IN]], 0, 0),
        ([[BN, IV]], [[BN, IN]], 0, 0),  # the first one ends early
        ([[OUT, BN], [IN, OUT]], [[OUT, BN], [BN, OUT]], 1, 1),  # sentences end chunks
        ([[OUT, BN], [IN, OUT]], [[OUT, OUT], [BN, IN]], 0, 0),
        ([[OUT, BN, IN], [BV]], [[OUT, BN, IN], [OUT]], 1 / 2, 1),
        ([[OUT, OUT], [OUT]], [[OUT, OUT], [OUT]], math.nan, math.nan),
        ([[OUT, OUT], [OUT]], [[BN, OUT], [OUT]], math.nan, 0),
        ([[BN, OUT], [OUT]], [[OUT, OUT], [OUT]], 0, math.nan),
        ([[BN], [BN], [BV]], [[BN], [BV], [BV]], 2 / 3, 2 / 3),  # the same place in another sentence
    ],
)
def test_precision_and_recall_by_hand(predicted, right, precision, recall):
    found = scores(predicted, right)
    assert found[:2] == pytest.approx((precision, recall), nan_ok=True)
    if precision > 0:
        assert found[2] == pytest.approx(2 * precision * recall / (precision + recall))


def test_types_may_contain_hyphens():
    problem, starts = Problem(None, None, ("B-a-b", "I-a-b", "I-a", "O")), np.array([0, 3])
    judged = Judged(problem, "test", np.array([0, 1, 3]), np.array([0, 2, 3]), starts)
    assert chunks.scores(judged).precision == 0
    assert chunks.scores(judged._replace(right=np.array([1, 1, 3]))).precision == 1
