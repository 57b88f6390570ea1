"""A warm-up sample: a few examples of a split, with few weights, on which kernels are compiled."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


def with_features(split: Any, most: int, among: int) -> np.ndarray:
    """Up to ``most`` of the first ``among`` examples, whose gold outputs have features.

    The first example, if there are none or no parts to tell.
    """
    if not parts.has(split, parts.squared_norm):
        return np.zeros(1, np.int64)
    found = np.zeros(most, np.int64)
    count = _with_features(parts.compiled(split), min(among, parts.num_examples(split)), found)
    return found[: max(count, 1)]


@kernel
def _with_features(split, among, found):
    count = 0
    for i in range(among):
        y = np.empty(parts.num_parts(split, i))
        parts.gold(split, i, y)
        if parts.squared_norm(split, i, y) > 0.0:
            found[count] = i
            count += 1
            if count == found.shape[0]:
                break
    return count


def without_other_features(split: Any) -> Any:
    """The split without features that none of its examples has, if there are many of these."""
    if not (parts.has(split, parts.with_used_features) and parts.has(split, parts.add_expected_features)):
        return split
    offsets, w = parts.offsets(split), np.zeros(parts.num_weights(split))
    parts.add_expected_features(split, 0, offsets, np.ones(offsets[-1]), w)
    return parts.with_used_features(parts.unwrap(split), w)[0]
