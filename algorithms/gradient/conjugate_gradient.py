"""Nonlinear conjugate gradients, for smooth losses.

klein2011, "Unconstrained Optimization": an enhancement of gradient ascent that takes previous gradients into
account. With g the gradient of P, the directions are Polak and Ribiere's. They restart where beta < 0 (PR+) or
where they do not descend (E. Polak, G. Ribiere, Note sur la convergence de methodes de directions conjuguees,
1969; J. Nocedal, S. Wright, Numerical optimization, 2006, section 5.2):

    d <- -g + beta d,   beta = max(0, g . (g - g_before) / ||g_before||^2),   w <- w + t d.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.line_search import evaluated, minimised
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Conjugate gradient",
    loss="smooth",
    penalties=("l2", "none"),
    needs=("parts", "marginals"),
    random=False,
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
    n = parts.num_examples(objective.split)
    w = np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 0)
    point, evaluations = evaluated(objective, w), 1
    direction, square = -point.gradient, float(point.gradient @ point.gradient)
    step = 1 / (np.sqrt(square) or 1.0)
    while square > 0:
        before = point
        point, moved, trials = minimised(objective, point, direction, step, flat)
        evaluations += trials
        if not point.value < before.value:  # rounding hides any further progress
            return
        yield Iterate(point.w, evaluations * n, notes={"evaluations": evaluations, "step": moved})
        slope, square_before = float(before.gradient @ direction), square
        square = float(point.gradient @ point.gradient)
        beta = max(0.0, (square - float(point.gradient @ before.gradient)) / square_before)
        direction = beta * direction - point.gradient
        if not point.gradient @ direction < 0:
            direction = -point.gradient
        step = moved * slope / float(point.gradient @ direction)  # the decrease that the last search found
