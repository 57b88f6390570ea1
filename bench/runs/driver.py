"""Drive one algorithm under the measuring protocol: advance, stop the clock, evaluate, repeat.

Only the algorithm is timed, from its call on, its set-up included. Checkpoints are spaced geometrically in
passes (visits / n, eg2008, section 7). A relative gap, a number of passes or of seconds, or a value that
is not finite ends the run. The run says which.
"""

import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.learning.loss_factors import EQUAL
from structbench.algorithms.learning.objective import Iterate, Model, Objective, Value
from structbench.algorithms.learning.start import Start
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.blas import one_blas_thread
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction, warm_up_sample
from structbench.bench.runs import ahead, algorithm_module, catalogue, referee, refusals
from structbench.bench.runs.quality import Row, is_finite, quality, quality_of_labels, to_keep
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.summaries import summary_of
from structbench.datasets.problems.problem import Judged, Problem

FIRST_CHECKPOINT = 0.1  # passes
WALL = 10.0  # wall seconds for a limit in CPU seconds: a run that waits for ever ends, too
SPACING = 1.2  # ratio of one checkpoint's passes to those of the one before
WARM_UP_EVALUATIONS = 3
WARM_UP_PASSES, WARM_UP_STEPS = 12, 500
VALIDATION = ("validation_error", "validation_f1")  # of problems that have such a split
T = TypeVar("T")


@dataclass
class Result:
    """What a run produced: a row per checkpoint, the last weights, and how it ended.

    ``chunks`` has the counts of chunks (``chunks.counted``) of each test sentence at each checkpoint, int
    (checkpoints, sentences, 3). It is None if there are no chunks, or if weights predict nothing. ``last``: see
    ``quality.to_keep``; ``stored``: ``Dual.stored``; ``label_one``: ``Hints.label_one``.
    """

    rows: list[Row]
    weights: np.ndarray
    summary: dict[str, Any]
    chunks: np.ndarray | None = None
    last: dict[str, np.ndarray] = field(default_factory=dict)
    stored: np.ndarray | None = None
    label_one: Callable[[list[dict[str, float]]], list[str]] | None = None

    @property
    def curve(self) -> dict[str, list[float]]:
        """The rows by column."""
        return {name: [row[name] for row in self.rows] for name in self.rows[0]}


@dataclass
class _Clock:
    """Wall and CPU seconds that the algorithm used, all threads; evaluation is not among them."""

    wall: float = 0.0
    cpu: float = 0.0

    def timed(self, work: Callable[[], T]) -> T:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        return result

    def advance(self, solver: Iterator[Iterate]) -> Iterate | None:
        iterate = self.timed(lambda: next(solver, None))
        if iterate is not None and iterate.hints.seconds is not None:
            self.wall, self.cpu = iterate.hints.seconds
        return iterate


@dataclass
class _Grid:
    """The passes at which to evaluate next.

    ``whole``: After complete passes only. Used without an objective: evaluating means predicting, which is slow.
    """

    whole: bool
    due: float = field(default=0.0)

    def reached(self, passes: float) -> bool:
        if passes < self.due:
            return False
        while self.due <= passes:
            self.due = max(FIRST_CHECKPOINT, self.due * SPACING)
            self.due = math.ceil(self.due) if self.whole else self.due
        return True


