"""What the builders of lists of candidates and of classes make of losses and labels, and what they refuse."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import candidates, multiclass
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions


def build(counts, losses, *rest):
    return candidates.build(ft.dense(np.eye(len(losses))), np.array(counts), np.array(losses), *rest)


def test_the_first_candidate_of_least_loss_is_learned_and_costs_nothing():
    split = build([3, 2, 1], [2.0, 0.5, 0.5, 0.25, 1.0, 3.0])
    np.testing.assert_array_equal(split.y, [1, 0, 0])
    np.testing.assert_array_equal(split.losses, [1.5, 0, 0, 0, 0.75, 0])


def test_without_labels_the_decision_is_which_candidate_it_is():
    split = build([3, 2], [1.0, 0, 2, 0, 0])
    predicted, right, starts = predictions(split, np.array([0.0, 1, 5, 0, 2]))
    assert [*predicted] == [2, 1] and [*right] == [1, 0] and [*starts] == [0, 1, 2]


def test_predictions_are_the_labels_of_the_candidate_with_the_largest_score():
    listed, right = np.array([0, 1, 2, 2, 5, 6, 7]), np.array([2, 1, 7])
    split = build([2, 3], [1.0, 1.0, 1.0, 1.0, 0.0], listed, right, np.array([2, 1]))
    predicted, wanted, _ = predictions(split, np.array([0.0, 1, 0, 3, 2]))
    assert [*predicted] == [2, 2, 6] and [*wanted] == [2, 1, 7]
    assert parts.num_examples(split) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([2, 0], [0.0, 1.0]), "example 1 has no candidates"),
        (([2, 1], [0.0, 1.0]), "the examples have 3 candidates, but there are 2 rows and 2 losses"),
        (([2], [0.0, np.inf]), "loss of candidate 1 of example 0 must be finite, not inf"),
        (
            ([2], [0.0, 1.0], np.zeros(3), np.zeros(2), np.array([2])),
            "1 lengths, 2 right labels and 3 listed ones do not fit 1 examples with 2 candidates",
        ),
    ],
)
def test_build_refuses_what_does_not_fit(arguments, message):
    with pytest.raises(UserError, match=message):
        build(*arguments)


@pytest.mark.parametrize(
    ("y", "message"),
    [([0], "2 feature rows but 1 labels"), ([0, 3], r"label of example 1 must lie in -1 \.\. 2, not 3")],
)
def test_classes_that_do_not_fit_are_refused(y, message):
    with pytest.raises(UserError, match=message):
        multiclass.build(ft.dense(np.ones((2, 2))), np.array(y), 3)
