"""Scores of attributes, counted by hand."""

import math

import numpy as np
import pytest

from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import attributes as counted

STARTS = np.array([0, 4, 6, 9])


def scores(predicted, right):
    problem = Problem(None, None, (), attributes=(1, 2, 3), key_attributes=(1, 2))
    return counted.scores(Judged(problem, "test", np.array(predicted), np.array(right), STARTS))


def test_counted_by_hand():
    right = [0, 1, 2, 3, 0, 1, 0, 0, 3]
    found = scores([0, 1, 2, 0, 0, 1, 0, 0, 3], right)  # one 3 missed
    assert found == pytest.approx((np.mean([1, 1, 2 / 3]), 1.0))
    found = scores([0, 1, 1, 3, 1, 1, 0, 0, 3], right)  # a 2 taken for 1, and another node for 1
    assert found == pytest.approx((np.mean([2 * 2 / 6, 0, 1]), 0.0))
    found = scores([0, 1, 2, 3, 0, 0, 0, 0, 0], right)  # the 1 of the second and the 3 of the third missed
    assert found == pytest.approx((np.mean([2 / 3, 1, 2 / 3]), 0.5))


def test_an_example_without_key_attributes_is_not_counted():
    right = [0, 1, 2, 3, 0, 0, 0, 0, 3]
    assert scores(right, right) == (1.0, 1.0)
    assert scores([0, 1, 2, 3, 1, 0, 0, 0, 3], right).instance_accuracy == 1.0
    assert scores([0, 1, 2, 3, 1, 0, 0, 0, 3], right).average_f1 < 1.0


def test_labels_that_training_never_saw_are_wrong():
    assert scores([1, 1, 2, 3, 0, 1, 0, 0, 3], [-1, 1, 2, 3, 0, 1, 0, 0, 3]).instance_accuracy == 0.5


def test_nothing_to_divide_by():
    found = scores([0] * 9, [0] * 9)
    assert math.isnan(found.average_f1) and math.isnan(found.instance_accuracy)
    assert scores([0, 1, *[0] * 7], [0, 1, *[0] * 7]).average_f1 == 1.0  # of what is neither there nor predicted
