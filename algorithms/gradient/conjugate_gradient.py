"""Nonlinear conjugate gradients, for smooth losses.

klein2011, "Unconstrained Optimization": an enhancement of gradient ascent that takes previous gradients into
account. With g the gradient of P, the directions are Polak and Ribiere's. They restart where beta < 0 (PR+) or
where they do not descend (Polak and Ribiere 1969; Nocedal and Wright 2006, section 5.2):

    d <- -g + beta d,   beta = max(0, g . (g - g_before) / ||g_before||^2),   w <- w + t d.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.line_search import Point, descent, minimised
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective


@algorithm(
    label="Conjugate gradient",
    loss="smooth",
    penalties=("l2", "none"),
    needs=("parts", "marginals"),
    random=False,
    references=("polak1969", "nocedal2006"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    flat: Annotated[float, "> 0", "< 1"] = 0.1,
) -> Iterator[Iterate]:
    """Run conjugate gradients from w = 0. Yields after each step; each evaluation of the line search counts.

    Args:
        flat: a line search ends where the slope is at most this share of the slope at its start.
    """
    yield from descent(objective, partial(minimised, objective, flat=flat), _turn)


def _turn(before: Point, point: Point, direction: np.ndarray, moved: float) -> tuple[np.ndarray, float]:
    """The next direction, and a step with the decrease that the last search found."""
    g, g_before = point.gradient, before.gradient
    beta = max(0.0, float(g @ g - g @ g_before) / float(g_before @ g_before))
    slope, direction = float(g_before @ direction), beta * direction - g
    if not g @ direction < 0:
        direction = -g
    return direction, moved * slope / float(g @ direction)
