"""Certified optima: of each problem the best lower bound and the best objective known, and by which runs.

A problem is the SHA-256 of its arrays, its loss, its penalty and its C: it stays when programs change. Values are
of rows of published runs, or of own runs (``published.published_row``). The driver computed them in float64, from
the last weights, and from the dual variables or those weights. Rows have eight digits: half a unit of the last one
is added to an objective and taken from a bound. A run with a bound above another's objective is withdrawn.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from structbench.algorithms.learning import penalties
from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import published
from structbench.bench.report.published import RESULTS
from structbench.bench.runs import algorithm_files, objective_names, problem_store, results, spec, state
from structbench.bench.runs.store import Run
from structbench.datasets import DataRef

TABLE = "optima.csv"
OWN = "own"  # the source of a run that no paper published
HAND_MADE = "kernel_methods"  # algorithms whose weights are of examples: they have other problems
SUMS = (  # algorithms whose dual points nothing recomputed, in tables that do not say so
    "frank-wolfe", "l1m3n-cutting-plane", "l1m3n-em", "l1m3n-proximal", "l1m3n-subgradient", "lapm3n",
    "subgradient",
)  # fmt: skip
DIGITS = 8  # of a row


class UnknownOptimum(UserError):
    """No optimum of a problem is known."""


class Problem(NamedTuple):
    """What a run minimises. ``data_sha256``: the first digits of the hash of its arrays."""

    data: str
    data_sha256: str
    loss: str
    penalty: str
    C: float

    def __str__(self) -> str:
        return f"{self.data}, {self.loss} loss, {self.penalty}, C = {self.C:g}"


class Source(NamedTuple):
    """The run that a value is of. ``paper``: what published it, or ``own``. ``code``: the hash of its programs."""

    run: str
    paper: str
    commit: str
    code: str

    @property
    def algorithm(self) -> str:
        """The algorithm, without its parameters."""
        return str(spec.fields_of(self.run)[3]).partition(":")[0]

    def __str__(self) -> str:
        return f"{self.run} ({'unpublished' if self.paper == OWN else self.paper})"


class Optimum(NamedTuple):
    """The optimum lies between ``lower_bound`` and ``objective``. ``A``: the strength of an l1 norm."""

    problem: Problem
    structure: str
    num_weights: int
    A: float
    lower_bound: float
    objective: float
    bound_by: Source
    objective_by: Source

    @property
    def relative_gap(self) -> float:
        """(objective - lower bound) / abs(objective)."""
        return (self.objective - self.lower_bound) / abs(self.objective)


class Result(NamedTuple):
    """What one run proves: no objective is below ``lower_bound``, -inf if it has none."""

    problem: Problem
    num_weights: int
    lower_bound: float
    objective: float
    by: Source


class Table(NamedTuple):
    """The optima, and the results that were withdrawn."""

    optima: list[Optimum]
    withdrawn: list[Result]


def result_of(row: Mapping[str, str], paper: str) -> Result | None:
    """What a row of a table of runs proves; None if nothing.

    Rows of earlier tables do not say what their dual value is of. They count if they converged: the driver has
    computed it again then.
    """
    data, loss, C, algorithm, *rest = spec.fields_of(row["run"])
    of = row.get(published.SOURCE)
    if loss == NO_LOSS or C is None or row["status"] in ("diverged", "unverified") or not row["primal"]:
        return None
    if of == "" or (of is None and (row["status"] != "converged" or _is_of_kernels(algorithm))):
        return None
    if of is None and algorithm.partition(":")[0] in SUMS:
        of = "sums"
    given = {name: value for name, _, value in (field.partition("=") for field in rest)}
    penalty, strength = unquote(given.get("penalty", "l2")), float(C.removeprefix("C="))
    problem = Problem(unquote(data), row["data_sha256"], loss, penalty, strength)
    bound = _outward(row["dual"], -1) if row["dual"] and of != "sums" else float("-inf")
    by = Source(row["run"], paper, row["git_commit"], row["code_sha256"])
    return Result(problem, int(row["num_weights"]), bound, _outward(row["primal"], 1), by)


def _is_of_kernels(algorithm: str) -> bool:
    try:
        return algorithm_files.file_of(algorithm.partition(":")[0]).parent.name == HAND_MADE
    except UserError:  # an algorithm that there was
        return False


def _outward(text: str, sign: int) -> float:
    """A number of eight digits, moved by half a unit of the last one."""
    value = Decimal(text)
    return float(value + sign * Decimal(5).scaleb(value.adjusted() - DIGITS)) if value else 0.0


def optima_of(found: Iterable[Result]) -> Table:
    """The optimum of each problem that has a bound. A bound above another objective is withdrawn with its run."""
    members, optima, withdrawn = defaultdict[tuple, list[Result]](list), [], []
    for each in found:
        members[each.problem, each.num_weights].append(each)
    for (problem, num_weights), some in members.items():
        least = min(each.objective for each in some)
        withdrawn += [each for each in some if each.lower_bound > least]
        some = [each for each in some if each.lower_bound <= least]
        bound = max(some, key=lambda each: each.lower_bound, default=None)
        if bound is None or bound.lower_bound == float("-inf"):
            continue
        best, A = min(some, key=lambda each: each.objective), penalties.strengths(problem.penalty, problem.C).A
        structure = DataRef(problem.data).structure
        values = bound.lower_bound, best.objective
        optima.append(Optimum(problem, structure, num_weights, A, *values, bound.by, best.by))
    return Table(sorted(optima), withdrawn)


def own_results(runs: Iterable[Run]) -> Iterator[Result]:
    """What own finished runs prove. A bound that only an algorithm of the user's recomputes proves nothing."""
    for run in runs:
        if each := result_of(published.published_row(run), OWN):
            is_sure = run.summary.get("dual_of") == "weights" or _is_ours(run.spec.algorithm)
            yield each if is_sure else each._replace(lower_bound=float("-inf"))


