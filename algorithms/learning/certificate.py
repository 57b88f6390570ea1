"""Dual certificates: recompute a dual value, or average dual points.

A method that moves u step by step adds up w(u) and conj(u) as it goes. Rounding, or a mistake, may carry these
sums away from the stored u. A drifted value proves nothing; ``recompute_dual`` computes it from u.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.learning.gold_outputs import gold
from structbench.algorithms.learning.loss_factors import apply_factors
from structbench.algorithms.learning.objective import Dual, Objective, blocks
from structbench.algorithms.losses.terms import dual_term
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import cliques
from structbench.algorithms.structures import interface as parts


def recompute_dual(objective: Objective, marginals: Callable[..., None], *state: Any) -> tuple[float, np.ndarray]:
    """conj(u) and w(u), computed one block of examples after another.

    The kernel ``marginals(first, last, split, begin, offsets, mu, conjugates, *state)`` fills mu_i and the dual
    terms for examples first .. last - 1 of a block. The block's first example is number ``begin``.
    """
    split, factors = objective.split, objective.loss_factors
    conjugate, w = 0.0, np.zeros(parts.num_weights(split))
    for begin, offsets in blocks(split):
        mu, conjugates = np.empty(offsets[-1]), np.empty(len(offsets) - 1)
        parallel.for_each(marginals, len(conjugates), split, begin, offsets, mu, conjugates, *state)
        np.subtract(gold(split, begin, offsets), mu, out=mu)
        apply_factors(factors, begin, offsets, mu)
        parts.add_expected_features(split, begin, offsets, mu, w)
        own = factors[begin : begin + len(conjugates)] if len(factors) > 1 else factors
        conjugate += float((own * conjugates).sum())
    return conjugate, w


def of_cliques(
    objective: Objective, starts: np.ndarray, b: np.ndarray, packed: bool = False
) -> tuple[float, np.ndarray]:
    """``recompute_dual`` from clique marginals, those of example i at starts[i]:starts[i + 1].

    Args:
        packed: as ``parts.pack`` stores them.
    """
    return recompute_dual(objective, _of_cliques, objective.loss_terms, starts, b, packed)


@kernel
def _of_cliques(first, last, split, begin, offsets, mu, conjugates, loss, starts, b, packed):
    for j in range(first, last):
        i = begin + j
        b_i, mu_i = b[starts[i] : starts[i + 1]], mu[offsets[j] : offsets[j + 1]]
        if packed:
            b_i = np.empty(parts.num_cliques(split, i))
            parts.unpack(split, i, b[starts[i] : starts[i + 1]], b_i)
        parts.parts_of_cliques(split, i, b_i, mu_i)
        entropy = 0.0
        if loss.temperature != 0.0:
            entropy = loss.temperature * cliques.entropy(split, i, b_i, np.empty(b_i.shape[0]))
        conjugates[j] = dual_term(loss, split, i, entropy, mu_i)


class Certificate:
    """The best dual value of single points and of their average, for methods whose single points have poor ones.

    Candidates are the ``count`` points that were added, and their average in which the t-th weighs t^2. Each
    is mixed with the gold outputs, if these are known, as far as that raises its value. At first u is the gold
    outputs.

    Attributes:
        conjugate: conj(u). dual_weights: w(u). dual_value: D(u).
    """

    def __init__(self, objective: Objective) -> None:
        size = parts.num_weights(objective.split)
        self.conjugate, self.dual_weights, self.dual_value = 0.0, np.zeros(size), -np.inf
        self._objective, self.count, self._weight = objective, 0, 0
        self._mean, self._mean_conjugate = np.zeros(size), 0.0

    @property
    def dual(self) -> Dual:
        """The point, as algorithms yield it; its w(u) is this object's own memory."""
        return Dual(self.conjugate, self.dual_weights)

    def add(self, conjugate: float, dual_weights: np.ndarray) -> None:
        """Consider a point."""
        self.count += 1
        self._weight += self.count**2
        share = self.count**2 / self._weight
        self._mean += share * (dual_weights - self._mean)
        self._mean_conjugate += share * (conjugate - self._mean_conjugate)
        for point in ((conjugate, dual_weights), (self._mean_conjugate, self._mean)):
            kept = self._kept(*point)
            bound = self._objective.dual_value(kept * point[0], kept * point[1])
            if bound > self.dual_value:
                self.conjugate, self.dual_value = kept * point[0], bound
                np.multiply(point[1], kept, out=self.dual_weights)

    def _kept(self, conjugate: float, dual_weights: np.ndarray) -> float:
        """The share of u in its best mixture with the gold outputs; for other penalties ``dual_value`` mixes."""
        square = float(dual_weights @ dual_weights) / self._objective.C
        mixes = self._objective.penalty == "l2" and self._objective.all_known
        return min(1.0, conjugate / square) if mixes and square > 0 else 1.0
