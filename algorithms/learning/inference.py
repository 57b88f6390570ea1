"""Compiled passes over all examples of a split, written once for every structure."""

from typing import Any

import numpy as np

from algorithms.runtime import parallel
from algorithms.runtime.kernel import kernel
from algorithms.structures import interface as parts


def expectations(split: Any, w: np.ndarray, hinge: bool, offsets: np.ndarray, mu: np.ndarray) -> tuple:
    """Inference at weights w on every example, in parallel.

    Fills ``mu`` (all part vectors, see ``parts.offsets``) with E_{u_i}[y] - y_i, where u_i is p(.|x_i; w)
    for the log loss and the loss-augmented argmax for the hinge, so that ``parts.add_expected_features`` of it
    is a (sub)gradient of the sum of losses.

    Returns:
        losses (n,), and conjugates (n,): H(u_i), or E_{u_i}[e_i] for the hinge.
    """
    losses = np.empty(parts.num_examples(split))
    conjugates = np.empty_like(losses)
    each = _loss_augmented if hinge else _log_linear
    parallel.for_each(each, len(losses), split, w, offsets, mu, losses, conjugates)
    return losses, conjugates


@kernel
def _loss_augmented(first, last, split, w, offsets, mu, losses, conjugates):
    for i in range(first, last):
        u = mu[offsets[i] : offsets[i + 1]]
        s = np.empty(u.shape[0])
        right = np.empty(u.shape[0])
        parts.scores(split, i, w, s)
        parts.gold(split, i, right)
        plain = dot(s, right)
        parts.add_losses(split, i, 1.0, s)
        losses[i] = parts.argmax(split, i, s, u) - plain
        conjugates[i] = expected_loss(split, i, u)
        for r in range(u.shape[0]):
            u[r] -= right[r]


@kernel
def _log_linear(first, last, split, w, offsets, mu, losses, conjugates):
    for i in range(first, last):
        u = mu[offsets[i] : offsets[i + 1]]
        s = np.empty(u.shape[0])
        right = np.empty(u.shape[0])
        parts.scores(split, i, w, s)
        parts.gold(split, i, right)
        log_z = parts.marginals(split, i, s, u)
        losses[i] = log_z - dot(s, right)
        conjugates[i] = log_z - dot(s, u)
        for r in range(u.shape[0]):
            u[r] -= right[r]


@kernel(fastmath={"reassoc"})
def dot(a, b):
    """a . b; compiled with leave to reorder the sum, so that it runs in vector registers."""
    total = 0.0
    for r in range(a.shape[0]):
        total += a[r] * b[r]
    return total


@kernel
def expected_loss(split, i, mu):
    """sum_r e_{i,r} mu_r."""
    e = np.zeros(mu.shape[0])
    parts.add_losses(split, i, 1.0, e)
    return dot(e, mu)


def with_features(split: Any, most: int, among: int) -> np.ndarray:
    """Up to ``most`` of the first ``among`` examples, whose right outputs have features.

    If there are none, or no parts to tell, the first one.
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
    """The split without the features that none of its examples has, where there are many of these."""
    if not (parts.has(split, parts.with_used_features) and parts.has(split, parts.add_expected_features)):
        return split
    offsets, w = parts.offsets(split), np.zeros(parts.num_weights(split))
    parts.add_expected_features(split, offsets, np.ones(offsets[-1]), w)
    return parts.with_used_features(parts.plain(split), w)[0]


def predictions(split: Any, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted and right labels of all decisions of a split, int32 (outputs,), example after example.

    Features whose weights are all 0 are not looked at, if there are many. The third array, int64 (n + 1,), says
    where each example's decisions begin.
    """
    if parts.has(split, parts.with_used_features):
        split, w = parts.with_used_features(parts.plain(split), w)
    split = parts.compiled(split)
    predicted, right, starts = room(split)
    parallel.for_each(_predict, len(starts) - 1, split, w, starts, predicted, right)
    return predicted, right, starts


def room(split: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where ``predictions`` go: two empty arrays, and where each example's decisions begin in them."""
    starts = np.zeros(parts.num_examples(split) + 1, np.int64)
    _count_outputs(split, starts)
    np.cumsum(starts, out=starts)
    return np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32), starts


@kernel
def _count_outputs(split, starts):
    for i in range(starts.shape[0] - 1):
        starts[i + 1] = parts.num_outputs(split, i)


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
    """Share of decisions of a split that w gets wrong."""
    predicted, right, _ = predictions(split, w)
    return float(np.mean(predicted != right))
