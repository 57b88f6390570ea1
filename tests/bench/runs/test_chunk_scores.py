"""Chunk precision, recall and F1 against two slow readings of the tags, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.bench.runs.chunk_scores import chunk_counts, chunk_scores

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


def slow_scores(predicted: list[list[int]], right: list[list[int]]) -> tuple[float, float, float]:
    """Counted sentence by sentence."""
    both = found = wanted = 0
    for p, r in zip(predicted, right, strict=True):
        ours, theirs = (boundaries([LABELS[tag] for tag in tags]) for tags in (p, r))
        both, found, wanted = both + sum(c in theirs for c in ours), found + len(ours), wanted + len(theirs)
    precision, recall = both / found if found else math.nan, both / wanted if wanted else math.nan
    return precision, recall, 2 * both / (found + wanted) if found + wanted else math.nan


def fast_scores(predicted: list[list[int]], right: list[list[int]]) -> tuple[float, float, float]:
    starts = np.cumsum([0, *map(len, right)])
    return chunk_scores(np.concatenate(predicted), np.concatenate(right), starts, LABELS)


seen = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.none() | st.integers(0, 4)), min_size=1, max_size=7),
    min_size=1,
    max_size=4,
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(seen)
def test_scores_are_those_of_boundaries(drawn):
    predicted = [[p for p, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r in sentence] for sentence in drawn]
    assert fast_scores(predicted, right) == pytest.approx(slow_scores(predicted, right), nan_ok=True)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(seen)
def test_counts_of_each_sentence_are_those_of_its_boundaries(drawn):
    predicted = [[p for p, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r in sentence] for sentence in drawn]
    starts = np.cumsum([0, *map(len, right)])
    counts = chunk_counts(np.concatenate(predicted), np.concatenate(right), starts, LABELS)
    for count, p, r in zip(counts.tolist(), predicted, right, strict=True):
        ours, theirs = (boundaries([LABELS[tag] for tag in tags]) for tags in (p, r))
        assert count == [sum(c in theirs for c in ours), len(ours), len(theirs)]


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
    found = fast_scores(predicted, right)
    assert found[:2] == pytest.approx((precision, recall), nan_ok=True)
    if precision > 0:
        assert found[2] == pytest.approx(2 * precision * recall / (precision + recall))


def test_only_O_in_the_labels():
    starts, tags = np.array([0, 2]), np.zeros(2, int)
    assert np.isnan(chunk_scores(tags, tags, starts, ("O",))).all()


def test_types_may_contain_hyphens():
    labels, starts = ("B-a-b", "I-a-b", "I-a", "O"), np.array([0, 3])
    assert chunk_scores(np.array([0, 1, 3]), np.array([0, 2, 3]), starts, labels)[0] == 0
    assert chunk_scores(np.array([0, 1, 3]), np.array([1, 1, 3]), starts, labels)[0] == 1
