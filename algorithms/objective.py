"""The regularised loss that all algorithms minimise, its dual, and what an algorithm yields.

P(w) = sum_i loss_i(w) + C ||w||^2 / 2 (eg2008, section 2.1), and, to be maximised over distributions u_i,
D(u) = sum_i H(u_i) - ||w(u)||^2 / (2 C) for the log loss, with E_{u_i}[e_i] instead of the entropy H(u_i)
for the hinge (section 2.2 and 2.3, negated), where w(u) = sum_i f(x_i, y_i) - E_{u_i} f(x_i, .).
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from algorithms import inference, parallel
from algorithms.structures import parts

BLOCK = 2**14  # weights whose share of a few vectors stays in cache


def num_blocks(size: int) -> int:
    """How many blocks of weights cover so many."""
    return -(-size // BLOCK)


class Iterate(NamedTuple):
    """Where an algorithm stands.

    The weights are ``scale * vector``; ``vector`` may be the algorithm's own working memory. ``visits``
    counts inference calls on single examples since the start, line searches included. ``conjugate`` is
    sum_i H(u_i), or sum_i E_{u_i}[e_i] for the hinge, if the algorithm keeps dual variables u with
    w(u) / C = scale * vector, else None. ``notes`` holds what a reader of the run may want to know, such as
    a step size; ``calibration_visits`` among them counts the visits spent before the first update.
    """

    vector: np.ndarray
    scale: float
    visits: int
    conjugate: float | None
    notes: dict[str, float | str]


class Value(NamedTuple):
    """Primal and dual value at a point; the dual is NaN where there is no dual point."""

    primal: float
    dual: float


@dataclass
class Objective:
    """Loss ``log`` or ``hinge`` with an l2 penalty of strength C on a training split."""

    split: Any
    loss: str
    C: float
    penalty: str = "l2"
    _offsets: np.ndarray = field(init=False, repr=False)
    _mu: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._offsets = parts.offsets(self.split)
        self._mu = np.empty(self._offsets[-1])

    @property
    def hinge(self) -> bool:
        return self.loss == "hinge"

    def value_and_gradient(self, w: np.ndarray, gradient: np.ndarray) -> float:
        """P(w); ``gradient`` becomes its gradient (log loss) or a subgradient (hinge), shape (num_weights,)."""
        losses, _ = self._losses(w, gradient)
        shares = np.empty(num_blocks(len(w)))
        parallel.for_each(_add_penalty, len(shares), self.C, w, gradient, shares)
        return float(losses.sum() + self.C * shares.sum() / 2)

    def evaluate(self, w: np.ndarray, conjugate: float | None) -> Value:
        """P(w), and D(u) of the algorithm's own u, or of u_i = p(. | x_i; w) for the log loss."""
        norm = float(w @ w)
        if conjugate is not None or self.hinge:
            losses, _ = inference.expectations(self.split, w, self.hinge, self._offsets, self._mu)
            dual = np.nan if conjugate is None else conjugate - self.C * norm / 2
        else:
            gradient = np.empty_like(w)
            losses, entropies = self._losses(w, gradient)
            dual = entropies.sum() - float(gradient @ gradient) / (2 * self.C)
        return Value(float(losses.sum() + self.C * norm / 2), float(dual))

    def _losses(self, w: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = inference.expectations(self.split, w, self.hinge, self._offsets, self._mu)
        parts.expected_features(self.split, self._offsets, self._mu, gradient)
        return found


@njit(cache=True, nogil=True, error_model="numpy")
def _add_penalty(first, last, C, w, gradient, shares):
    """gradient += C w; the share of a block of weights: its part of ||w||^2."""
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(w))
        for k in range(begin, end):
            gradient[k] += C * w[k]
        shares[block] = inference.dot(w[begin:end], w[begin:end])