def run(
    spec: Spec,
    problem: Problem,
    report: Callable[[Row], None] = lambda row: None,
    loss_factors: np.ndarray = EQUAL,
    start_from: Start | None = None,
    is_alone: bool = False,
) -> Result:
    """Run a spec on its problem; ``report`` is called with each checkpoint's row. The rest: see ``Objective``.

    ``is_alone``: Nobody else is to have the other core, so a second process may compile.

    Raises:
        UserError: The algorithm cannot learn these data, see ``catalogue.check_fit`` and its own module.
    """
    with one_blas_thread(), parallel.using(spec.threads):  # the threads of a spec are for the kernels
        started = time.time()
        splits = {name: getattr(problem, name) for name in ("train", "test", "validation")}
        compiled = {name: parts.compiled(split) for name, split in splits.items() if split is not None}
        problem = problem._replace(**compiled)
        catalogue.check_fit(spec.algorithm, dict(spec.params), problem.train)
        with ahead.second_process(spec, problem.train) if is_alone else nullcontext():
            warm_up(spec, problem)
        n = parts.num_examples(problem.train)
        objective = Objective(problem.train, spec.loss, spec.C, spec.penalty, loss_factors, start_from)
        theirs = replace(objective)  # what an algorithm does to its own changes no evaluation
        clock, rows, counts, declared = _Clock(), [], [], algorithm_module.declaration(spec.algorithm)
        evaluated: list[int] = []  # a digest of the weights of the last row
        last_judged: list[Judged] = []
        grid = _Grid(whole=spec.loss == NO_LOSS)
        weights_of_features = Model(predictor(spec))
        solver = clock.timed(partial(_solver, spec, problem, theirs))
        iterate = cast(Iterate, clock.advance(solver))  # all algorithms yield where they begin
        setup = clock.wall

        def checkpoint(last: bool) -> str:
            """Evaluate where the algorithm stands; says why to stop, if the row gives a reason."""
            weights, model = iterate.weights, iterate.hints.model or weights_of_features
            row = _evaluate(objective, model, weights, iterate, n, clock)
            refusals.other_value(spec.algorithm, objective, model, weights, iterate, row)
            kept: list[Judged] = []
            rows.append(row | quality(problem, model, problem.test, weights, "test", kept))
            counts.extend(count for judged in kept for count in judged.counts or ())
            if problem.validation is not None:
                found = quality(problem, model, problem.validation, weights, "validation", kept)
                rows[-1] |= {name: found[name] for name in VALIDATION}
            last_judged[:] = kept
            evaluated[:] = [referee.digest(weights)]
            del weights  # a certificate needs room for w(u)
            primal = min(each["primal"] for each in rows if each["C"] == row["C"])
            if last or rows[-1]["relative_gap"] <= spec.gap or row["dual"] > primal:
                _certify(objective, model, iterate, rows[-1])
            report(rows[-1])
            if not math.isfinite(rows[-1]["primal" if spec.loss != NO_LOSS else "weight_norm"]):
                return "diverged"
            referee.check_dual(spec.algorithm, rows[-1]["dual"], primal, n)
            if not (rows[-1]["relative_gap"] <= spec.gap and rows[-1]["C"] == spec.C):
                return ""
            with np.errstate(all="ignore"):
                return referee.verdict(spec, objective, model, iterate, rows[-1])

        while True:
            status = _stopped(spec, clock, iterate, n)
            hints = iterate.hints
            asked = hints.evaluate_now or hints.C is not None or hints.seconds is not None
            if grid.reached(iterate.visits / n) or status or asked:
                status = checkpoint(last=bool(status)) or status
            if status:
                break
            following = clock.advance(solver)
            if following is None:
                status = "finished" if spec.loss == NO_LOSS or declared.black_box else "stalled"
                if rows[-1]["visits"] < iterate.visits or evaluated != [referee.digest(iterate.weights)]:
                    status = checkpoint(last=True) or status
                else:
                    _certify(objective, iterate.hints.model or weights_of_features, iterate, rows[-1])
                break
            iterate = following
        weights, model = iterate.weights.copy(), iterate.hints.model or weights_of_features
        solver.close()
        if evaluated != [referee.digest(weights)]:
            raise Fault(f"{spec.algorithm} changes its weights while they are evaluated: let recompute use copies")
        summary = summary_of(spec, problem, rows, weights, iterate, status, setup, time.time() - started)
        seen = problem.train if model.judged_in_training else None
        chunks = np.stack(counts) if counts and len(counts) == len(rows) else None
        last = to_keep(last_judged)
        summary |= quality(problem, model, seen, weights, "train", None if last_judged else last_judged)
        stored = iterate.dual.stored if iterate.dual else None
        summary |= quality_of_labels(last_judged)
        return Result(rows, weights, summary, chunks, last, stored, iterate.hints.label_one)


