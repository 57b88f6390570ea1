"""The claims of eg2008 on dependency parsing: which rows are judged, and by which runs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from structbench.bench.papers.claim_rows import Part, Row, rows
from structbench.bench.papers.eg2008 import parsing_rules, rules_against
from structbench.bench.papers.eg2008.claims import numbers, over_starts
from structbench.bench.papers.eg2008.parsing import METHODS, STARTS, Parsing
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.measured import Estimate
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("parsing_claims.toml")
NEEDS: dict[str, Callable[[Parsing], list[Spec]]] = {
    "log": lambda task: task.all_specs(),
    "rates": lambda task: [spec for C in task.rates_at for spec in task.problem(C)],
    "hinge": lambda task: [spec for C in task.hinge_Cs for spec in task.hinge_problem(C)],
    "path": lambda task: task.path(),
    "methods": lambda task: [spec for loss in METHODS for spec in task.method(loss)],
}


def claims(task: Parsing) -> list[Claim]:
    """Return all claims; those about the paper's numbers only if the data are all of the paper's."""
    limits = "" if task.whole else f", in runs of {task.passes:g} passes or {task.seconds:g} s"
    starts = [replace(task, start=start) for start in STARTS]
    return [
        Claim(
            id=f"eg2008/{row.id}-parsing",
            row=row,
            measure=partial(_measure, starts, task.hinge_Cs if "hinge" in row.runs else task.Cs),
            runs=list(dict.fromkeys(spec for each in starts for spec in _needs(row, each))),
            figures=[stem if stem.startswith("parsing") else f"{stem}-parsing" for stem in row.figures],
            setting=f"{task.name}, the data of the paper{limits}",
            theirs=row.theirs,
        )
        for row in rows(FILE)
        if not row.only or task.whole
    ]


def _measure(starts: list[Parsing], Cs: tuple[float, ...], part: Part, runs: Runs) -> list[Estimate]:
    module = parsing_rules if hasattr(parsing_rules, part.measure) else rules_against
    given = {name: numbers(value) for name, value in part.given.items()}
    if "C" in given:  # a smaller scale has fewer
        given["C"] = tuple(C for C in given["C"] if C in Cs)
    rule = partial(getattr(module, part.measure), **given)
    return over_starts(rule, starts, lambda task: partial(_specs, task), runs)


def _specs(task: Parsing, kind: str, C: float | None = None, **params: float) -> list[Spec]:
    """Return the specs of what a rule picks."""
    name, _, more = kind.partition(" ")
    if name == "path":
        return task.path()
    if name == "method":
        return task.method(more)
    return task.hinge(more, C, **params) if name == "hinge" else task.specs(name, C, **params)


def _needs(row: Row, task: Parsing) -> list[Spec]:
    found: list[Spec] = []
    for name in row.runs:
        kind, *Cs = name.split()
        found += NEEDS[kind](task) if kind in NEEDS else [s for C in map(float, Cs) for s in task.problem(C)]
    return found
