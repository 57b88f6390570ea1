"""The claims of laso2005: the ways that rows name, and the runs that each row needs."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Part, rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.laso2005 import rules
from structbench.bench.papers.laso2005.runs import CHUNKING, JOINT, OWN_DATA, WAYS, Task, Way, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.measured import Value
from structbench.bench.papers.ways import listed, named
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")
TASKS = {CHUNKING: "chunking", JOINT: "the joint task"}
NAMED: dict[str, Any] = WAYS | {"chunking": CHUNKING}


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
        for row in rows(FILE)
        if whole or not row.only
    ]  # fmt: skip


def _measure(task: Task, part: Part, runs: Runs) -> list[Value]:
    """Call a rule for each pair of ways, or each way, in each task; or for all at once."""
    rule, given = getattr(rules, part.measure), named(part.given, NAMED)
    kinds = given.pop("kinds", [CHUNKING])

    def trained(ways: Iterable[Way], kind: str = CHUNKING) -> list[Trained]:
        return [Trained(task, runs, way, kind) for way in ways]

    if kinds == ["matrix"]:
        return rule(task, runs, **given)
    if "others" in given:
        return rule(trained(given["ways"]), trained(given["others"]))
    if rule is rules.joint_lead:
        return rule(*(trained(given["ways"], kind) for kind in kinds))
    ways = given.pop("pairs", None) or [[way] for way in given.pop("ways")]
    pairs = [(kind, trained(pair, kind)) for kind in kinds for pair in ways]
    if rule is rules.seconds_to_near_best:
        return [rule([pair for _, pair in pairs])]
    found = [(kind, rule(*pair, **given)) for kind, pair in pairs]
    return [
        each._replace(where=each.where | ({"in": TASKS[kind]} if len(kinds) > 1 else {})) for kind, each in found
    ]


def _needs(part: Part, task: Task) -> list[Spec]:
    """Return the runs of the ways that a part names, in the tasks that it names."""
    given = named(part.given, NAMED)
    kinds = given.get("kinds", [CHUNKING])
    if kinds == ["matrix"]:
        return [spec for specs in matrix(task).values() for spec in specs]
    ways = [way for way in listed(given) if isinstance(way, Way)]
    return [spec for kind in kinds for way in ways for spec in task.all_of(way, kind)]
