"""Every algorithm that runs on all structures with the l2 penalty, and its variants, on the oracle's small cases.

Those that do not (``STRUCTURES`` and ``PENALTIES`` in their modules), programs of others among them, have tests of
their own.
"""

import inspect
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from algorithms.learning.objective import Iterate, Objective, Value
from bench.runs import catalogue
from datasets.problems.problem import Problem

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {})
    for name in catalogue.algorithms()
    if not hasattr(catalogue.algorithm(name), "STRUCTURES") and "l2" in catalogue.penalties(name)
} | {
    "eg-permuted": ("eg", {"order": "permuted"}),
    "eg-cyclic": ("eg", {"order": "cyclic"}),
    "eg-batch": ("eg", {"mode": "batch"}),
    "eg-calibrated": ("eg", {"calibrate": True}),
    "frank-wolfe-toward": ("frank-wolfe", {"steps": "toward", "sampling": "permuted", "average": 1.0}),
    "frank-wolfe-inner": ("frank-wolfe", {"inner": 5, "sampling": "random"}),
    "frank-wolfe-batch": ("frank-wolfe", {"mode": "batch"}),
    "subgradient-batch": ("subgradient", {"mode": "batch", "average": "none"}),
    "subgradient-last": ("subgradient", {"average": "none"}),
    "eg-gap": ("eg", {"order": "gap"}),
    "eg-annealed": ("eg", {"anneal": 20.0, "hold": 2.0}),
    "eg-path": ("eg-path", {"first": 4.0}),  # undoing what a strong penalty settled is slow
}


def losses(variant: str) -> tuple[str, ...]:
    """The losses that an algorithm minimises."""
    module = inspect.getmodule(catalogue.solver(VARIANTS[variant][0]))
    return getattr(module, "LOSSES", ("log", "hinge"))


RUNS = [(variant, loss) for variant in VARIANTS for loss in losses(variant)]


WORK = 400_000  # visits at which ``solved`` gives up


class Point(NamedTuple):
    """A copy of what an algorithm yielded: weights of the model, and the value there."""

    weights: np.ndarray
    visits: int
    conjugate: float | None
    notes: dict[str, float | str]
    value: Value

    @property
    def relative_gap(self) -> float:
        return (self.value.primal - self.value.dual) / abs(self.value.primal)


def start(
    variant: str,
    split: Any,
    loss: str,
    C: float,
    seed: int = 0,
    test: Any = None,
    penalty: str = "l2",
    **params: Any,
) -> tuple[Objective, Iterator[Iterate]]:
    """The objective on a split, and the algorithm, one of ``VARIANTS`` or any by its name, at its beginning."""
    objective = Objective(split, loss, C, penalty)
    name, own = VARIANTS.get(variant, (variant, {}))
    problem = Problem(split, test, ("a", "b", "c"))
    rng = np.random.default_rng(seed)
    return objective, catalogue.solver(name)(problem, objective, rng, **(own | params))


def points(variant: str, split: Any, loss: str, C: float, **rest: Any) -> Iterator[Point]:
    """Everything that the algorithm yields, evaluated."""
    objective, solver = start(variant, split, loss, C, **rest)
    try:
        for iterate in solver:
            yield _point(objective, iterate)
    finally:
        solver.close()


def first(count: int, variant: str, split: Any, loss: str, C: float, **rest: Any) -> list[Point]:
    """The first few points of a run."""
    run = points(variant, split, loss, C, **rest)
    found = list(islice(run, count))
    run.close()
    return found


def solved(variant: str, split: Any, loss: str, C: float, gap: float, **rest: Any) -> Point:
    """The first point whose certified relative gap is at most ``gap``; evaluated ever more rarely."""
    objective, solver = start(variant, split, loss, C, **rest)
    due, last = 0.0, None
    for iterate in solver:
        last = iterate
        if iterate.visits >= due:
            due = 1.1 * iterate.visits
            point = _point(objective, iterate)
            if point.relative_gap <= gap or point.visits > WORK:
                solver.close()
                return point
    return _point(objective, last)


def _point(objective: Objective, iterate: Iterate) -> Point:
    w = iterate.vector * iterate.scale
    value = objective.evaluate(w, iterate.conjugate, iterate.dual_weights)
    return Point(w, iterate.visits, iterate.conjugate, dict(iterate.notes), value)
