"""Predictions and errors of a whole split."""

import numpy as np
import pytest

from algorithms import parallel
from algorithms.inference import error_rate, predictions
from algorithms.structures import parts
from tests.algorithms.oracle import STRUCTURES, case


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("threads", [1, 3])
def test_predictions_are_the_oracle_s_best_outputs(name, threads):
    parallel.set_threads(threads)
    small = case(name, seed=4, unseen=0.3)
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    predicted, right, starts = predictions(small.split, w)
    best = [e.labels[e.best(e.features @ w)] for e in small.examples]
    np.testing.assert_array_equal(predicted, np.concatenate(best))
    np.testing.assert_array_equal(right, np.concatenate([e.right for e in small.examples]))
    np.testing.assert_array_equal(np.diff(starts), [len(e.right) for e in small.examples])


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_label_that_training_never_saw_is_an_error(name):
    small = case(name, unseen=1.0)
    assert error_rate(small.split, np.zeros(parts.num_weights(small.split))) == 1.0


@pytest.mark.parametrize("name", STRUCTURES)
def test_errors_are_counted_by_decision(name):
    small = case(name, seed=4)
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    wrong = sum(e.losses[e.best(e.features @ w)] for e in small.examples)
    assert error_rate(small.split, w) == pytest.approx(wrong / sum(len(e.right) for e in small.examples))
