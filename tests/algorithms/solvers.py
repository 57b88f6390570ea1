"""Every algorithm that runs on all structures with the l2 penalty, and its variants, on the oracle's small cases.

Those that do not (by what they need and their penalties), third-party solvers among them, have tests of
their own.
"""

from collections.abc import Generator, Iterator
from itertools import islice, product
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from structbench.algorithms.learning import declaration, penalties
from structbench.algorithms.learning.objective import Iterate, Objective, Value
from structbench.algorithms.structures import interface as parts
from structbench.bench.checks import algorithms as checks
from structbench.bench.checks.algorithms import Point
from structbench.bench.runs import algorithm_module, catalogue
from structbench.datasets.problems.problem import Problem
from tests.algorithms import linear
from tests.algorithms.oracle import COVERING, Case, able
from tests.narrowing import not_none

EXACT = {
    "parts",
    "argmax",
    "marginals",
    "cliques",
}  # what the oracle's structures can do, if some of them not the last


def general() -> list[str]:
    """The algorithms that run on all structures with the l2 penalty."""
    return [
        name
        for name in catalogue.algorithms()
        if "l2" in catalogue.penalties(name) and set(catalogue.needs_of(name, {})) <= EXACT
    ]


def settings(name: str) -> list[dict[str, Any]]:
    """The defaults, each other choice of a parameter that has a few, and what it declares for tests."""
    declared = algorithm_module.declaration(name).settings
    choices = [
        {parameter: value}
        for parameter, annotation in get_type_hints(algorithm_module.solver(name)).items()
        if get_origin(annotation) is Literal and parameter in catalogue.parameters(name)
        for value in get_args(annotation)
        if value != catalogue.parameters(name)[parameter]
    ]
    return [declared.every_test | each for each in ({}, *choices, *declared.tests)]


def named(name: str, params: dict[str, Any]) -> str:
    """A variant's name, as in the keys of runs."""
    return ":".join([name, *(f"{key}={value}" for key, value in params.items())])


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    named(name, params): (name, params) for name in general() for params in settings(name)
}


USUAL, SMOOTHED = ("log", "hinge"), "smoothed-hinge-TAU"
CASES = ("multiclass-dense", "chain-binary", *COVERING)


def losses(variant: str) -> tuple[str, ...]:
    """The losses that an algorithm minimises; of its variants the usual ones are enough."""
    every = catalogue.losses(VARIANTS[variant][0])
    found = [each for each in every if each in USUAL or variant in catalogue.algorithms()]
    if variant == "sgd":  # it chooses its rate by the error of one example: ``test_sgd`` gives it one
        found.remove(SMOOTHED)
    return tuple(each.replace("TAU", "0.5") for each in found)


RUNS = [(variant, loss) for variant in VARIANTS for loss in losses(variant)]


def counts(variant: str) -> bool:
    """Whether an algorithm takes only features of 0 or more: the oracle's binary ones."""
    return algorithm_module.declaration(VARIANTS[variant][0]).non_negative


def runs_on(name: str) -> list[tuple[str, str]]:
    """Those of ``RUNS`` that can learn a case of the oracle."""
    return [
        (variant, loss)
        for variant, loss in RUNS
        if able(name, *catalogue.needs_of(*VARIANTS[variant])) and ("-binary" in name or not counts(variant))
    ]


def with_number(penalty: str) -> str:
    """A declared penalty with a number in the place of its word."""
    return penalty.replace("LAMBDA", "30").replace("-A", "-0.3")


def others() -> list[tuple[str, dict[str, Any], str, str]]:
    """The runs that minimise an objective and are not among ``RUNS``: algorithm, parameters, loss and penalty.

    Programs of others have their own tests, and so has ``kernel-svm``, whose weights are not those of features.
    """
    boxes = [name for name in catalogue.algorithms() if algorithm_module.declaration(name).black_box]
    apart = {"kernel-svm", *boxes}
    ours = [each for each in catalogue.algorithms() if each not in apart]
    return [
        (name, params, loss, with_number(penalty))
        for name in ours
        for penalty in catalogue.penalties(name)
        if penalty != declaration.NO_PENALTY and (penalty != "l2" or name not in general())
        for loss in catalogue.losses(name)
        if loss in USUAL
        for params in settings(name)
    ]


