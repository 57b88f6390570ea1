"""Expand a config's contests: on each problem, the methods compared, the quantity, and the limits it must meet."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.drawing.method_looks import Problem, labels, problems
from structbench.bench.runs.documents import Json
from structbench.bench.runs.grids import Grid
from structbench.bench.runs.spec import Spec, fields_of

Methods = dict[str, list[Spec]]  # name of a method -> its runs, one for each seed
TO_A_LEVEL = ("distance-seconds", "gap-seconds", "gap-passes")  # quantities


class Contest(NamedTuple):
    """Methods of ours on one problem, and the methods that the best of ours is compared with.

    Attributes:
        theirs: Empty where a quantity of ours stands alone.
        quantity: One of ``QUANTITIES`` of ``bench/measure/quantities.py``.
        level: The relative distance or gap that a run is to reach, where the quantity asks for one.
        least, most: The target. Limits of ours over theirs, or of ours alone.
        everything: All runs of the grid on the problem. Their greatest dual value bounds the optimum.
    """

    part: str
    problem: Problem
    ours: Methods
    theirs: Methods
    quantity: str
    level: float
    least: float | None
    most: float | None
    everything: tuple[Spec, ...]


def expand(rows: Sequence[Json], grids: Sequence[Grid], are_whole: bool = True) -> list[Contest]:
    """The contests of a config's rows: one for each problem, and without rivals one for each method.

    Args:
        are_whole: Grids have all their data. If not, rows that find no runs are left out.

    Raises:
        UserError: A row names a grid or a method that there is not, or lacks a level, or nothing can meet it.
    """
    known = {grid.name: grid for grid in grids}
    found: list[Contest] = []
    for row in rows:
        try:
            found += [*_of(row, known)]
        except UserError as error:
            if not are_whole:
                continue
            raise UserError(f"config, contest {row['part']!r}: {error}") from None
    return found


def _of(row: Json, grids: dict[str, Grid]) -> Iterator[Contest]:
    for name in (row["grid"], row.get("against", row["grid"])):
        if name not in grids:
            raise UserError(f"unknown grid {name!r}: {meant(name, grids)}there are {', '.join(grids)}")
    if row["quantity"] in TO_A_LEVEL and "level" not in row:
        raise UserError(f"{row['quantity']} needs a level, such as 1e-3")
    if row.get("at_most", math.inf) < (least := row.get("at_least", -math.inf)):
        raise UserError(f"at_most must be {least} or more, the value of at_least, not {row['at_most']}")
    grid, other = grids[row["grid"]], grids[row.get("against", row["grid"])]
    ours, rivals = _chosen(row["ours"], grid), _chosen(row.get("theirs", ()), other)
    names = labels([*grid.specs])
    if other is not grid:
        names |= {spec: f"{name} (of {other.name})" for spec, name in labels([*other.specs]).items()}
    limits = row["quantity"], row.get("level", 0.0), row.get("at_least"), row.get("at_most")
    found = False
    for problem, members in problems(ours):
        theirs = [spec for spec in rivals if _is_on(spec, problem)] or (rivals if other is not grid else [])
        if rivals and not theirs:
            continue
        found = True
        methods = _by_name(members, names)
        everything = tuple(spec for spec in grid.specs if _is_on(spec, problem))
        for group in [methods] if theirs else [{name: specs} for name, specs in methods.items()]:
            yield Contest(row["part"], problem, group, _by_name(theirs, names), *limits, everything)
    if not found:
        raise UserError("ours and theirs have no problem in common")


def _is_on(spec: Spec, problem: Problem) -> bool:
    """Whether a run is on a problem; one without a loss is on all problems of its data."""
    free = NO_LOSS in (spec.loss, problem.loss)
    same = (spec.loss, spec.penalty, spec.C) == problem[2:]
    return (spec.data, spec.test or "") == problem[:2] and (free or same)


def _chosen(methods: Sequence[str], grid: Grid) -> list[Spec]:
    """The runs of methods, each named as in a run's key: ``eg:order=gap``, or ``eg`` for all of EG."""
    found: dict[Spec, None] = {}
    named = {spec: str(fields_of(spec.key)[3]) for spec in grid.specs}
    for method in methods:
        those = [spec for spec, name in named.items() if method in (name, spec.algorithm)]
        if not those:
            there = dict.fromkeys(named.values())
            hint = f"{meant(method, there)}it has {', '.join(there)}"
            raise UserError(f"the grid {grid.name!r} has no method {method!r}: {hint}")
        found |= dict.fromkeys(those)
    return [*found]


def _by_name(specs: Sequence[Spec], names: dict[Spec, str]) -> Methods:
    methods: Methods = {}
    for spec in specs:
        methods.setdefault(names[spec], []).append(spec)
    return methods
