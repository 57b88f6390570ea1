"""The proximal point method for smooth losses with an l1 penalty: exponentiated gradient on each step's dual.

Rockafellar 1976. P(w) = sum_i loss_i(w) + A ||w||_1, A = C / 2, is not strongly convex: a dual point tells no w.
So step k minimises P(w) + c ||w - w_k||^2 / 2. Its dual has v = w(u) + c w_k in place of w(u), and w = soft(v, A)
/ c. EG runs on it as on an elastic net (``learning.penalties``). A step is one pass over the examples, then

    w_k+1 = soft(v, A) / c,   v <- v + c (w_k+1 - w_k).

The certificate is that of l1: the share A / ||w(u)||_inf of u, the rest the gold outputs. Near the optimum the
share is 1. As ||w(u)||_inf goes up and down, the best bound so far counts, or that of an average
(``certificate.Certificate``).

The method chooses c. G, the sum of the examples' own gaps, says how far EG is from the end of the step. Mixing
costs M = conj(u) (1 - A / ||w(u)||_inf). At the end of a step ||w(u)||_inf is A + c ||w_k+1 - w_k||_inf at most.
If M is FAR G or more, steps end early and are too short: c falls. If M is NEAR G or less, c rises again, up to
where it began: A, or if that is more SHARE of the mean ||f(x_i, y_i)||^2 a decision.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.exponentiated_gradient import dual_variables as dv
from structbench.algorithms.exponentiated_gradient.eg import earlier_scores
from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.declaration import Promises, algorithm
from structbench.algorithms.learning.gold_outputs import gold_norm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective
from structbench.algorithms.learning.penalties import soft
from structbench.algorithms.learning.sampling import TICKS, ticks
from structbench.algorithms.structures import interface as parts

NEAR, FAR = 50.0, 300.0  # tried on letters at A = 1 and 10, and on the template of CRF++ at A = 0.5
CHANGE = 1.25  # of c after a step
DRIFT = 1e-7  # of sums, relative
Point = tuple[float, np.ndarray]  # conj(u) and w(u)
SHARE = 0.03  # more lets c fall too far on letters at A = 1 / 2


@algorithm(
    label="Proximal EG",
    loss="smooth",
    penalties=("l1",),
    needs=("parts", "argmax", "marginals"),
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    references=("eg2008", "rockafellar1976"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, "> 0"] = 0.5,
    grow: Annotated[float, ">= 1"] = 1.05,
) -> Iterator[Iterate]:
    """Run proximal points from w = 0, or from an earlier fit. Yields w_k+1 after each step, and notes its c.

    Args:
        start, eta, grow: as of ``eg``, which draws examples in proportion to their gaps.
    """
    n, A = parts.num_examples(objective.split), objective.strengths.A
    w, scores = objective.first_weights(), earlier_scores(objective)
    yield Iterate(w, 0)
    most = max(A, SHARE * gold_norm(objective.split) * float(objective.loss_factors.mean()))
    state, visits, c = dv.State(objective, start if scores is None else 0.0, eta, scores), n, most
    state.w += c * w
    certificate = Certificate(objective)
    examples = ticks(rng, n, "gap", state.gaps)
    while True:
        for _ in range(min(TICKS, n)):
            visits += dv.sweep(objective, c, state, next(examples), True, grow, measure=True)[0]
        w_of_u = state.w - c * w
        w = soft(state.w, A) / c
        conjugate, largest = state.conjugate(objective), float(np.abs(w_of_u).max(initial=0.0))
        found = conjugate, w_of_u
        certificate.add(*found)
        best = (certificate.conjugate, certificate.dual_weights) if objective.all_known else found
        dual = Dual(*best, partial(_undrifted, objective, state, found, best), state.u)
        yield Iterate(w, visits, dual, {"c": c})
        gap, cost = float(state.gaps.sum()), conjugate * max(0.0, 1 - A / largest) if largest else 0.0
        if cost <= NEAR * gap:
            c = min(c * CHANGE, most)
        elif cost >= FAR * gap:
            c /= CHANGE
        np.multiply(w, c, out=state.w)
        state.w += w_of_u


def _undrifted(objective: Objective, state: dv.State, found: Point, best: Point) -> Point:
    """``best``, if the sums ``found`` are still those of the stored u; else what these give."""
    conjugate, w_of_u = state.recompute_dual(objective)
    drift = max(abs(conjugate - found[0]), float(np.abs(w_of_u - found[1]).max(initial=0.0)))
    return best if drift <= DRIFT * (1 + abs(conjugate)) else (conjugate, w_of_u)
