"""Gradient ascent on the log likelihood with a line search, for smooth losses.

klein2011, "Unconstrained Optimization": w moves along the gradient of the penalised likelihood,

    w <- w + t (sum_i f(x_i, y_i) - E_{p(.|x_i; w)} f(x_i, .) - C w),

that is, down the gradient of P. The step t is halved until P falls by enough (L. Armijo, Minimization of functions
having Lipschitz continuous first partial derivatives, 1966). Each search begins at twice the last step.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from structbench.algorithms.gradient.line_search import backtracked, evaluated
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts

GROW = 2.0


@algorithm(
    label="Gradient ascent",
    loss="smooth",
    penalties=("l2", "none"),
    needs=("parts", "marginals"),
    random=False,
)
def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Climb from w = 0. Yields after each step; each evaluation of the line search counts."""
    n = parts.num_examples(objective.split)
    w = np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 0)
    point, evaluations = evaluated(objective, w), 1
    step = 1 / (np.sqrt(point.gradient @ point.gradient) or 1.0)
    while point.gradient.any():
        before = point
        point, step, trials = backtracked(objective, point, -point.gradient, step)
        evaluations += trials
        if not point.value < before.value:  # rounding hides any further progress
            return
        yield Iterate(point.w, evaluations * n, notes={"evaluations": evaluations, "step": step})
        step *= GROW
