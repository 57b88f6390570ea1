"""Check an algorithm on small problems: its iterates, and its optimum against a reference's certified optimum."""

import time
from collections.abc import Generator, Iterable
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from structbench import datasets
from structbench.algorithms.learning.declaration import NO_LOSS, numberless
from structbench.algorithms.learning.objective import Iterate, Objective, Value
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import warm_up_sample
from structbench.algorithms.structures.compiled import kind_of
from structbench.bench.runs import algorithm_module, catalogue, faults, referee, refusals
from structbench.datasets.problems.problem import Problem

DATA = (
    "toy-points:kind=overlapping,points=12",
    "toy-english:sentences=8",
    "toy-english:sentences=8,task=dependencies",
    "toy-english:sentences=8,task=joint",
    "toy-english:sentences=8,task=words",
)
MOST_EXAMPLES, MOST_PROBLEMS = 8, 2
REFERENCES = ("lbfgs", "one-slack", "owl-qn")
C = 2.0
STEPS, AGAIN = 40, 10
FEW = 4  # of a black box, whose points may each take a run
PASSES, SECONDS = 3000, 5.0  # within which an algorithm converges
GAP, SLOW_GAP = 1e-6, 2e-3  # of algorithms that converge linearly, and of others
CERTAIN = 1e-8  # relative gap of the optimum that is compared with
ROUNDING = 1e-9  # relative, of primal and dual values
MONOTONE = 1e-11


class Small(NamedTuple):
    """Some examples of a data set: the problem with all features, and a split with those that they have."""

    data: str
    problem: Problem
    split: Any


class _Watched(Problem):
    """A problem that knows whether its test split was read."""

    is_test_read = False

    @property
    def test(self) -> Any:
        self.is_test_read = True
        return self[1]


class Point(NamedTuple):
    """A copy of what an algorithm yielded: weights of the model, or its labels, and the value there."""

    weights: np.ndarray
    visits: int
    conjugate: float | None
    notes: dict[str, float | str]
    value: Value

    @property
    def relative_gap(self) -> float:
        """``(primal - dual) / |primal|``."""
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
    of_others = len(w) != parts.num_weights(objective.split)  # such as of examples
    point = iterate.dual_point
    value = model.evaluate(objective, w, *point) if model and of_others else objective.evaluate(w, *point)
    if iterate.hints.value is not None and model is None:
        refusals.require_alike("it", iterate.hints.value().primal, value.primal)
    if model and not len(w) and (given := model.predictions(objective.split, w)):
        w = given[0]
    return Point(w, iterate.visits, iterate.dual_point[0], dict(iterate.notes), value)


def wrong_points(run: list[Point], best: float, monotone: bool, optimal: bool) -> list[str]:
    """Sentences on what is wrong with the points of a run, the first before any update, given the optimum.

    Args:
        monotone: Whether the algorithm promises that its dual value never falls.
        optimal: Whether it promises to meet the optimum.
    """
    found = []
    for before, after in pairwise(run):
        if not before.visits < after.visits:
            found.append(f"its visits do not grow: {before.visits}, then {after.visits}")
            break
    for point in run:
        if not point.value.primal >= best * (1 - CERTAIN - ROUNDING):
            found.append(f"it reaches the value {point.value.primal:.12g}, below the optimum {best:.12g}")
            break
        if point.value.dual > best * (1 + ROUNDING):  # there may be none at w = 0
            found.append(
                f"its dual value {point.value.dual:.12g} is above the optimum {best:.12g} after {point.visits} "
                "visits: its dual point is wrong"
            )
            break
    if optimal and len(run) > 2 and not run[-1].relative_gap < run[1].relative_gap:
        found.append(f"its relative gap does not fall: {run[1].relative_gap:.3g}, then {run[-1].relative_gap:.3g}")
    duals = np.array([point.value.dual for point in run[1:]])
    falls = np.diff(duals) < -MONOTONE * (1 + abs(duals[1:]))
    if monotone and len(duals) > 1 and (falls.any() or not duals[-1] > duals[0]):
        found.append("its dual value falls, though it promises monotone")
    return found


def small(texts: Iterable[str]) -> list[Small]:
    """Small problems of data sets that can be made."""
    found = []
    for text in texts:
        problem = datasets.build(text)
        split, n = problem.train, parts.num_examples(problem.train)
        sizes = np.diff(parts.offsets(split)) if parts.has(split, parts.num_parts) else np.arange(n)
        few = parts.take(split, np.sort(np.argsort(sizes, kind="stable")[:MOST_EXAMPLES]))
        own_features = warm_up_sample.without_other_features(few)
        found.append(Small(text, problem._replace(train=few, test=few), own_features))
    return found


def wrong(name: str, problems: list[Small]) -> list[str]:
    """Sentences on what is wrong with an algorithm; none if nothing is.

    It runs on the first few problems that it can learn, with a smooth and a polyhedral loss if it has both.

    Raises:
        UserError: A package that it needs is not installed.
    """
    catalogue.require(name)
    fit = [each for each in problems if not refusal(name, each.split)][:MOST_PROBLEMS]
    if not fit:
        whole = [each for each in problems if not catalogue.lacking(name, {}, kind_of(each.split))]
        said = refusal(name, whole[0].split) if whole else ""
        needs = said or f"none has what it needs ({', '.join(catalogue.needs_of(name, {}))})"
        return [f"it can learn no small problem, and was not run: {needs}"]
    found = []
    for problem in fit:
        for loss in losses(name):
            where = f"on {problem.data}" + (f", {loss} loss" if loss != NO_LOSS else "")
            try:
                found += [f"{where}: {sentence}" for sentence in _of_problem(name, problem, loss)]
            except (UserError, Fault) as error:
                found.append(f"{where}: {error}")
            except Exception as error:  # of any kind: the algorithm may be anybody's
                found.append(f"{where}: it failed with {faults.described(name, error)}")
    return found


