"""What the builder of lists of candidates makes of losses, and of lists without labels."""

import numpy as np

from structbench.algorithms.structures import candidates
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.prediction import predictions


def build(counts, losses):
    return candidates.build(ft.dense(np.eye(len(losses))), np.array(counts), np.array(losses))


def test_the_first_candidate_of_least_loss_is_learned_and_costs_nothing():
    split = build([3, 2, 1], [2.0, 0.5, 0.5, 0.25, 1.0, 3.0])
    np.testing.assert_array_equal(split.y, [1, 0, 0])
    np.testing.assert_array_equal(split.losses, [1.5, 0, 0, 0, 0.75, 0])


def test_without_labels_the_decision_is_which_candidate_it_is():
    split = build([3, 2], [1.0, 0, 2, 0, 0])
    predicted, right, starts = predictions(split, np.array([0.0, 1, 5, 0, 2]))
    assert [*predicted] == [2, 1] and [*right] == [1, 0] and [*starts] == [0, 1, 2]
