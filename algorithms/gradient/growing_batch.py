"""L-BFGS on a batch of examples that grows until it is all of them, for smooth losses.

Friedlander and Schmidt 2012, section 5; one of the methods of Schmidt et al. 2015. Iteration k descends on

    P_k(w) = n / b sum of loss_i(w) over a batch of b examples + C ||w||^2 / 2,   b <- min(ceil(1.1 b) + 1, n).

A batch has all examples of the batch before, and others at random. So its gradient at the new weights costs a
visit to the new examples only. Pairs of L-BFGS are differences of gradients of one batch. Ours: the search is that
of ``lbfgs``; where it finds no step, the batch grows and the pairs are forgotten. It needs no rate. An iteration
passes over all weights, as in L-BFGS; some 70 iterations reach 10,000 examples.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.history import History
from structbench.algorithms.gradient.lbfgs import value_after, wolfe
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Growing batch",
    loss="smooth",
    needs=("parts", "marginals"),
    loss_factors=True,
    warm_start=True,
    references=("friedlander2012",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    memory: Annotated[int, ">= 1"] = 10,
    growth: Annotated[float, ">= 1"] = 1.1,
) -> Iterator[Iterate]:
    """Run L-BFGS from w = 0, or from an earlier fit. Yields after each iteration.

    Each evaluation of the line search counts as a visit to all examples of the batch.

    Args:
        memory: pairs of vectors kept (the paper's number).
        growth: what the size of the batch is multiplied by.
    """
    n = parts.num_examples(objective.split)
    order, b = rng.permutation(n), 1
    w = objective.first_weights()
    yield Iterate(w, 0)
    history = History(len(w), memory)
    g, w_new, g_new, direction, added = (np.empty_like(w) for _ in range(5))
    batch = _batch(objective, order, b)
    value, visits = batch.value_and_gradient(w, g), b
    while True:
        slope = history.direct(g, direction, history.products(g))
        first = 1.0 if history.rows else 1 / np.sqrt(-slope or 1.0)
        accepted, trials = None, 0
        if slope < 0:
            accepted, trials = wolfe(partial(value_after, batch, w, direction, w_new, g_new), value, slope, first)
            visits += trials * b
        if accepted is not None and accepted < value:
            value = accepted
            history.append(w, w_new, g, g_new)
            w, w_new, g, g_new = w_new, w, g_new, g
        elif b == n:
            return
        else:
            history.rows.clear()
        if b < n:
            larger = min(int(np.ceil(growth * b)) + 1, n)
            loss = objective.of_examples(order[b:larger]).loss_and_gradient(w, added)
            visits, penalty = visits + larger - b, objective.penalty_value(w)
            value = ((value - penalty) * b + n * loss) / larger + penalty
            g -= objective.C * w
            g *= b / larger
            g += n / larger * added + objective.C * w
            b, batch = larger, _batch(objective, order, larger)
        yield Iterate(w, visits, notes={"batch": b})


def _batch(objective: Objective, order: np.ndarray, b: int) -> Objective:
    """The objective of the first b examples, times n / b by their losses' factors."""
    if b == len(order):
        return objective
    batch = objective.of_examples(order[:b])
    return replace(batch, loss_factors=batch.loss_factors * (len(order) / b), start_from=None)
