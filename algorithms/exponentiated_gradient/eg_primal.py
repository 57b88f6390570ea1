"""Batch exponentiated gradient that stores no dual variables, the primal form of eg2004 (end of section 3).

In batch ``eg``, u_i = p(s_i). There, s_i = a e_i + z . f(x_i, .) / C at all times. The vector z and the number a
are the same for all examples. They start at a = -start and z = 0, with

    z <- (1 - eta tau) z + eta w(u),   a <- (1 - eta tau) a + eta lambda

(eg2004 has the hinge, tau = 0 and lambda = 1, and C' = 1 / C, eta / C' for eta.) The iterates are those of ``eg``
with mode=batch. A pass costs one more product with the features. Memory: four vectors of weights and a block of
examples, however many examples there are.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.exponentiated_gradient.dual_variables import SLACK, subtract_from_gold
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, blocks
from structbench.algorithms.losses.terms import dual_term
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import total_score
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="EG, primal form",
    needs=("parts", "argmax", "marginals"),
    random=False,
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, "> 0"] = 0.5,
    adaptive: bool = True,
    grow: Annotated[float, ">= 1"] = 1.05,
) -> Iterator[Iterate]:
    """Run batch exponentiated gradient. Yields w = 0, then w(u) / C of the first u, after n visits.

    Args:
        start: the first u_i(y) is proportional to exp(-start e_i(y)): 0 is uniform, more is nearer to y_i.
        eta: the initial step size.
        adaptive: halve the step size until the dual does not fall, then multiply it by ``grow``. If not, it is
            fixed. If a step no longer raises the dual, it does not grow above ``eta``.
        grow: see ``adaptive``.
    """
    split, C, loss = objective.split, objective.C, objective.loss_terms
    n, first_eta = parts.num_examples(split), eta
    z, w, z_new, w_new = np.zeros((4, parts.num_weights(split)))
    yield Iterate(w, 0, notes={"eta": eta})
    at = _Inference(objective)
    a = -start
    conjugate, visits = at(z, a, w), n
    while True:
        yield Iterate(w, visits, Dual(conjugate), {"eta": first_eta, "last_eta": eta}, scale=1 / C)
        penalty = w @ w / (2 * C)
        slack = SLACK * (1 + abs(conjugate) + penalty)
        while True:
            visits += n
            kept = 1 - eta * loss.temperature
            np.multiply(z, kept, out=z_new)
            z_new += eta * w
            a_new = kept * a + eta * loss.cost
            found = at(z_new, a_new, w_new)
            change = found - w_new @ w_new / (2 * C) - (conjugate - penalty)
            if not adaptive or not change < -slack:
                break
            eta *= 0.5
        z, z_new, w, w_new, a, conjugate = z_new, z, w_new, w, a_new, found
        if adaptive and (change > slack or eta < first_eta):
            eta *= grow


class _Inference:
    """w(u) and the dual term of u_i = p(a e_i + z . f(x_i, .) / C), a block of examples at a time."""

    def __init__(self, objective: Objective) -> None:
        self.objective, self.blocks = objective, list(blocks(objective.split))
        self.difference = np.empty(max(offsets[-1] for _, offsets in self.blocks))
        self.conjugates = np.empty(max(len(offsets) - 1 for _, offsets in self.blocks))

    def __call__(self, z: np.ndarray, a: float, w: np.ndarray) -> float:
        """Fills w = w(u); returns conj(u)."""
        w[:] = 0.0
        total = 0.0
        split = self.objective.split
        for begin, offsets in self.blocks:
            found = self.conjugates[: len(offsets) - 1]
            parallel.for_each(
                _marginals, len(found), split, self.objective.loss_terms, self.objective.C, z, a, begin, offsets,
                self.difference, found,
            )  # fmt: skip
            parts.add_expected_features(split, begin, offsets, self.difference, w)
            total += float(found.sum())
        return total


@kernel
def _marginals(first, last, split, loss, C, z, a, begin, offsets, difference, conjugates):
    """difference = y_i - mu_i."""
    for j in range(first, last):
        i, moved = begin + j, difference[offsets[j] : offsets[j + 1]]
        s, mu = np.empty(moved.shape[0]), np.empty(moved.shape[0])
        parts.scores(split, i, z, s)
        for r in range(s.shape[0]):
            s[r] /= C
        parts.add_costs(split, i, a, s)
        log_z = parts.marginals(split, i, s, mu)
        conjugates[j] = dual_term(loss, split, i, loss.temperature * (log_z - total_score(s, mu)), mu)
        subtract_from_gold(split, i, mu, moved)
