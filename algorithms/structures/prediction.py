"""Prediction by exact inference on a split: best and k best outputs, probabilities, log Z and error rate."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import ranges
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

MANY = 32  # examples: to label fewer takes less time than to look for weights that are 0


def predictions(split: Any, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted and gold labels of all decisions of a split, int32 (outputs,), example after example.

    Features whose weights are all 0 are left out, if there are many of them and of examples. The third array,
    int64 (n + 1,), says where each example's decisions begin.
    """
    if parts.num_examples(split) >= MANY and parts.has(split, parts.with_used_features):
        split, w = parts.with_used_features(parts.unwrap(split), w)
    split = parts.compiled(split)
    predicted, right, starts = label_room(split)
    parallel.for_each(_predict, len(starts) - 1, split, w, starts, predicted)
    return predicted, right, starts


def label_room(split: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrays of ``predictions``, the first empty: predicted and gold labels, and where each example's begin."""
    starts = parts.starts(parts.num_decisions, split)
    return np.empty(starts[-1], np.int32), parts.gold_labels(split), starts


@kernel
def _predict(first, last, split, w, starts, predicted):
    for i in range(first, last):
        s = np.empty(parts.num_parts(split, i))
        y = np.empty_like(s)
        parts.scores(split, i, w, s)
        parts.argmax(split, i, s, y)
        parts.labels(split, i, y, predicted[starts[i] : starts[i + 1]])


def begins_with_labels(split: Any) -> bool:
    """Whether part vectors begin with a part for each label of each decision: those with ``rows``, and fields."""
    return parts.has(split, parts.rows) or getattr(split, "labels_first", False)


def label_probabilities(split: Any, w: np.ndarray, temperature: float, num_labels: int) -> np.ndarray:
    """The probability of each label at each decision, p(y) being proportional to exp(s . y / temperature).

    For structures whose part vectors begin with a part for each label of each decision (``CLASSES``,
    ``LABEL_SEQUENCES``).

    Returns:
        float64 (decisions, num_labels), example after example.
    """
    mu, offsets, _ = _marginals(split, w, temperature)
    ends = offsets[:-1] + np.diff(parts.starts(parts.num_decisions, split)) * num_labels
    places = ranges(np.stack([offsets[:-1], ends], axis=1).ravel(), 2 * np.arange(len(ends)))
    return mu[places].reshape(-1, num_labels)


def part_probabilities(split: Any, w: np.ndarray, temperature: float) -> list[np.ndarray]:
    """E[y] of each example, one number a part, y having the probability exp(s . y / temperature) / Z."""
    mu, offsets, _ = _marginals(split, w, temperature)
    return np.split(mu, offsets[1:-1])


def log_partitions(split: Any, w: np.ndarray, temperature: float) -> np.ndarray:
    """log Z of each example, the sum over outputs of exp(s . y / temperature); float64 (examples,)."""
    return _marginals(split, w, temperature)[2]


def _marginals(split: Any, w: np.ndarray, temperature: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E[y] of all examples, one after another; where each one's begins; and log Z of each."""
    split = parts.compiled(split)
    offsets = parts.offsets(split)
    mu, log_z = np.empty(offsets[-1]), np.empty(len(offsets) - 1)
    parallel.for_each(_fill, len(log_z), split, w, temperature, offsets, mu, log_z)
    return mu, offsets, log_z


@kernel
def _fill(first, last, split, w, temperature, offsets, mu, log_z):
    for i in range(first, last):
        s = np.empty(offsets[i + 1] - offsets[i])
        parts.scores(split, i, w, s)
        for r in range(s.shape[0]):
            s[r] /= temperature
        log_z[i] = parts.marginals(split, i, s, mu[offsets[i] : offsets[i + 1]])


def k_best(split: Any, w: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The labels of the ``k`` best outputs of each example, int32 (k, decisions), and their scores, (k, examples).

    Where an example has fewer outputs, labels are -1 and scores minus infinity.
    """
    split = parts.compiled(split)
    *_, starts = label_room(split)
    found, values = np.full((k, starts[-1]), -1, np.int32), np.empty((k, len(starts) - 1))
    parallel.for_each(_k_best, len(starts) - 1, split, w, starts, found, values)
    return found, values


@kernel
def _k_best(first, last, split, w, starts, found, values):
    k = found.shape[0]
    for i in range(first, last):
        s, best = np.empty(parts.num_parts(split, i)), np.empty(k)
        Y = np.empty((k, s.shape[0]))
        parts.scores(split, i, w, s)
        count = parts.k_best(split, i, s, Y, best)
        for r in range(k):
            values[r, i] = best[r]
            if r < count:
                parts.labels(split, i, Y[r], found[r, starts[i] : starts[i + 1]])


def error_rate(split: Any, w: np.ndarray) -> float:
    """Share of decisions of a split that w predicts wrongly."""
    predicted, right, _ = predictions(split, w)
    return float(np.mean(predicted != right))
