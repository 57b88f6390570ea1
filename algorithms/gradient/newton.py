"""Newton's method for smooth multiclass losses with few weights: few passes, whatever the scales of features.

A step solves H v = -g with the Hessian of P, and is halved until P falls by enough. Small C, and features of very
different scales, which slow all methods of first order, do not matter.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from structbench.algorithms.gradient.class_hessian import NEEDS, Examples, require_few_weights
from structbench.algorithms.gradient.line_search import backtracked, evaluated
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Newton",
    loss="smooth",
    needs=(*NEEDS, "marginals"),
    random=False,
    threads=False,
    loss_factors=True,
    warm_start=True,
    settings=Settings(figures=()),
    check=require_few_weights,
    references=("nocedal2006",),
)
def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Run Newton's method from w = 0, or from an earlier fit. Yields after each step.

    Each evaluation of the line search counts as a visit to all examples.

    Raises:
        UserError: a label is unknown.
    """
    n, examples = parts.num_examples(objective.split), Examples(objective, "newton")
    w = objective.first_weights()
    yield Iterate(w, 0)
    point, evaluations, before = evaluated(objective, w), 1, np.inf
    while point.value < before:  # else rounding hides any further progress
        before = point.value
        u = _probabilities(examples, point.w)
        solve = examples.solver(examples.factors * u / examples.loss.temperature)
        direction = -solve(point.gradient.reshape(-1, examples.num_labels)).ravel()
        point, _, trials = backtracked(objective, point, direction, 1.0)
        evaluations += trials
        yield Iterate(point.w, evaluations * n, notes={"evaluations": evaluations})


def _probabilities(examples: Examples, w: np.ndarray) -> np.ndarray:
    """The u_i that attain the losses at w, (n, K)."""
    s = (examples.x @ w.reshape(-1, examples.num_labels) + examples.costs) / examples.loss.temperature
    u = np.exp(s - s.max(axis=1, keepdims=True))
    return u / u.sum(axis=1, keepdims=True)
