"""Warm starts: weights and dual variables where an earlier fit with the same labels and features ended."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.losses.family import Loss
from structbench.algorithms.losses.terms import augment
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


class Start(NamedTuple):
    """``weights``: of features. ``stored``: ``Dual.stored`` of the same algorithm, for as many parts; or None."""

    weights: np.ndarray
    stored: np.ndarray | None = None


def attaining_scores(split: Any, loss: Loss, w: np.ndarray) -> np.ndarray:
    """The s_i of all examples, one after another, whose u_i = p(s_i) attain a smooth loss at w."""
    offsets = parts.offsets(split)
    found = np.empty(offsets[-1])
    parallel.for_each(_scores, len(offsets) - 1, split, loss, w, offsets, found)
    found /= loss.temperature
    return found


@kernel
def _scores(first, last, split, loss, w, offsets, found):
    for i in range(first, last):
        s = found[offsets[i] : offsets[i + 1]]
        parts.scores(split, i, w, s)
        augment(loss, split, i, s)
