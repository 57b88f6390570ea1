"""Gradient ascent on the log likelihood with a line search, for smooth losses.

klein2011, "Unconstrained Optimization": w moves along the gradient of the penalised likelihood,

    w <- w + t (sum_i f(x_i, y_i) - E_{p(.|x_i; w)} f(x_i, .) - C w),

that is, down the gradient of P. The step t is halved until P falls by enough (Armijo 1966). Each search begins at
twice the last step.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from structbench.algorithms.gradient.line_search import backtracked, descent
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective

GROW = 2.0


@algorithm(
    label="Gradient ascent",
    loss="smooth",
    penalties=("l2", "none"),
    needs=("parts", "marginals"),
    random=False,
    references=("klein2011", "armijo1966"),
)
def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Climb from w = 0. Yields after each step; each evaluation of the line search counts."""
    search = partial(backtracked, objective)
    yield from descent(objective, search, lambda _, point, __, step: (-point.gradient, GROW * step))