def _is_ours(algorithm: str) -> bool:
    known = algorithm in algorithm_files.by_family()
    return known and own_folders.owner(algorithm_files.file_of(algorithm)) is None


def read_optima(out: Path = RESULTS) -> list[Optimum]:
    """The table of a folder of publications; empty if there is none. Raises a UserError if it is broken."""
    if not (out / TABLE).exists():
        return []
    try:
        with (out / TABLE).open(encoding="utf-8", newline="") as table:
            return [_optimum(row) for row in csv.DictReader(table)]
    except (OSError, ValueError, KeyError, csv.Error) as error:
        raise UserError(f"{out / TABLE} cannot be read ({error}): {published.AGAIN}") from error


def _optimum(row: Mapping[str, str]) -> Optimum:
    if None in row.values():
        raise ValueError("a row is cut")
    number = {name: float(row[name]) for name in ("C", "A", "lower_bound", "objective")}
    problem = Problem(row["data"], row["data_sha256"], row["loss"], row["penalty"], number["C"])
    sources = [Source(*(row[f"{which}_{name}"] for name in Source._fields)) for which in ("bound", "objective")]
    values = number["A"], number["lower_bound"], number["objective"]
    return Optimum(problem, row["structure"], int(row["num_weights"]), *values, *sources)


def check_objective(loss: str, C: float, penalty: str) -> None:
    """Raise a UserError unless there are this loss and penalty, and C is a number above 0."""
    objective_names.check_loss(str(loss))
    if loss == NO_LOSS:
        raise UserError("without a loss there is no objective: choose log or another one")
    if not isinstance(C, Real) or not 0 < C < float("inf"):
        raise UserError(f"C must be a number above 0, not {C!r}")
    penalties.get(str(penalty))


def known_optimum(
    data: DataRef, loss: str, C: float, penalty: str, data_sha256: str | None, test: str | None = None
) -> Optimum:
    """The optimum of a problem, by the table and by own finished runs.

    Args:
        data_sha256: Of its arrays; None if they are not built here.
        test: The user's test file, of which the hash is, too.

    Raises:
        UnknownOptimum: None is known.
        UserError: The table is broken, or there is no such loss, C or penalty.
    """
    check_objective(loss, C, penalty)
    C, loss, penalty = float(C), objective_names.loss_as_written(loss), objective_names.penalty_as_written(penalty)
    begin = f"{spec.key_of_problem(data, loss, C)}__"
    there = results.runs().iterdir() if results.runs().is_dir() else ()
    own = [state.of_folder(folder) for folder in sorted(there) if folder.name.startswith(begin)]
    found = [*proven(read_optima()), *own_results(each.run for each in own if each.is_finished and each.run)]
    named = [each for each in found if each.problem.data == data.key]
    hashes = problem_store.known_hashes(data, test, data_sha256) if data_sha256 else ()
    same = named
    if hashes:
        today = hashes[0][: published.DIGITS]
        same = [
            each._replace(problem=each.problem._replace(data_sha256=today))
            for each in named
            if any(sha256.startswith(each.problem.data_sha256) for sha256 in hashes)
        ]
    asked = [each for each in same if each.problem[2:] == (loss, penalty, C)]
    optima, withdrawn = optima_of(asked)
    if optima:
        return min(optima, key=lambda each: each.relative_gap)
    wanted = f"{data.key}, {loss} loss, {penalty}, C = {objective_names.shortest(C)}"
    if named and not same:
        raise UnknownOptimum(
            f"no optimum of {wanted} is known: {data.key} is built here from other files than those of runs that "
            "are known (the --test file is one)"
        )
    if asked:
        why = "no run proves a bound"
        if withdrawn:
            why = f"the bound of {withdrawn[0].by.run} is above another run's objective"
        raise UnknownOptimum(f"no optimum of {wanted} is certain: {why}")
    others = sorted({(loss, penalty, C) for _, _, loss, penalty, C in (each.problem for each in same)})
    plain = "l2" if penalty == "l2" else ""  # the penalty that goes without saying
    hint = ", ".join(f"{loss} with C = {C:g}{'' if pen == plain else f' ({pen})'}" for loss, pen, C in others)
    none = "none" if RESULTS.is_dir() else f"none ({published.OF_A_CLONE})"
    raise UnknownOptimum(f"no optimum of {wanted} is known: of {data.key} the table has {hint or none}")


def proven(optima: Iterable[Optimum]) -> Iterator[Result]:
    """What the runs prove that a table names: one its bound, one its objective."""
    for each in optima:
        yield Result(each.problem, each.num_weights, each.lower_bound, float("inf"), each.bound_by)
        yield Result(each.problem, each.num_weights, float("-inf"), each.objective, each.objective_by)
