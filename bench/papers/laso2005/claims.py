"""The claims of laso2005: the ways that rows name, and the runs that each row needs."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from structbench.bench.papers.claim_rows import Part, rows
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.laso2005 import rules
from structbench.bench.papers.laso2005.runs import CHUNKING, JOINT, OWN_DATA, WAYS, Task, Way, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.ways import listed, named
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")
TASKS = {CHUNKING: "chunking", JOINT: "the joint task"}
NAMED: dict[str, Way | str] = WAYS | {"chunking": CHUNKING}


def claims(task: Task) -> list[Claim]:
    """Return all claims; none on generated sentences, and those on published numbers on all of the data alone."""
    if task.data[0] not in OWN_DATA:
        return []
    whole = task.scale == "paper"
    source = "the paper's data" if whole else "a part of the paper's data"
    return [
        Claim(
            f"laso2005/{row.id}", row, partial(_measure, task),
            [spec for part in row.parts for spec in _needs(part, task)], [*row.figures],
            f"{task.data[0]}, {source}",
        )
        for row in rows(FILE, [*rules.of_each, *rules.of_groups, *rules.of_matrix])
        if whole or not row.only
    ]  # fmt: skip


def _measure(task: Task, part: Part, runs: Runs) -> list[Evidence]:
    """Call a rule for each way or pair of ways in each task, for groups of ways at once, or for Table 3."""
    given = named(part.given, NAMED)
    kinds, pairs = given.pop("kinds", [CHUNKING]), given.pop("pairs", None)
    if part.measure in rules.of_matrix:
        return rules.of_matrix[part.measure](task, runs, **given)

    def trained(ways: Iterable[Way], kind: str) -> list[Trained]:
        return [Trained(task, runs, way, kind) for way in ways]

    groups = pairs or [given.pop(name) for name in ("ways", "others") if name in given]
    if part.measure in rules.of_groups:
        return rules.of_groups[part.measure](*(trained(ways, kind) for kind in kinds for ways in groups))
    rule, each = rules.of_each[part.measure], pairs or [[way] for way in groups[0]]
    found = [(kind, rule(*trained(ways, kind), **given)) for kind in kinds for ways in each]
    return [
        each._replace(where={**each.where, "in": TASKS[kind]} if len(kinds) > 1 else each.where)
        for kind, each in found
    ]


def _needs(part: Part, task: Task) -> list[Spec]:
    """Return the runs of the ways that a part names, in the tasks that it names."""
    given = named(part.given, NAMED)
    if part.measure in rules.of_matrix:
        return [spec for specs in matrix(task).values() for spec in specs]
    ways = [way for way in listed(given) if isinstance(way, Way)]
    return [spec for kind in given.get("kinds", [CHUNKING]) for way in ways for spec in task.all_of(way, kind)]
