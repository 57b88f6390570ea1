"""The operations of one example as compiled code runs them."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from algorithms.structures import parts


class Answers(NamedTuple):
    """What the operations say of one example, for weights w and any two part vectors s and v."""

    scores: np.ndarray
    mu: np.ndarray
    log_z: float
    best: np.ndarray
    top: float
    best_labels: np.ndarray
    worst: np.ndarray  # loss-augmented argmax
    worst_top: float
    gold: np.ndarray
    right: np.ndarray
    moved: np.ndarray  # w + 0.5 * sum_r v_r f(x_i, r)
    norm: float  # || sum_r v_r f(x_i, r) ||^2
    augmented: np.ndarray  # v + 2 e_i


def operations(split: Any, i: int, w: np.ndarray, s: np.ndarray, v: np.ndarray) -> Answers:
    return Answers(*_operations(split, i, w, s, v))


@njit(cache=True, error_model="numpy")
def _operations(split, i, w, s, v):
    m, outputs = parts.num_parts(split, i), parts.num_outputs(split, i)
    scores, mu, best = np.empty(m), np.empty(m), np.empty(m)
    parts.scores(split, i, w, scores)
    log_z = parts.marginals(split, i, s, mu)
    top = parts.argmax(split, i, s, best)
    best_labels = np.empty(outputs, np.int32)
    parts.labels(split, i, best, best_labels)
    costly, worst = s.copy(), np.empty(m)
    parts.add_losses(split, i, 1.0, costly)
    worst_top = parts.argmax(split, i, costly, worst)
    gold, right = np.empty(m), np.empty(outputs, np.int32)
    parts.gold(split, i, gold)
    parts.gold_labels(split, i, right)
    moved = w.copy()
    parts.add_features(split, i, 0.5, v, moved)
    augmented = v.copy()
    parts.add_losses(split, i, 2.0, augmented)
    norm = parts.squared_norm(split, i, v)
    return scores, mu, log_z, best, top, best_labels, worst, worst_top, gold, right, moved, norm, augmented
