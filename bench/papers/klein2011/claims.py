"""The claims of klein2011: which rows are judged on which task, and the runs that each part asks for."""

from functools import partial
from pathlib import Path

from structbench.bench.papers.claim_rows import Part, rows
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.klein2011 import rules
from structbench.bench.papers.klein2011.runs import WAYS, Scale, Task, Tried
from structbench.bench.papers.ways import listed
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

FILE = Path(__file__).with_name("claims.toml")
PLANE, DIGITS = "points in the plane, generated", "MNIST, more and more of it"


def claims(scale: Scale) -> list[Claim]:
    """Return all claims: those on each task, on points in the plane, and on more and more digits."""
    places: list[tuple] = [
        (task, "classes" if WAYS["naive-smo"] in task.ways() else "words", f"-{task.stem}", task.name)
        for task in scale.tasks
    ]
    places += [(None, "plane", "", PLANE), (None, "digits", "", DIGITS)]
    made = []
    for task, kind, stem, setting in places:
        for row in rows(FILE, rules.measure):
            if kind in row.only or (task and not row.only):
                tried = [each for part in row.parts for each in listed(_tried(scale, task, part))]
                needs = [spec for each in tried for specs in each.made.values() for spec in specs]
                measure, name = partial(_measure, scale, task), f"klein2011/{row.id}{stem}"
                made.append(Claim(name, row, measure, needs, [*row.figures], setting))
    return made


def is_on_speed(claim: Claim) -> bool:
    """Tell whether a claim reads seconds."""
    return "timed" in claim.row.runs


def _tried(scale: Scale, task: Task | None, part: Part) -> dict[str, list[Tried[Spec]]]:
    """Return what a part asks for, by the names of its measure's arguments."""
    given = {name: said if isinstance(said, list) else [said] for name, said in part.given.items()}
    return {name: [scale.tried(task, each) for each in said] for name, said in given.items()}


def _measure(scale: Scale, task: Task | None, part: Part, runs: Runs) -> list[Evidence]:
    def read(tried: Tried[Spec]) -> Tried[Run]:
        made = {value: [*map(runs.finished, specs)] for value, specs in tried.made.items()}
        return Tried(tried.name, tried.by, tried.best, made)

    made = {name: [*map(read, each)] for name, each in _tried(scale, task, part).items()}
    return rules.measure[part.measure](
        **{name: each if isinstance(part.given[name], list) else each[0] for name, each in made.items()}
    )
