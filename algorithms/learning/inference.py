"""Compiled passes over all examples of a split, written once for every structure."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


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
        plain = total_score(s, right)
        parts.add_costs(split, i, 1.0, s)
        losses[i] = parts.argmax(split, i, s, u) - plain
        conjugates[i] = expected_cost(split, i, u)
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
        losses[i] = log_z - total_score(s, right)
        conjugates[i] = log_z - total_score(s, u)
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
def total_score(s, mu):
    """s . mu of scores and an output or expectation; a part that is 0 there counts 0 even at minus infinity."""
    total = dot(s, mu)
    if np.isnan(total):
        total = 0.0
        for r in range(s.shape[0]):
            total += s[r] * mu[r] if mu[r] != 0.0 else 0.0
    return total


@kernel
def expected_cost(split, i, mu):
    """sum_r e_{i,r} mu_r."""
    e = np.zeros(mu.shape[0])
    parts.add_costs(split, i, 1.0, e)
    return dot(e, mu)
