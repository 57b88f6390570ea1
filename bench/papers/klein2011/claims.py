"""The claims of klein2011: which rows are judged on which task, and the runs that each part asks for."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Part, Row, rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.klein2011 import rules
from structbench.bench.papers.klein2011.runs import WAYS, Scale, Task, Tried
from structbench.bench.papers.measured import Value
from structbench.bench.runs.finished import Runs

FILE = Path(__file__).with_name("claims.toml")
PLANE, DIGITS = "points in the plane, generated", "MNIST, more and more of it"


def claims(scale: Scale) -> list[Claim]:
    """Return all claims: those on each task, on points in the plane, and on more and more digits."""
    places = [(task, _kinds_of(task), f"-{task.stem}", task.name) for task in scale.tasks]
    places += [(None, {"plane"}, "", PLANE), (None, {"digits"}, "", DIGITS)]
    return [
        _claim(scale, task, row, stem, setting)
        for task, kinds, stem, setting in places
        for row in rows(FILE)
        if ({*row.only} & kinds if row.only else "task" in kinds)
    ]


def is_on_speed(claim: Claim) -> bool:
    """Tell whether a claim reads seconds."""
    return "timed" in claim.row.runs


def _kinds_of(task: Task) -> set[str]:
    """Return what rows may call a task."""
    return {"task", "classes" if WAYS["naive-smo"] in task.ways() else "words"}


def _claim(scale: Scale, task: Task | None, row: Row, stem: str, setting: str) -> Claim:
    asked = [each for part in row.parts for given in _tried(scale, task, part).values() for each in given]
    needs = [spec for each in asked for specs in each.made.values() for spec in specs]
    return Claim(f"klein2011/{row.id}{stem}", row, partial(_measure, scale, task), needs, [*row.figures], setting)


def _tried(scale: Scale, task: Task | None, part: Part) -> dict[str, list[Tried]]:
    """Return what a part asks for, by the names of its measure's arguments."""
    given = {name: said if isinstance(said, list) else [said] for name, said in part.given.items()}
    return {name: [scale.tried(task, each) for each in said] for name, said in given.items()}


def _measure(scale: Scale, task: Task | None, part: Part, runs: Runs) -> list[Value]:
    def read(tried: Tried) -> Tried:
        return tried._replace(made={value: [runs[spec] for spec in specs] for value, specs in tried.made.items()})

    rule: Callable = getattr(rules, part.measure)
    made: dict[str, Any] = {name: [*map(read, each)] for name, each in _tried(scale, task, part).items()}
    return rule(**{name: each if isinstance(part.given[name], list) else each[0] for name, each in made.items()})