def choices(name: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """A case that an algorithm can learn, a loss, a penalty and parameters: each of its choices once."""
    counted = algorithm_module.declaration(name).non_negative
    for params in settings(name):
        for loss, penalty in product(catalogue.losses(name), catalogue.penalties(name)):
            needs = catalogue.needs_of(name, params)
            fit = (each for each in CASES if able(each, *needs) and ("-binary" in each or not counted))
            if (loss in (*USUAL, declaration.NO_LOSS) or params == {}) and (name, loss) != ("sgd", SMOOTHED):
                for each in islice(fit, 1):
                    yield each, loss.replace("TAU", "0.5"), with_number(penalty), params


WORK = 400_000  # visits at which ``solved`` gives up


def start(
    variant: str,
    split: Any,
    loss: str,
    C: float,
    seed: int = 0,
    test: Any = None,
    penalty: str = "l2",
    **params: Any,
) -> tuple[Objective, Generator[Iterate]]:
    """The objective on a split, and the algorithm, one of ``VARIANTS`` or any by its name, at its beginning."""
    name, own = VARIANTS.get(variant, (variant, {}))
    return checks.start(name, Problem(split, test, ("a", "b", "c")), loss, C, seed, penalty, **(own | params))


def evaluated(objective: Objective, iterate: Iterate) -> Point:
    """A copy of what was yielded, with its value; what the algorithm itself says of that must agree."""
    point = checks.evaluated(objective, iterate)
    if iterate.hints.value is not None:
        rounding = 1e-12 * max(1.0, abs(point.value.primal))
        assert iterate.hints.value() == pytest.approx(point.value, rel=1e-12, abs=rounding, nan_ok=True)
    return point


def recomputed(small: Case, objective: Objective, iterate: Iterate) -> Value:
    """Primal and dual value of what was yielded, without kernels.

    All outputs are written out for the primal value, and for u = p(. | x; w) where the algorithm keeps no u. Else
    the dual value is that of the u which it stores.
    """
    w, penalty = iterate.vector * iterate.scale, penalties.get(objective.penalty)
    primal = float(np.sum(small.losses(w, objective.loss))) + penalty.value(w, objective.C)
    if iterate.dual and iterate.dual.recompute:
        conjugate, dual_weights = iterate.dual.recompute()
    elif iterate.dual:
        conjugate, dual_weights = iterate.dual[:2]
        dual_weights = objective.C * w if dual_weights is None else dual_weights
    elif not objective.smooth:
        return Value(primal, np.nan)
    else:
        u = [e.loss(e.features @ w, objective.loss)[1] for e in small.examples]
        conjugate, dual_weights = linear.conjugate_and_weights(small, u, objective.loss)
    return Value(primal, penalty.dual_value(conjugate, dual_weights, objective.C, objective.penalty != "l2"))


def recomputed_dual(iterate: Iterate) -> tuple[float, np.ndarray]:
    """conj(u) and w(u), from the dual variables that an algorithm stores."""
    return not_none(not_none(iterate.dual).recompute)()


def dual_weights(iterate: Iterate) -> np.ndarray:
    """The w(u) of an algorithm that keeps it apart from the weights."""
    return not_none(not_none(iterate.dual).weights)


def points(variant: str, split: Any, loss: str, C: float, **rest: Any) -> Generator[Point]:
    """Everything that the algorithm yields, evaluated."""
    objective, solver = start(variant, split, loss, C, **rest)
    try:
        for iterate in solver:
            yield evaluated(objective, iterate)
    finally:
        solver.close()


def first(count: int, variant: str, split: Any, loss: str, C: float, **rest: Any) -> list[Point]:
    """The first few points of a run."""
    run = points(variant, split, loss, C, **rest)
    found = list(islice(run, count))
    run.close()
    return found


def finished(objective: Objective, solver: Generator[Iterate], gap: float) -> Point:
    """Go on to the first point whose certified relative gap is at most ``gap``; evaluated ever more rarely."""
    due, last = 0.0, None
    for iterate in solver:
        last = iterate
        if iterate.visits >= due:
            due = 1.1 * iterate.visits
            point = evaluated(objective, iterate)
            if point.relative_gap <= gap or point.visits > WORK:
                solver.close()
                return point
    return evaluated(objective, not_none(last))


def solved(variant: str, split: Any, loss: str, C: float, gap: float, **rest: Any) -> Point:
    """The first point of a run whose certified relative gap is at most ``gap``."""
    return finished(*start(variant, split, loss, C, **rest), gap)


def counted(name: str, split: Any, **params: Any) -> np.ndarray:
    """The weights of an algorithm that looks once at each example, and no more."""
    _, solver = start(name, split, "none", 1.0, penalty="none", **params)
    before = next(solver)
    assert before.visits == 0 and not before.vector.any()
    (found,) = solver
    assert found.visits == parts.num_examples(split)
    return found.vector * found.scale
