"""Interior point method for the multiclass hinge with few weights: 10-40 passes at any C and feature scale.

The quadratic program, with h_i the highest score with cost, and slacks z,

    min  C ||W||^2 / 2 + sum_i h_i - x_i . w_{y_i}    where  z_ik = h_i - e_ik - x_i . w_k >= 0,

has the dual variables u_ik >= 0, sum_k u_ik = 1: the distributions u_i. At the optimum u_ik z_ik = 0. The method
follows the points where all these products are equal, as their mean falls to 0. Each iteration factors one matrix
and takes two Newton steps: one towards 0, and one towards what the first can reach, with its second order
(Mehrotra 1992).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.gradient.class_hessian import NEEDS, Examples, require_few_weights
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective
from structbench.algorithms.structures import interface as parts

TO_BOUNDARY = 0.99  # of the longest step that keeps u and z above 0
PATIENCE = 10  # iterations that do not narrow the gap, after which it ends


@algorithm(
    label="Interior point",
    loss="polyhedral",
    needs=(*NEEDS, "argmax"),
    random=False,
    threads=False,
    loss_factors=True,
    settings=Settings(figures=()),
    check=require_few_weights,
    references=("mehrotra1992",),
)
def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Run the interior point method from w = 0 and uniform u. An iteration is n visits and a yield.

    Raises:
        UserError: a label is unknown.
    """
    n, examples = parts.num_examples(objective.split), Examples(objective, "interior-point")
    w = np.zeros((examples.x.shape[1], examples.num_labels))
    yield Iterate(w.ravel(), 0)
    u = examples.factors * np.full_like(examples.gold, 1 / examples.num_labels)
    z = 2 * examples.costs.max() - examples.costs
    at, visits, best, since = _Point(w, u, z), 0, np.inf, 0
    while since < PATIENCE:
        at = _moved(examples, at)
        visits, since = visits + n, since + 1
        conjugate, of_u = examples.dual_point(at.u)
        gap = examples.hinge(at.w) - objective.dual_value(conjugate, of_u)
        if gap < best:  # else rounding may have taken over
            best, since = gap, 0
            dual = Dual(conjugate, of_u, recompute=partial(examples.dual_point, at.u))
            yield Iterate(at.w.ravel(), visits, dual, hints=Hints(evaluate_now=True))


class _Point(NamedTuple):
    """Weights, or their change; u and z (n, K)."""

    w: np.ndarray
    u: np.ndarray
    z: np.ndarray


def _moved(examples: Examples, at: _Point) -> _Point:
    """The point after an iteration. Of the conditions only C w = w(u) may not hold before, and the products."""
    x, d, mean = examples.x, at.u / at.z, float((at.u * at.z).mean())
    solve, total = examples.solver(d), d.sum(axis=1, keepdims=True)
    rest = examples.gradient(at.u) - examples.C * at.w

    def step(products: np.ndarray) -> _Point:
        """Newton's step that changes the products u z by these numbers, to the first order."""
        a = products / at.z
        excess = a.sum(axis=1, keepdims=True)
        w = solve(rest - x.T @ (a - d * excess / total))
        scores = x @ w
        rise = (excess + (d * scores).sum(axis=1, keepdims=True)) / total - scores
        return _Point(w, a - d * rise, rise)

    first = step(-at.u * at.z)
    reached = _along(at, first, min(1.0, _longest(at, first)))
    aim = mean * (float((reached.u * reached.z).mean()) / mean) ** 3
    change = step(aim - at.u * at.z - first.u * first.z)
    return _along(at, change, min(1.0, TO_BOUNDARY * _longest(at, change)))


def _along(at: _Point, change: _Point, length: float) -> _Point:
    return _Point(*(value + length * by for value, by in zip(at, change, strict=True)))


def _longest(at: _Point, change: _Point) -> float:
    """How far u and z stay above 0."""
    ends = [
        (-value[by < 0] / by[by < 0]).min(initial=np.inf) for value, by in zip(at[1:], change[1:], strict=True)
    ]
    return float(min(ends))
