"""The loops whose seconds are compared do the operations of EG that they are named after."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs.update_costs import OPERATIONS, SHARED
from structbench.bench.workflow import breakdown
from tests.datasets.matrices import array_of


def test_all_operations_are_a_pass_of_eg() -> None:
    split = datasets.build("toy-points:points=5").train
    n, k = parts.num_examples(split), parts.num_parts(parts.unwrap(split), 0)
    offsets, w, s, mu = breakdown._state(split)
    scores, begun = s.reshape(n, k).copy(), mu.reshape(n, k).copy()
    np.testing.assert_array_equal(scores, -breakdown.START * (np.arange(k) != parts.unwrap(split).y[:, None]))
    np.testing.assert_allclose(begun, np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True))
    total = breakdown._loop(split, np.arange(n), offsets, w, s, mu, len(OPERATIONS))
    ended = mu.reshape(n, k)
    features = array_of(parts.rows(parts.unwrap(split)))
    np.testing.assert_allclose(w.reshape(-1, k), features.T @ (begun - ended), atol=1e-12)
    entropy = -(ended * np.log(ended)).sum()
    assert total == pytest.approx(entropy - (w**2).sum() / (2 * breakdown.C))


def test_the_loop_of_sgd_takes_its_steps() -> None:
    split = datasets.build("toy-points:points=5").train
    features, k = array_of(parts.rows(parts.unwrap(split))), parts.num_parts(parts.unwrap(split), 0)
    _, w, s, mu = breakdown._state(split)
    visited, weights = np.array([3, 1, 3]), np.zeros((features.shape[1], k))
    breakdown._loop_of_sgd(split, visited, parts.offsets(split), w, s, mu, len(SHARED))
    for i in visited:
        scores = features[i] @ weights
        gold = np.arange(k) == parts.unwrap(split).y[i]
        weights += breakdown.RATE * np.outer(features[i], gold - np.exp(scores) / np.exp(scores).sum())
    np.testing.assert_allclose(w.reshape(-1, k), weights, atol=1e-14)
