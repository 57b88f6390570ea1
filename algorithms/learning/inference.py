"""Inference on all examples of a split at given weights: losses, dual terms, and marginals for the gradient."""

from typing import Any

import numpy as np

from structbench.algorithms.losses.family import Loss
from structbench.algorithms.losses.terms import attained_entropy, augment, dual_term, soft_max
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import total_score
from structbench.algorithms.structures import interface as parts


def expectations(split: Any, begin: int, w: np.ndarray, loss: Loss, offsets: np.ndarray, mu: np.ndarray) -> tuple:
    """Inference at weights w on the examples from ``begin`` on for which there are ``offsets``, in parallel.

    Fills ``mu``, their part vectors, with E_{u_i}[y] - y_i, where u_i attains the maximum in loss_i(w). So
    ``parts.add_expected_features`` of it is a (sub)gradient of the sum of losses.

    Returns:
        losses and conjugates, one an example: the dual terms of the u_i.
    """
    losses = np.empty(len(offsets) - 1)
    conjugates = np.empty_like(losses)
    each = _smooth if loss.temperature > 0 else _polyhedral  # apart: a structure may have no marginals
    parallel.for_each(each, len(losses), split, begin, loss, w, offsets, mu, losses, conjugates)
    return losses, conjugates


@kernel
def room(split, examples, rows):
    """Memory for ``rows`` part vectors of any of these examples, (rows, most parts)."""
    longest = 0
    for i in examples:
        longest = max(longest, parts.num_parts(split, i))
    return np.empty((rows, longest))


@kernel
def room_of(starts, examples, rows):
    """Memory for ``rows`` vectors of any of these examples: of those whose vectors begin at ``starts``."""
    longest = 0
    for i in examples:
        longest = max(longest, starts[i + 1] - starts[i])
    return np.empty((rows, longest))


@kernel
def _smooth(first, last, split, begin, loss, w, offsets, mu, losses, conjugates):
    for j in range(first, last):
        i, u = begin + j, mu[offsets[j] : offsets[j + 1]]
        s, gold = np.empty(u.shape[0]), np.empty(u.shape[0])
        of_gold = _scores_and_gold(split, loss, i, w, s, gold)
        top = soft_max(loss, split, i, s, u)
        losses[j] = top - of_gold
        conjugates[j] = dual_term(loss, split, i, attained_entropy(top, s, u), u)
        for r in range(u.shape[0]):
            u[r] -= gold[r]


@kernel
def _polyhedral(first, last, split, begin, loss, w, offsets, mu, losses, conjugates):
    for j in range(first, last):
        i, u = begin + j, mu[offsets[j] : offsets[j + 1]]
        s, gold = np.empty(u.shape[0]), np.empty(u.shape[0])
        of_gold = _scores_and_gold(split, loss, i, w, s, gold)
        losses[j] = parts.argmax(split, i, s, u) - of_gold
        conjugates[j] = dual_term(loss, split, i, 0.0, u)
        for r in range(u.shape[0]):
            u[r] -= gold[r]


@kernel(inline=True)
def _scores_and_gold(split, loss, i, w, s, gold):
    """s = scores with costs, gold = the parts of the gold output; returns its score."""
    parts.scores(split, i, w, s)
    parts.gold(split, i, gold)
    of_gold = total_score(s, gold)
    augment(loss, split, i, s)
    return of_gold
