"""What the right outputs have of each feature: the counts of generative models and of iterative scaling."""

from typing import Any

import numpy as np

from algorithms.learning.objective import blocks
from algorithms.runtime import parallel
from algorithms.runtime.kernel import kernel
from algorithms.structures import interface as parts


def observed(split: Any) -> np.ndarray:
    """sum_i f(x_i, y_i), shape (num_weights,)."""
    counts = np.zeros(parts.num_weights(split))
    for block, offsets in blocks(split):
        y = np.empty(offsets[-1])
        parallel.for_each(_gold, len(offsets) - 1, block, offsets, y)
        parts.add_expected_features(block, offsets, y, counts)
    return counts


@kernel
def _gold(first, last, split, offsets, y):
    for i in range(first, last):
        parts.gold(split, i, y[offsets[i] : offsets[i + 1]])
