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
        y = np.empty(offsets[-1])
        parallel.for_each(_gold, len(offsets) - 1, split, begin, offsets, y)
        parts.add_expected_features(split, begin, offsets, y, counts)
    return counts


@kernel
def _gold(first, last, split, begin, offsets, y):
    for j in range(first, last):
        parts.gold(split, begin + j, y[offsets[j] : offsets[j + 1]])


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
