"""Batch exponentiated gradient that stores no dual variables, the primal form of eg2004 (end of section 3).

In batch ``eg``, u_i = p(s_i). There, s_i = a e_i + z . f(x_i, .) / C at all times. The vector z and the number a
are the same for all examples. They start at a = -start and z = 0, with

    z <- (1 - eta tau) z + eta w(u),   a <- (1 - eta tau) a + eta lambda

(eg2004 has the hinge, tau = 0 and lambda = 1, and C' = 1 / C, eta / C' for eta.) The iterates are those of ``eg``
with mode=batch. A pass costs one more product with the features. Memory: a few vectors of weights and a block of
examples, however many examples there are.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.exponentiated_gradient.dual_variables import SLACK
from structbench.algorithms.exponentiated_gradient.step_size import StepSize
from structbench.algorithms.learning.certificate import recompute_dual
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective
from structbench.algorithms.losses.terms import attained_entropy, dual_term
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


@algorithm(label="EG, primal form", needs=("parts", "argmax", "marginals"), random=False, references=("eg2004",))
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
        start, eta, adaptive, grow: as of ``eg``. There is one step size.
    """
    split, C, loss, n = objective.split, objective.C, objective.loss_terms, parts.num_examples(objective.split)
    z, a, size = np.zeros(parts.num_weights(split)), -start, StepSize(eta, adaptive, grow)
    yield Iterate(z, 0, notes={"eta": eta})

    def at(z: np.ndarray, a: float) -> tuple[float, np.ndarray]:
        return recompute_dual(objective, _marginals, loss, C, z, a)

    def move(eta: float) -> tuple[float, tuple[np.ndarray, float, float, np.ndarray]]:
        kept = 1 - eta * loss.temperature
        z_new, a_new = kept * z + eta * w, kept * a + eta * loss.cost
        found, w_new = at(z_new, a_new)
        return found - float(w_new @ w_new) / (2 * C) - (conjugate - penalty), (z_new, a_new, found, w_new)

    (conjugate, w), visits = at(z, a), n
    while True:
        dual = Dual(conjugate, recompute=partial(at, z, a))
        yield Iterate(w, visits, dual, {"eta": eta, "last_eta": size.eta}, scale=1 / C)
        penalty = float(w @ w) / (2 * C)
        (z, a, conjugate, w), tried = size.search(move, SLACK * (1 + abs(conjugate) + penalty))
        visits += n * tried


@kernel
def _marginals(first, last, split, begin, offsets, mu, conjugates, loss, C, z, a):
    """See ``certificate.recompute_dual``."""
    for j in range(first, last):
        i, mu_i = begin + j, mu[offsets[j] : offsets[j + 1]]
        s = np.empty(mu_i.shape[0])
        parts.scores(split, i, z, s)
        for r in range(s.shape[0]):
            s[r] /= C
        parts.add_costs(split, i, a, s)
        log_z = parts.marginals(split, i, s, mu_i)
        conjugates[j] = dual_term(loss, split, i, loss.temperature * attained_entropy(log_z, s, mu_i), mu_i)
