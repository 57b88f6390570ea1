"""MIRA: the smallest change of w that puts the gold output ahead of the best output by that output's cost.

klein2011, "MIRA / Perceptron" to "Maximum Step Size" (Crammer and Singer 2003). The step is that of PA-I (Crammer
et al. 2006). With y the best output of example i and Delta = f(x_i, y_i) - f(x_i, y),

    min ||w - w'||^2 / 2  subject to  w . f(x_i, y_i) >= w . f(x_i, y) + e_i(y):
    tau = (e_i(y) - w' . Delta) / ||Delta||^2,   w = w' + min(tau, cap) Delta.

With k > 1 each of the k best outputs has a constraint. Hildreth's method solves this quadratic program with
0 <= tau_a <= cap ("the general version of MIRA considers the top-K predictions").

Like the slide and PA-I, we cap the tau of one visit alone. The SVM's dual holds their sum over all visits at 1 /
C.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven import best_output, epochs, k_best_updates
from structbench.algorithms.mistake_driven.averaging import Averaged
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="MIRA",
    loss="none",
    needs=lambda k, **_: (parts.PARTS, parts.ARGMAX, *[parts.K_BEST] * (k > 1)),
    threads=False,
    references=("crammer2003", "crammer2006"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    k: Annotated[int, ">= 1", "<= 1000"] = 1,
    cap: Annotated[float, "> 0"] = 0.1,
    augment: bool = True,
    average: Literal["uniform", "none"] = "uniform",
) -> Iterator[Iterate]:
    """Run MIRA from w = 0, passing over the examples in a new order each time.

    Args:
        k: over how many outputs at once the gold output must lead.
        cap: the largest tau of a visit, the slide's C; with k > 1 of each output.
        augment: take the best output by score and cost, whose constraint is violated most. Else by score alone;
            then a gold output that is best is left as it is, however small its lead.
        average: as of ``perceptron``.
    """

    def visit(tick: np.ndarray, w: Averaged) -> int:
        if k > 1:
            return k_best_updates.visit(objective.split, tick, k, augment, cap, w)
        return best_output.visit(objective.split, tick, augment, False, cap, w)

    yield from epochs.learn(objective.split, rng, visit, "mira", average)
