"""Scores of decisions in turn: a token is right if both of its labels are, and unseen labels are wrong."""

import numpy as np
import pytest

from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import factorial

LABELS = ("O", "B-NP", "I-NP")


def scores(predicted: list[int], right: list[int]):
    starts = np.array([0, len(right)])
    return factorial.scores(
        Judged(Problem(None, None, LABELS), "test", np.array(predicted), np.array(right), starts)
    )


def test_counted_by_hand():
    right = [2, 1, 0, 2, 1, 0, 3, 1]  # part of speech and chunk tag of four tokens: NP of two, O, NP of one
    found = scores(right, right)
    assert (found.error, found.f1, found.tag_error, found.chunk_error) == (0.0, 1.0, 0.0, 0.0)
    found = scores([2, 1, 1, 2, 1, 0, 3, 0], right)  # the second's part of speech, the fourth's tag
    assert (found.error, found.tag_error, found.chunk_error) == (0.5, 0.25, 0.25)
    assert (found.precision, found.recall) == (1.0, 0.5)


@pytest.mark.parametrize("place", [0, 1])
def test_a_label_that_training_never_saw_makes_its_token_wrong(place: int):
    right = [2, 1, 0, 2]
    right[place] = -1
    assert scores([2, 1, 0, 2], right).error == 0.5
