"""Every algorithm and its variants, on the small cases of the oracle."""

import inspect
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from algorithms.objective import Iterate, Objective, Value
from bench import catalogue
from datasets.base.problem import Problem

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in catalogue.algorithms()} | {
    "eg-permuted": ("eg", {"order": "permuted"}),
    "eg-cyclic": ("eg", {"order": "cyclic"}),
    "eg-batch": ("eg", {"mode": "batch"}),
    "eg-calibrated": ("eg", {"calibrate": True}),
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
    variant: str, split: Any, loss: str, C: float, seed: int = 0, test: Any = None, **params: Any
) -> tuple[Objective, Iterator[Iterate]]:
    """The objective on a split, and the algorithm at its beginning."""
    objective = Objective(split, loss, C)
    name, own = VARIANTS[variant]
    problem = Problem(split, test, ("a", "b", "c"))
    rng = np.random.default_rng(seed)
    return objective, catalogue.solver(name)(problem, objective, rng, **(own | params))


def points(variant: str, split: Any, loss: str, C: float, **rest: Any) -> Iterator[Point]:
    """Everything that the algorithm yields, evaluated."""
    objective, solver = start(variant, split, loss, C, **rest)
    try:
        for vector, scale, visits, conjugate, notes in solver:
            w = vector * scale
            yield Point(w, visits, conjugate, dict(notes), objective.evaluate(w, conjugate))
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
    for vector, scale, visits, conjugate, notes in solver:
        last = vector * scale, visits, conjugate, dict(notes)
        if visits >= due:
            due = 1.1 * visits
            point = Point(*last, objective.evaluate(last[0], conjugate))
            if point.relative_gap <= gap or visits > WORK:
                solver.close()
                return point
    return Point(*last, objective.evaluate(last[0], last[2]))
