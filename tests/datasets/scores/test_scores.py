"""Scores of predictions against slow counts, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.datasets.constituency import spans
from structbench.datasets.constituency.binarised import binarised
from structbench.datasets.constituency.treebank_grammar import positions
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import attachments, attributes, brackets, chunks, factorial
from structbench.datasets.text.brackets import read_cleaned
from structbench.datasets.text.trees import leaves


def judged(problem, predicted, right, *counts):
    """Of labels of each example."""
    starts = np.cumsum([0, *map(len, right)])
    return Judged(problem, "test", np.concatenate(predicted), np.concatenate(right), starts, *counts)


# ---- chunks ----------------------------------------------------------------------------------------


LABELS = ("O", "B-NP", "I-NP", "B-VP", "I-VP")
UNSEEN = -1


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
def test_scores_of_chunks_are_those_of_boundaries(drawn):
    predicted = [[p for p, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r in sentence] for sentence in drawn]
    counted, expected = [], []
    found = chunks.scores(judged(Problem(None, None, LABELS), predicted, right, counted))
    for p, r in zip(predicted, right, strict=True):
        ours, theirs = (boundaries([(*LABELS, "B-unseen")[k] for k in tags]) for tags in (p, r))
        expected.append([sum(c in theirs for c in ours), len(ours), len(theirs)])
    assert counted[0].tolist() == expected
    both, ours, theirs = map(sum, zip(*expected, strict=True))
    shares = (both / n if n else math.nan for n in (ours, theirs, (ours + theirs) / 2))
    assert (found.precision, found.recall, found.f1) == pytest.approx(tuple(shares), nan_ok=True)


def test_types_may_contain_hyphens():
    problem = Problem(None, None, ("B-a-b", "I-a-b", "I-a", "O"))
    assert chunks.scores(judged(problem, [[0, 1, 3]], [[0, 2, 3]])).precision == 0
    assert chunks.scores(judged(problem, [[0, 1, 3]], [[1, 1, 3]])).precision == 1


# ---- heads -----------------------------------------------------------------------------------------


def of_heads(predicted: list[list[int]], right: list[list[int]], punctuation: list[list[bool]]) -> tuple:
    marks = np.concatenate(punctuation)
    of_test = judged(Problem(None, None, (), punctuation=np.append(~marks, marks)), predicted, right)
    of_train = of_test._replace(
        problem=Problem(None, None, (), punctuation=np.append(marks, ~marks)), which="train"
    )
    assert attachments.scores(of_train) == pytest.approx(attachments.scores(of_test), nan_ok=True)
    found = attachments.scores(of_test)
    return found.attachment, found.word_attachment, found.right_roots, found.right_trees


def slowly_of_heads(predicted: list[list[int]], right: list[list[int]], punctuation: list[list[bool]]) -> tuple:
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
def test_scores_of_heads_are_the_slow_ones(drawn):
    predicted = [[p for p, _, _ in sentence] for sentence in drawn]
    right = [[p if r is None else r for p, r, _ in sentence] for sentence in drawn]  # half of them alike
    punctuation = [[mark for _, _, mark in sentence] for sentence in drawn]
    found = of_heads(predicted, right, punctuation)
    assert found == pytest.approx(slowly_of_heads(predicted, right, punctuation), nan_ok=True)


# ---- brackets --------------------------------------------------------------------------------------


GOLD = "(S (NP (DT The) (NN cat)) (VP (VBZ sees) (NP (NP (DT a) (NN dog)) (PP (IN in) (NP (NN town))))) (. .))"


def of_trees(*pairs: tuple[str, str]):
    """Of (predicted, right) trees in brackets; a predicted one may be missing."""
    trees = [read_cleaned(each or right, "x")[0] for found, right in pairs for each in (found, right)]
    placed = [positions(binarised(tree)) for tree in trees]
    labels = spans.numbered(placed)
    rows = [spans.span_labels(each, labels) for each in placed]
    predicted = [row * bool(pair[0]) for row, pair in zip(rows[::2], pairs, strict=True)]
    counted = spans.without_punctuation(list(leaves(tree)) for tree in trees[1::2])
    problem = Problem(None, None, tuple(labels), brackets=counted)
    return brackets.scores(judged(problem, predicted, rows[1::2]))


def test_wrong_and_missing_brackets():
    """The phrase goes up: of seven right brackets (S NP VP NP NP PP NP) one is missing, and none is wrong."""
    found = "(S (NP (DT The) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog)) (PP (IN in) (NP (NN town)))) (. .))"
    assert of_trees((found, GOLD)) == pytest.approx((1, 6 / 7, 12 / 13, 0))
    assert of_trees((GOLD.replace("(PP ", "(ADVP "), GOLD)) == pytest.approx((6 / 7, 6 / 7, 6 / 7, 0))


def test_punctuation_is_deleted():
    """Where a comma hangs does not matter, nor how many there are; a bracket over nothing else is none."""
    right = "(S (NP (NN a)) (, ,) (VP (VB b) (X (`` `) ('' '))) (. .))"
    found = "(S (NP (NN a) (, ,)) (VP (VB b) (`` `) ('' ') (. .)))"
    assert of_trees((found, right)) == (1, 1, 1, 1)
    other = right.replace("(, ,)", "($ ,)")  # a part of speech that counts
    assert of_trees((found.replace("(, ,)", "($ ,)"), other)).precision == pytest.approx(2 / 3)


def test_the_root_does_not_count():
    assert of_trees(("(TOP (NN a) (NN b))", "(X (NN a) (NN b))"))[1:] == (0, 0, 0)
    assert np.isnan(of_trees(("(TOP (NN a) (NN b))", "(X (NN a) (NN b))")).precision)
    assert of_trees(("(TOP (S (NN a)) (X (NN b)))", "(TOP (S (NN a)) (Y (NN b)))")).precision == 0.5


@pytest.mark.parametrize(
    ("found", "right", "expected"),
    [
        ("(S (VP (VB a) (NN b)))", "(S (VP (X (VB a) (NN b))))", (1, 2 / 3, 4 / 5, 0)),  # each bracket of a chain
        ("(NP (NP (NN a)))", "(NP (NN a))", (0.5, 1, 2 / 3, 0)),
        ("(S (PRT (RP a)) (NN b))", "(S (ADVP (RP a)) (NN b))", (1, 1, 1, 1)),  # particles are adverbs
        ("(S (NN a) (NN b))", "(S (DT a) (VB b))", (1, 1, 1, 1)),  # parts of speech do not count
    ],
)
def test_what_counts_once(found, right, expected):
    assert of_trees((found, right)) == pytest.approx(expected)


def test_sentences_are_added_up_not_averaged():
    """Nothing is predicted of the second: two of its brackets are missing. Its spans are its own."""
    found = of_trees((GOLD, GOLD), ("", "(S (VP (VB a) (NN b)))"))
    assert found == pytest.approx((1, 7 / 9, 14 / 16, 0.5))
    one, other = "(S (NN a) (NN b))", "(X (NN a) (NN b))"
    assert of_trees((one, other), (other, one)).f1 == 0


def test_no_brackets_at_all():
    none = np.zeros(3, np.int32)
    problem = Problem(None, None, ("none", "S"), brackets=np.arange(3))
    found = brackets.scores(judged(problem, [none], [none]))
    assert found == pytest.approx((math.nan, math.nan, math.nan, 1), nan_ok=True)


# ---- decisions in turn -----------------------------------------------------------------------------


OF_BOTH = (2, 1, 0, 2, 1, 0, 3, 1)  # part of speech and chunk tag of four tokens: NP of two, O, NP of one


@pytest.mark.parametrize(
    ("predicted", "right", "expected"),
    [
        (OF_BOTH, OF_BOTH, (0, 1, 1, 1, 0, 0)),
        ((2, 1, 1, 2, 1, 0, 3, 0), OF_BOTH, (0.5, 1, 0.5, 2 / 3, 0.25, 0.25)),
        ((2, 1, 0, 2), (-1, 1, 0, 2), (0.5, 1, 1, 1, 0.5, 0)),  # a part of speech that training never saw
        ((2, 1, 0, 2), (2, -1, 0, 2), (0.5, 0, 0, 0, 0, 0.5)),  # a chunk tag
    ],
)
def test_decisions_in_turn_by_hand(predicted, right, expected):
    found = factorial.scores(judged(Problem(None, None, ("O", "B-NP", "I-NP")), [predicted], [right]))
    assert found == pytest.approx(expected)
    assert found._fields == ("error", "precision", "recall", "f1", "tag_error", "chunk_error")


# ---- attributes ------------------------------------------------------------------------------------


RIGHT = (0, 1, 2, 3, 0, 1, 0, 0, 3)  # of three examples
KEYLESS = (0, 1, 2, 3, 0, 0, 0, 0, 3)  # the second has no key attribute, and is not counted


@pytest.mark.parametrize(
    ("predicted", "right", "f1", "accuracy"),
    [
        ((0, 1, 2, 0, 0, 1, 0, 0, 3), RIGHT, (1 + 1 + 2 / 3) / 3, 1),  # one 3 missed
        ((0, 1, 1, 3, 1, 1, 0, 0, 3), RIGHT, (2 * 2 / 6 + 0 + 1) / 3, 0),  # a 2 and another node taken for 1
        ((0, 1, 2, 3, 0, 0, 0, 0, 0), RIGHT, (2 / 3 + 1 + 2 / 3) / 3, 0.5),
        (KEYLESS, KEYLESS, 1, 1),
        ((0, 1, 2, 3, 1, 0, 0, 0, 3), KEYLESS, (2 / 3 + 1 + 1) / 3, 1),
        ((1, *RIGHT[1:]), (-1, *RIGHT[1:]), (4 / 5 + 1 + 1 + 0) / 4, 0.5),  # a label that training never saw
        ((0,) * 9, (0,) * 9, math.nan, math.nan),
        ((0, 1, *(0,) * 7), (0, 1, *(0,) * 7), 1, 1),  # without what is neither there nor predicted
    ],
)
def test_attributes_by_hand(predicted, right, f1, accuracy):
    problem = Problem(None, None, ("none", *"abc"), attributes=(1, 2, 3), key_attributes=(1, 2))
    predicted, right = ([each[:4], each[4:6], each[6:]] for each in (predicted, right))
    assert attributes.scores(judged(problem, predicted, right)) == pytest.approx((f1, accuracy), nan_ok=True)
