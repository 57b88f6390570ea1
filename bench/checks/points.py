"""What an algorithm yields, evaluated, and what is wrong with it."""

from collections.abc import Generator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.objective import Iterate, Objective, Value
from structbench.bench.runs import algorithm_module, referee
from structbench.datasets.problems.problem import Problem

ROUNDING = 1e-9  # relative, of primal and dual values
MONOTONE = 1e-11


class Point(NamedTuple):
    """A copy of what an algorithm yielded: weights of the model, or its labels, and the value there."""

    weights: np.ndarray
    visits: int
    conjugate: float | None
    notes: dict[str, float | str]
    value: Value

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / |primal|."""
        return (self.value.primal - self.value.dual) / (abs(self.value.primal) or 1.0)

    @property
    def bits(self) -> tuple:
        """What must be the same if a run is made again."""
        return self.weights.tobytes(), self.visits, self.conjugate, repr(self.notes)


def start(
    name: str, problem: Problem, loss: str, C: float, seed: int = 0, penalty: str = "l2", **params: Any
) -> tuple[Objective, Generator[Iterate]]:
    """The objective of a problem, and an algorithm at its beginning."""
    objective, rng = Objective(problem.train, loss, C, penalty), np.random.default_rng(seed)
    solve = referee.watched(algorithm_module.solver(name), name)
    return objective, solve(problem, objective, rng, **params)


def evaluated(objective: Objective, iterate: Iterate) -> Point:
    """A copy of what was yielded, with its value."""
    w, model = iterate.vector * iterate.scale, iterate.hints.model
    value = objective.evaluate(w, *iterate.dual_point)
    if model and not len(w) and (given := model.predictions(objective.split, w)):
        w = given[0]
    return Point(w, iterate.visits, iterate.dual_point[0], dict(iterate.notes), value)


def wrong(run: list[Point], best: float, monotone: bool) -> list[str]:
    """Sentences on what is wrong with the points of a run, the first before any update, given the optimum.

    Args:
        monotone: Whether the algorithm promises that its dual value never falls.
    """
    found = []
    for before, after in pairwise(run):
        if not before.visits < after.visits:
            found.append(f"its visits do not grow: {before.visits}, then {after.visits}")
            break
    for point in run:
        if not point.value.primal >= best * (1 - ROUNDING):
            found.append(f"it reaches the value {point.value.primal:.12g}, below the optimum {best:.12g}")
            break
        if point.value.dual > best * (1 + ROUNDING):  # there may be none at w = 0
            found.append(
                f"its dual value {point.value.dual:.12g} is above the optimum {best:.12g} after {point.visits} "
                "visits: its dual point is wrong"
            )
            break
    if len(run) > 2 and not run[-1].relative_gap < run[1].relative_gap:
        found.append(
            f"its relative gap does not fall: {run[1].relative_gap:.3g}, at last {run[-1].relative_gap:.3g}"
        )
    duals = np.array([point.value.dual for point in run[1:]])
    falls = np.diff(duals) < -MONOTONE * (1 + abs(duals[1:]))
    if monotone and len(duals) > 1 and (falls.any() or not duals[-1] > duals[0]):
        found.append("its dual value falls, though it promises monotone")
    return found
