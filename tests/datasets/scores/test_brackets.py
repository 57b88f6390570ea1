"""Bracket scores as evalb counts them, on cases worked out by hand."""

import numpy as np
import pytest

from structbench.datasets.constituency import spans
from structbench.datasets.constituency.binarised import binarised
from structbench.datasets.constituency.treebank_grammar import positions
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import brackets as counted_brackets
from structbench.datasets.text import brackets
from structbench.datasets.text.trees import leaves

GOLD = "(S (NP (DT The) (NN cat)) (VP (VBZ sees) (NP (NP (DT a) (NN dog)) (PP (IN in) (NP (NN town))))) (. .))"


def scores(*pairs: tuple[str, str]):
    """Of (predicted, right) trees in brackets; a predicted one may be missing."""
    trees = [brackets.read_cleaned(each or right, "x")[0] for found, right in pairs for each in (found, right)]
    placed = [positions(binarised(tree)) for tree in trees]
    labels = spans.numbered(placed)
    rows = [spans.span_labels(each, labels) for each in placed]
    predicted = [row * bool(pair[0]) for row, pair in zip(rows[::2], pairs, strict=True)]
    starts = np.cumsum([0, *map(len, predicted)])
    counted = spans.without_punctuation(list(leaves(tree)) for tree in trees[1::2])
    problem = Problem(None, None, tuple(labels), brackets=counted)
    given = np.concatenate(predicted), np.concatenate(rows[1::2]), starts
    return counted_brackets.scores(Judged(problem, "test", *given))


def test_one_wrong_attachment():
    """The phrase goes up: of seven right brackets (S NP VP NP NP PP NP) one is missing, and none is wrong."""
    found = "(S (NP (DT The) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog)) (PP (IN in) (NP (NN town)))) (. .))"
    assert scores((found, GOLD)) == (1, pytest.approx(6 / 7), pytest.approx(12 / 13), 0)


def test_a_wrong_label_is_wrong_once_and_missing_once():
    found = GOLD.replace("(PP ", "(ADVP ")
    assert scores((found, GOLD)) == (pytest.approx(6 / 7), pytest.approx(6 / 7), pytest.approx(6 / 7), 0)


def test_punctuation_is_deleted():
    """Where a comma hangs does not matter, nor how many there are; a bracket over nothing else is none."""
    right = "(S (NP (NN a)) (, ,) (VP (VB b) (X (`` `) ('' '))) (. .))"
    found = "(S (NP (NN a) (, ,)) (VP (VB b) (`` `) ('' ') (. .)))"
    assert scores((found, right)) == (1, 1, 1, 1)
    other = right.replace("(, ,)", "($ ,)")  # a part of speech that counts
    assert scores((found.replace("(, ,)", "($ ,)"), other)).precision == pytest.approx(2 / 3)


def test_the_root_does_not_count():
    assert scores(("(TOP (NN a) (NN b))", "(X (NN a) (NN b))"))[1:] == (0, 0, 0)
    assert np.isnan(scores(("(TOP (NN a) (NN b))", "(X (NN a) (NN b))")).precision)
    assert scores(("(TOP (S (NN a)) (X (NN b)))", "(TOP (S (NN a)) (Y (NN b)))")).precision == 0.5


def test_chains_count_each_of_their_brackets():
    assert scores(("(S (VP (VB a) (NN b)))", "(S (VP (X (VB a) (NN b))))")).recall == pytest.approx(2 / 3)
    assert scores(("(NP (NP (NN a)))", "(NP (NN a))")) == (0.5, 1, pytest.approx(2 / 3), 0)


def test_particles_are_adverbs():
    assert scores(("(S (PRT (RP a)) (NN b))", "(S (ADVP (RP a)) (NN b))")) == (1, 1, 1, 1)


def test_parts_of_speech_do_not_count():
    assert scores(("(S (NN a) (NN b))", "(S (DT a) (VB b))")) == (1, 1, 1, 1)


def test_sentences_are_added_up_not_averaged():
    """Nothing is predicted of the second: two of its brackets are missing."""
    found = scores((GOLD, GOLD), ("", "(S (VP (VB a) (NN b)))"))
    assert found == (1, pytest.approx(7 / 9), pytest.approx(14 / 16), 0.5)


def test_the_same_span_of_another_sentence_is_another():
    assert scores(("(S (NN a) (NN b))", "(X (NN a) (NN b))"), ("(X (NN a) (NN b))", "(S (NN a) (NN b))")).f1 == 0


def test_nothing_at_all():
    none = np.zeros(3, np.int32)
    problem = Problem(None, None, ("none", "S"), brackets=np.arange(3))
    found = counted_brackets.scores(Judged(problem, "train", none, none, np.array([0, 3])))
    assert np.isnan(found[:3]).all()
    assert found.complete == 1
