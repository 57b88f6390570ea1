"""Gold outputs: their counts of each feature, and the best gold output where choices are hidden.

Generative models and iterative scaling use the counts.
"""

from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import blocks
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


def observed(split: Any) -> np.ndarray:
    """sum_i f(x_i, y_i), shape (num_weights,)."""
    counts = np.zeros(parts.num_weights(split))
    for begin, offsets in blocks(split):
        parts.add_expected_features(split, begin, offsets, gold(split, begin, offsets), counts)
    return counts


def gold(split: Any, begin: int, offsets: np.ndarray) -> np.ndarray:
    """The gold outputs of the examples from ``begin`` on for which there are ``offsets``, one after another."""
    y = np.empty(offsets[-1])
    parallel.for_each(_gold, len(offsets) - 1, split, begin, offsets, y)
    return y


@kernel
def _gold(first, last, split, begin, offsets, y):
    for j in range(first, last):
        parts.gold(split, begin + j, y[offsets[j] : offsets[j + 1]])


@kernel
def subtract_from_gold(split, i, mu, out):
    """out = y_i - mu; returns whether it differs from 0."""
    parts.gold(split, i, out)
    differs = False
    for r in range(out.shape[0]):
        out[r] -= mu[r]
        differs = differs or out[r] != 0.0
    return differs


@kernel
def best_gold(split, i, s, y):
    """y = the parts of the gold output whose score s . y is largest; overwrites s.

    Only the cost tells which outputs are gold: it must be 1 or more for all others.
    """
    reach = 0.0
    for r in range(s.shape[0]):
        reach += abs(s[r]) if s[r] > -np.inf else 0.0
    parts.add_costs(split, i, -2.0 * reach - 1.0, s)  # no other output is worth it
    parts.argmax(split, i, s, y)


@kernel
def squared_norms(split):
    """sum_i ||f(x_i, y_i)||^2, and the number of decisions."""
    total, decisions = 0.0, 0
    for i in range(parts.num_examples(split)):
        y = np.empty(parts.num_parts(split, i))
        parts.gold(split, i, y)
        total += parts.squared_norm(split, i, y)
        decisions += parts.num_decisions(split, i)
    return total, decisions


def gold_norm(split: Any) -> float:
    """The mean of ||f(x_i, y_i)||^2 a decision."""
    total, decisions = squared_norms(split)
    return total / max(decisions, 1)
