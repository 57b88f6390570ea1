"""The claims of laso2005: the ways that rows name, and the runs that each row needs."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Part, rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.laso2005 import rules
from structbench.bench.papers.laso2005 import runs as made
from structbench.bench.papers.laso2005.runs import CHUNKING, JOINT, OWN_DATA, Task, Way, laso, matrix, with_alpha
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.measured import Value
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")
NAMED = {
    "semicrf": made.SEMI_CRF, "semicrf-lbfgs": made.SEMI_CRF_LBFGS, "perceptron": made.PERCEPTRON,
    "early": made.EARLY, "standard": made.STANDARD,
}  # fmt: skip
KINDS = {"chunking": CHUNKING, "joint": JOINT, "matrix": "matrix"}
TASKS = {CHUNKING: "chunking", JOINT: "the joint task"}
UPDATES = {"p": "perceptron", "a": "alma"}


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


def _way_of(name: str) -> Way:
    """Return a way by its name in a row: p or a and the beam, then another alpha; or one of ``NAMED``."""
    if name in NAMED:
        return NAMED[name]
    beam, _, alpha = name[1:].partition(" ")
    return with_alpha(float(alpha)) if alpha else laso(UPDATES[name[0]], beam if beam == "inf" else int(beam))


def _given(part: Part) -> dict[str, Any]:
    """Return what a measure is called with: ways and kinds in place of their names."""
    found: dict[str, Any] = dict(part.given)
    for name in ("ways", "others"):
        if name in found:
            found[name] = [_way_of(each) for each in found[name]]
    if "pairs" in found:
        found["pairs"] = [(_way_of(one), _way_of(other)) for one, other in found["pairs"]]
    if "kinds" in found:
        found["kinds"] = [KINDS[kind] for kind in found["kinds"]]
    return found


def _measure(task: Task, part: Part, runs: Runs) -> list[Value]:
    """Call a rule for each pair of ways, or each way, in each task; or for all at once."""
    rule, given = getattr(rules, part.measure), _given(part)
    kinds = given.pop("kinds", [CHUNKING])

    def trained(ways: Iterable[Way], kind: str = CHUNKING) -> list[Trained]:
        return [Trained(task, runs, way, kind) for way in ways]

    if kinds == ["matrix"]:
        return rule(task, runs)
    if "others" in given:
        return rule(trained(made.SEMI_CRFS), trained(given["others"]))
    if rule is rules.joint_lead:
        return rule(*(trained(given["ways"], kind) for kind in kinds))
    named = given.pop("pairs", None) or [(way,) for way in given.pop("ways")]
    pairs = [(kind, trained(pair, kind)) for kind in kinds for pair in named]
    if rule is rules.seconds_to_near_best:
        return [rule([pair for _, pair in pairs])]
    found = [(kind, rule(*pair, **given)) for kind, pair in pairs]
    return [
        each._replace(where=each.where | ({"in": TASKS[kind]} if len(kinds) > 1 else {})) for kind, each in found
    ]


def _needs(part: Part, task: Task) -> list[Spec]:
    """Return the runs of the ways that a part names, in the tasks that it names."""
    given = _given(part)
    if given.get("kinds") == ["matrix"]:
        return [spec for specs in matrix(task).values() for spec in specs]
    ways = [*given.get("ways", ()), *(way for pair in given.get("pairs", ()) for way in pair)]
    ways += [*given["others"], *made.SEMI_CRFS] if "others" in given else []
    return [spec for kind in given.get("kinds", [CHUNKING]) for way in ways for spec in task.all_of(way, kind)]