def warm_up(spec: Spec, problem: Problem) -> None:
    """Compile, or load from the cache, every kernel that the run will use, in all phases, on a warm-up sample.

    The algorithm makes some passes over the sample. If it declares ``warm``, the driver calls that for what may
    come later still. Features that the sample lacks are left out, so this takes no time at any size.
    """
    found, train = warm_up_sample.sample(problem.train, one=spec.loss == NO_LOSS)
    objective = Objective(train, spec.loss, spec.C, spec.penalty)
    solver = _solver(spec, problem._replace(train=train), objective)
    weights_of_features = Model(predictor(spec))
    declared, enough = algorithm_module.declaration(spec.algorithm), False
    most = 0 if declared.black_box else WARM_UP_STEPS
    with np.errstate(all="ignore"):
        for step, iterate in enumerate(solver):
            weights, model = iterate.weights, iterate.hints.model or weights_of_features
            if step < WARM_UP_EVALUATIONS:
                model.evaluate(objective, weights, *iterate.dual_point)
                _certify(objective, model, iterate, {"primal": 0.0})
            if (step + 1 >= WARM_UP_EVALUATIONS and enough) or step > most or not most:
                break
            enough = iterate.visits >= WARM_UP_PASSES * len(found)  # not yet: a phase may begin with many visits
        _certify(objective, model, iterate, {"primal": 0.0})
        if declared.warm:
            declared.warm(objective)
    solver.close()
    model.predictions(train, weights if is_finite(model, weights) else np.zeros_like(weights))


def predictor(spec: Spec) -> Callable[[Any, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """How the algorithm of a spec predicts: predicted and gold labels, and where each example's begin."""
    own = algorithm_module.declaration(spec.algorithm).predict
    return partial(own, **dict(spec.params)) if own else prediction.predictions


def _solver(spec: Spec, problem: Problem, objective: Objective) -> Generator[Iterate, None, None]:
    rng = np.random.default_rng(spec.seed)
    solve = referee.watched(algorithm_module.solver(spec.algorithm), spec.algorithm)
    return solve(problem, objective, rng, **dict(spec.params))


def _stopped(spec: Spec, clock: _Clock, iterate: Iterate, n: int) -> str:
    if spec.seconds is not None and (clock.cpu if spec.threads == 1 else clock.wall) >= spec.seconds:
        return "timeout"
    if spec.seconds is not None and clock.wall >= WALL * spec.seconds:
        return "timeout"
    return "passes" if iterate.visits >= spec.passes * n else ""


def _evaluate(
    objective: Objective, model: Model, weights: np.ndarray, iterate: Iterate, n: int, clock: _Clock
) -> Row:
    objective = _at_its_strength(objective, iterate)
    with np.errstate(all="ignore"):
        if iterate.hints.value is not None:
            value = iterate.hints.value()
        else:
            value = model.evaluate(objective, weights, *iterate.dual_point)
        norm = model.norm(weights)
    return {
        "C": objective.C,
        "passes": iterate.visits / n,
        "visits": float(iterate.visits),
        "wall_seconds": clock.wall,
        "cpu_seconds": clock.cpu,
        **_gaps(value),
        "weight_norm": norm,
        "updates": float(iterate.notes.get("updates", np.nan)),
    }


def _at_its_strength(objective: Objective, iterate: Iterate) -> Objective:
    return objective if iterate.hints.C is None else replace(objective, C=iterate.hints.C)


def _certify(objective: Objective, model: Model, iterate: Iterate, row: Row) -> None:
    """Put the recomputed dual value, from the stored dual variables, in place of the sums' dual value."""
    if iterate.dual and iterate.dual.recompute and math.isfinite(row["primal"]):
        with np.errstate(all="ignore"):
            dual = model.dual_value(_at_its_strength(objective, iterate), *iterate.dual.recompute())
        row |= _gaps(Value(row["primal"], dual))


def _gaps(value: Value) -> Row:
    """Both values, the gap, and the gap over |P|, which is 0 where both values are 0."""
    gap = value.primal - value.dual
    relative = gap / abs(value.primal) if value.primal else (0.0 if gap <= 0 else np.nan)
    return {"primal": value.primal, "dual": value.dual, "gap": gap, "relative_gap": relative}
