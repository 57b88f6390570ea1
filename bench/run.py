"""Drive one algorithm under the measuring protocol: advance, stop the clock, evaluate, repeat.

Only ``next(solver)`` is timed. Checkpoints are spaced geometrically in effective passes (visits / n,
eg2008, section 7); the run ends at a relative gap, a number of passes or of seconds, or a value that is
not finite, and says which.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from algorithms import parallel
from algorithms.inference import predictions
from algorithms.objective import Iterate, Objective, Value
from algorithms.structures import parts
from algorithms.structures.narrow import num_bytes
from bench import catalogue, memory
from bench.chunks import chunk_f1
from bench.spec import Spec
from datasets.base.problem import Problem

FIRST_CHECKPOINT = 0.1  # effective passes
SPACING = 1.2  # ratio of one checkpoint's passes to those of the one before
IMPOSSIBLE = 1e-6  # of the primal: how far below it rounding may let the gap be negative
WARM_UP_EXAMPLES = 4
WARM_UP_SEARCH = 1000
WARM_UP_STEPS = 3

Row = dict[str, float]


@dataclass
class Result:
    """What a run produced: a row per checkpoint, the last weights, and how it ended."""

    rows: list[Row]
    weights: np.ndarray
    summary: dict[str, Any]


@dataclass
class _Clock:
    """Wall and CPU seconds that the algorithm used, all threads; evaluation is not among them."""

    wall: float = 0.0
    cpu: float = 0.0

    def advance(self, solver: Iterator[Iterate]) -> Iterate | None:
        wall, cpu = time.perf_counter(), time.process_time()
        iterate = next(solver, None)
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        if iterate is not None and iterate.seconds is not None:
            self.wall, self.cpu = iterate.seconds
        return iterate


@dataclass
class _Grid:
    """The passes at which to evaluate next."""

    due: float = field(default=0.0)

    def reached(self, passes: float) -> bool:
        if passes < self.due:
            return False
        while self.due <= passes:
            self.due = max(FIRST_CHECKPOINT, self.due * SPACING)
        return True


def run(spec: Spec, problem: Problem, report: Callable[[Row], None] = lambda row: None) -> Result:
    """Run a spec on its problem; ``report`` is called with each checkpoint's row."""
    with threadpool_limits(1):  # a run has the threads of its spec, and they are for the kernels
        return _run(spec, problem, report)


def _run(spec: Spec, problem: Problem, report: Callable[[Row], None]) -> Result:
    started = time.time()
    parallel.set_threads(spec.threads)
    warm_up(spec, problem)
    n = parts.num_examples(problem.train)
    memory.forget_peak()
    objective = Objective(problem.train, spec.loss, spec.C, spec.penalty)
    solver = _solver(spec, problem, objective)
    clock, grid, rows = _Clock(), _Grid(), []
    iterate = clock.advance(solver)
    setup = clock.wall
    clock = _Clock()

    def checkpoint() -> str:
        """Evaluate where the algorithm stands; says why to stop, if the row gives a reason."""
        rows.append(_evaluate(objective, problem, iterate.vector * iterate.scale, iterate, n, clock))
        report(rows[-1])
        if not math.isfinite(rows[-1]["primal"]):
            return "diverged"
        if rows[-1]["gap"] < -IMPOSSIBLE * abs(rows[-1]["primal"]):
            raise ArithmeticError(
                f"{spec.algorithm} gives a dual value of {rows[-1]['dual']:.12g}, above the primal value of "
                f"{rows[-1]['primal']:.12g}: its dual point is wrong"
            )
        converged = rows[-1]["relative_gap"] <= spec.gap and rows[-1]["C"] == spec.C
        return "converged" if converged else ""

    while True:
        status = _stopped(spec, clock, iterate, n)
        asked = iterate.look or iterate.C is not None or iterate.seconds is not None
        if grid.reached(iterate.visits / n) or status or asked:
            status = checkpoint() or status
        if status:
            break
        following = clock.advance(solver)
        if following is None:
            status = "stalled"
            if rows[-1]["visits"] < iterate.visits:
                status = checkpoint() or status
            break
        iterate = following
    weights = iterate.vector * iterate.scale
    solver.close()
    return Result(rows, weights, _summary(spec, problem, rows, weights, iterate, status, setup, started))


