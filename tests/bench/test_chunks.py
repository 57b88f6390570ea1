"""Chunk F1 against a slow reading of the tags, one by one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chunks import chunk_scores

LABELS = ("O", "B-NP", "I-NP", "B-VP", "I-VP")
UNSEEN = -1


def slow_chunks(sentence: list[int], number: int) -> set[tuple]:
    """(sentence, first, last, type); an I- that continues nothing begins a chunk, as in conlleval."""
    found, first, kind = set(), 0, None
    for t, tag in enumerate([*sentence, 0]):
        name = f"B-unseen{t}" if tag == UNSEEN else LABELS[tag]
        if kind is not None and not (name.startswith("I-") and name[2:] == kind):
            found.add((number, first, t - 1, kind))
            kind = None
        if name != "O" and kind is None:
            first, kind = t, name[2:]
    return found


def slow_f1(predicted: list[list[int]], right: list[list[int]]) -> float:
    found, wanted = (
        set().union(*(slow_chunks(sentence, number) for number, sentence in enumerate(tags)))
        for tags in (predicted, right)
    )
    if not found and not wanted:
        return math.nan
    if not found & wanted:
        return 0.0
    precision, recall = len(found & wanted) / len(found), len(found & wanted) / len(wanted)
    return 2 * precision * recall / (precision + recall)


def fast_f1(predicted: list[list[int]], right: list[list[int]]) -> float:
    starts = np.cumsum([0, *map(len, right)])
    return chunk_scores(np.concatenate(predicted), np.concatenate(right), starts, LABELS)[2]


token = st.tuples(st.integers(0, 4), st.sampled_from([None, None, None, UNSEEN, 0, 1, 2, 3, 4]))
sentences = st.lists(st.lists(token, min_size=1, max_size=8), min_size=1, max_size=4)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(sentences)
def test_f1_is_the_slow_one(drawn):
    predicted = [[p for p, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r in sentence] for sentence in drawn]  # mostly alike
    assert fast_f1(predicted, right) == pytest.approx(slow_f1(predicted, right), nan_ok=True)


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
    assert fast_f1(predicted, right) == pytest.approx(f1, nan_ok=True)
