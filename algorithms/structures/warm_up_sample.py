"""A warm-up sample: a few examples of a split, with few weights, on which kernels are compiled."""

from typing import Any

import numpy as np

from structbench.algorithms.structures import interface as parts

MOST, AMONG = 4, 1000  # examples of a sample, and the first examples that it is taken from


def sample(split: Any, one: bool) -> tuple[np.ndarray, Any]:
    """The numbers of some examples of a split with features, and the split of these, or of the first, alone."""
    found = with_features(split, MOST, AMONG)
    taken = parts.take(split, found[:1] if one else found)
    return found, parts.compiled(without_other_features(taken))


def with_features(split: Any, most: int, among: int) -> np.ndarray:
    """Up to ``most`` of the first ``among`` examples, which have features.

    The first example, if none has any or there are no parts to tell.
    """
    if not parts.has(split, parts.add_expected_features):
        return np.zeros(1, np.int64)
    split, found = parts.unwrap(split), []
    for i in range(min(among, parts.num_examples(split))):
        sizes, w = np.array([0, parts.num_parts(split, i)]), np.zeros(parts.num_weights(split))
        parts.add_expected_features(split, i, sizes, np.ones(sizes[1]), w)
        found += [i] if w.any() else []
        if len(found) == most:
            break
    return np.array(found or [0])


def without_other_features(split: Any) -> Any:
    """The split without features that none of its examples has, if there are many of these."""
    if not (parts.has(split, parts.with_used_features) and parts.has(split, parts.add_expected_features)):
        return split
    offsets, w = parts.offsets(split), np.zeros(parts.num_weights(split))
    parts.add_expected_features(split, 0, offsets, np.ones(offsets[-1]), w)
    return parts.with_used_features(parts.unwrap(split), w)[0]