def warm_up(spec: Spec, problem: Problem) -> None:
    """Compile, or load from the cache, every kernel that the run will use, on a few examples."""
    train = parts.take(problem.train, _examples_with_features(problem.train))
    objective = Objective(train, spec.loss, spec.C, spec.penalty)
    solver = _solver(spec, problem._replace(train=train), objective)
    with np.errstate(all="ignore"):
        for _, iterate in zip(range(WARM_UP_STEPS), solver, strict=False):
            weights = iterate.vector * iterate.scale
            objective.evaluate(weights, iterate.conjugate, iterate.dual)
    solver.close()
    predictions(train, weights)


def _examples_with_features(split: Any) -> np.ndarray:
    """A few examples on which an algorithm has something to do, if there are any."""
    found = []
    for i in range(min(WARM_UP_SEARCH, parts.num_examples(split))):
        y = np.zeros(parts.num_parts(split, i))
        parts.gold(split, i, y)
        if parts.squared_norm(split, i, y) > 0:
            found.append(i)
        if len(found) == WARM_UP_EXAMPLES:
            break
    return np.array(found or [0])


def _solver(spec: Spec, problem: Problem, objective: Objective) -> Iterator[Iterate]:
    rng = np.random.default_rng(spec.seed)
    return catalogue.solver(spec.algorithm)(problem, objective, rng, **dict(spec.params))


def _stopped(spec: Spec, clock: _Clock, iterate: Iterate, n: int) -> str:
    if spec.seconds is not None and clock.wall >= spec.seconds:
        return "timeout"
    return "passes" if iterate.visits >= spec.passes * n else ""


def _evaluate(
    objective: Objective, problem: Problem, weights: np.ndarray, iterate: Iterate, n: int, clock: _Clock
) -> Row:
    if iterate.C is not None:
        objective = replace(objective, C=iterate.C)
    with np.errstate(all="ignore"):
        value = objective.evaluate(weights, iterate.conjugate, iterate.dual)
        norm = float(np.sqrt(weights @ weights))
    row = {
        "C": objective.C,
        "passes": iterate.visits / n,
        "visits": float(iterate.visits),
        "wall_seconds": clock.wall,
        "cpu_seconds": clock.cpu,
        "primal": value.primal,
        "dual": value.dual,
        "gap": value.primal - value.dual,
        "relative_gap": _relative_gap(value),
        "weight_norm": norm,
    }
    return row | _quality(problem, problem.test, weights, "test")


def _relative_gap(value: Value) -> float:
    """The gap over |P|; 0 where both values are 0."""
    gap = value.primal - value.dual
    return gap / abs(value.primal) if value.primal else (0.0 if gap <= 0 else np.nan)


def _quality(problem: Problem, split: Any, weights: np.ndarray, name: str) -> Row:
    if split is None:
        return {f"{name}_error": np.nan, f"{name}_f1": np.nan}
    predicted, right, starts = predictions(split, weights)
    f1 = chunk_f1(predicted, right, starts, problem.labels) if problem.bio else np.nan
    return {f"{name}_error": float(np.mean(predicted != right)), f"{name}_f1": f1}


def _summary(spec, problem, rows, weights, iterate, status, setup, started) -> dict[str, Any]:
    last = rows[-1]
    n = parts.num_examples(problem.train)
    notes = dict(iterate.notes)
    calibration = notes.pop("calibration_visits", 0)
    message = {
        "converged": f"relative gap {last['relative_gap']:.2g} is at most {spec.gap:g}",
        "passes": f"{last['passes']:.4g} of {spec.passes:g} passes made",
        "timeout": f"{last['wall_seconds']:.4g} of {spec.seconds or 0:g} seconds used",
        "stalled": f"{spec.algorithm} found no further step",
        "diverged": f"{spec.algorithm} met a value that is not finite after {last['passes']:.4g} passes; "
        + f"its parameters: {', '.join(f'{k}={v}' for k, v in {**dict(spec.params), **notes}.items())}",
    }[status]
    if last["C"] != spec.C:
        message += f", at C = {last['C']:g} on the way to {spec.C:g}: primal, dual and gap are of that"
    return {
        "key": spec.key,
        "status": status,
        "message": message,
        **{name: last[name] for name in ("C", "primal", "dual", "gap", "relative_gap", "passes", "visits")},
        **{name: last[name] for name in ("wall_seconds", "cpu_seconds", "test_error", "test_f1")},
        **_quality(problem, problem.train, weights, "train"),
        "peak_memory": memory.peak(),
        "setup_seconds": setup,
        "total_seconds": time.time() - started,
        "calibration_passes": calibration / n,
        "num_features": parts.num_weights(problem.train),
        "num_nonzero": int(np.count_nonzero(weights)),
        "weights_memory": num_bytes(weights),
        "num_examples": n,
        "notes": notes,
    }
