"""Prediction by exact inference: the best output of every example of a split, and the share of errors."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


def predictions(split: Any, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted and gold labels of all decisions of a split, int32 (outputs,), example after example.

    Features whose weights are all 0 are left out, if there are many. The third array, int64 (n + 1,), says where
    each example's decisions begin.
    """
    if parts.has(split, parts.with_used_features):
        split, w = parts.with_used_features(parts.unwrap(split), w)
    split = parts.compiled(split)
    predicted, right, starts = room(split)
    parallel.for_each(_predict, len(starts) - 1, split, w, starts, predicted, right)
    return predicted, right, starts


def room(split: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrays for ``predictions``: two empty ones, and where each example's decisions begin in them."""
    starts = np.zeros(parts.num_examples(split) + 1, np.int64)
    _count_outputs(split, starts)
    np.cumsum(starts, out=starts)
    return np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32), starts


@kernel
def _count_outputs(split, starts):
    for i in range(starts.shape[0] - 1):
        starts[i + 1] = parts.num_decisions(split, i)


@kernel
def _predict(first, last, split, w, starts, predicted, right):
    for i in range(first, last):
        s = np.empty(parts.num_parts(split, i))
        y = np.empty_like(s)
        parts.scores(split, i, w, s)
        parts.argmax(split, i, s, y)
        parts.labels(split, i, y, predicted[starts[i] : starts[i + 1]])
        parts.gold_labels(split, i, right[starts[i] : starts[i + 1]])


def error_rate(split: Any, w: np.ndarray) -> float:
    """Share of decisions of a split that w predicts wrongly."""
    predicted, right, _ = predictions(split, w)
    return float(np.mean(predicted != right))