def refusal(name: str, split: Any) -> str:
    """Why an algorithm cannot learn a split, with its parameters of tests; empty if it can."""
    try:
        catalogue.check_fit(name, algorithm_module.declaration(name).settings.every_test, split)
    except UserError as error:
        return str(error)
    return ""


def losses(name: str) -> list[str]:
    """One loss of each kind that an algorithm minimises with its parameters of tests."""
    kinds: dict[bool, str] = {}
    params = algorithm_module.declaration(name).settings.every_test
    for loss in (each.replace(family.TAU, "1") for each in catalogue.losses(name, params)):
        if loss == NO_LOSS:
            return [loss]
        kinds.setdefault(family.named_loss(loss).temperature > 0, loss)
    return [*kinds.values()]


def _of_problem(name: str, small: Small, loss: str) -> list[str]:
    declared, penalty = algorithm_module.declaration(name), usual_penalty(name)
    problem = small.problem if declared.reads_names else Problem(small.split, small.split, ("a", "b", "c"))
    problem = _Watched(*problem)
    split, params = problem.train, declared.settings.every_test

    def begun(seed: int, count: int) -> tuple[Objective, Generator[Iterate], list[Point]]:
        objective, solver = start(name, problem, loss, C, seed, penalty, **params)
        return objective, solver, [evaluated(objective, iterate) for iterate in islice(solver, count)]

    steps, again = (FEW, FEW) if declared.black_box else (STEPS, AGAIN)

    def compared(points: list[Point]) -> list[tuple]:
        """What another run must repeat: of a black box not the dual value, which is ours."""
        return [(each.weights.tobytes(), each.visits) if declared.black_box else each.bits for each in points]

    def bits(seed: int) -> list[tuple]:
        _, solver, found = begun(seed, again)
        solver.close()
        return compared(found)

    found: list[str] = []
    objective, solver, run = begun(0, steps)
    if problem.is_test_read and not declared.black_box:
        found.append("it reads problem.test: nothing may be tuned on test data")
    before = compared(run[:again])
    for threads in (1, 2):
        with parallel.using(threads):
            again_bits = bits(0)
        if again_bits != before:
            found.append(f"the same run again, with {threads} threads, gives other weights")
    differ = bits(1) != before
    if differ and not catalogue.draws(name, params):
        found.append("another seed gives other weights, though it declares random=False")
    if not differ and catalogue.draws(name, params) and not declared.black_box:  # labels may be the same
        found.append("another seed gives the same weights: if it draws nothing at random, declare random=False")
    if loss == NO_LOSS:
        return found
    if odd := next((each for each in run if np.isnan(each.value.primal)), None):
        return [*found, f"its value is not a number after {odd.visits} visits"]
    best = optimum(split, loss, penalty)
    if best is None:
        return found
    promises = {what: catalogue.holds(name, when, params) for what, when in declared.promises._asdict().items()}
    found += wrong_points(run, best, promises["monotone"], promises["optimal"])
    gap, last = GAP if promises["linear"] else SLOW_GAP, _finished(objective, solver, run[-1], best)
    if np.isnan(last.value.primal):
        return [*found, f"its value is not a number after {last.visits} visits"]
    above = (last.value.primal - best) / (abs(best) or 1.0)
    if above > gap and promises["optimal"]:
        found.append(
            f"after {last.visits / parts.num_examples(split):.0f} passes its value is {above:.2g} of the optimum "
            "above it: it does not converge, or slowly (then declare promises=Promises(linear=False))"
        )
    elif np.isnan(last.value.dual):
        found.append("it has no dual value, so runs have no certificate: yield Dual(conj(u)) (CONTRIBUTING.md)")
    return found


def usual_penalty(name: str) -> str:
    """The first penalty that an algorithm declares, with a number if it needs one."""
    return algorithm_module.declaration(name).penalties[0].replace("LAMBDA", "30").replace("-A", "-1")


def optimum(split: Any, loss: str, penalty: str) -> float | None:
    """The optimum, certified by an algorithm of the project's; None if none of ``REFERENCES`` minimises it."""
    for name in REFERENCES:
        fits = catalogue.minimises(name, loss) and numberless(penalty) in catalogue.penalties(name)
        if fits and not catalogue.lacking(name, {}, kind_of(split)):
            objective, solver = start(name, Problem(split, None, ()), loss, C, penalty=penalty)
            last = None
            for iterate in islice(solver, PASSES):
                last = evaluated(objective, iterate)
                if last.relative_gap <= CERTAIN:
                    return last.value.primal
    return None


def _finished(objective: Objective, solver: Generator[Iterate], last: Point, best: float) -> Point:
    """Go on until the value is near the optimum, the algorithm ends, or it takes too long."""
    begun, due, most = time.process_time(), 0.0, PASSES * parts.num_examples(objective.split)
    for iterate in solver:
        if iterate.visits >= due:
            due, last = 1.1 * iterate.visits, evaluated(objective, iterate)
            near = last.value.primal - best <= GAP * abs(best) / 10
            if near or last.visits > most or time.process_time() - begun > SECONDS:
                break
    solver.close()
    return last
