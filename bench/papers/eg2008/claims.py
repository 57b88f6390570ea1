"""Build eg2008's claims on a task: the sentences judged, the runs needed, and the initial dual points of EG."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Row, rows
from structbench.bench.papers.eg2008 import parsing_rules, path, rules, update_cost
from structbench.bench.papers.eg2008.parsing import Parsing
from structbench.bench.papers.eg2008.runs import START, STARTS, Task
from structbench.bench.papers.eg2008.seeds import ETA0, Rule, Seed
from structbench.bench.papers.measured import over_seeds, shown_only
from structbench.bench.papers.terms import Claim, Evidence, Part, Runs, Where
from structbench.bench.runs.documents import Json

FILE = Path(__file__).with_name("claims.toml")
ON_TREES = Path(__file__).with_name("parsing_claims.toml")
OF_A_SEED = {**rules.measure, **path.measure, **parsing_rules.measure}
OF_ALL = {**rules.of_all, **update_cost.of_all}
OTHER_RATE = "with another rate"  # a choice
EACH = ("C", "level", "points")  # of which a rule takes one, and a row may list several


def eg2008_claims(task: Task) -> list[Claim]:
    """Return the claims on a task; those on numbers of the paper's only if the data are all of the paper's."""
    trees = isinstance(task, Parsing)
    own = trees or task.stem == "mnist"
    kinds = {"whole": trees and task.whole, "mnist": own, "controls": task.controls}
    setting = f"{task.name}, {'the data of the paper' if own else 'substitute data'}"
    if trees and not task.whole:
        setting += f", in runs of {task.passes:g} passes or {task.seconds:g} CPU s"
    made = []
    for row in rows(ON_TREES if trees else FILE, [*OF_A_SEED, *OF_ALL]):
        if all(kinds[kind] for kind in row.only):
            starts, name = _starts(row, task), f"eg2008/{row.id}-{task.stem}"
            needs = [spec for each in starts for group in row.runs for spec in each.needs(group)]
            figures = [stem if stem.startswith("parsing") else f"{stem}-{task.stem}" for stem in row.figures]
            on = starts
            if isinstance(task, Parsing) and "failing" in row.runs:
                on = [replace(task, seeds=task.seeds + task.more_sgd)]
            measure, data = partial(_measure, on, "hinge" in row.runs), () if row.runs else (task.data,)
            if not own:
                theirs = row.theirs and f"on MNIST: {row.theirs}"
                row = replace(row, text=f"{row.text} (substitute data: {task.name})", theirs=theirs)
            made.append(Claim(name, row, measure, needs, figures, setting, data))
    return made


def _starts(row: Row, task: Task) -> list[Task]:
    """Return the task for each start of EG, ours first; only ours if the row has no EG."""
    if "path" in row.runs and not isinstance(task, Parsing):
        return task.for_paths()
    with_eg = isinstance(task, Parsing) or any(name.split()[0] in ("eg", "problem") for name in row.runs)
    return [replace(task, start=start, seeds=task.seeds_from(start)) for start in STARTS] if with_eg else [task]


def _measure(starts: Sequence[Task], hinge: bool, part: Part, runs: Runs) -> list[Evidence]:
    """Measure over seeds from each of EG's starts; that nearest to the paper counts, the other is shown."""
    given = {name: _numbers(value) for name, value in part.given.items()}
    first = starts[0]
    if isinstance(first, Parsing):  # a smaller scale has fewer C
        there = first.hinge_Cs if hinge else first.Cs
        for name in ("C", "Cs"):
            if isinstance(given.get(name), tuple):
                given[name] = tuple(C for C in given[name] if C in there)
    found, optimum = [], cache(partial(first.optimum, runs))
    for task in starts:
        seeds = [Seed(task, runs, k, optimum) for k in range(len(task.seeds))]
        if part.measure in OF_ALL:
            estimates = values(OF_ALL[part.measure], seeds, given)
        else:
            estimates = over_seeds([values(OF_A_SEED[part.measure], seed, given) for seed in seeds])
        if task.start != START:
            known = [each for each in estimates if task.stem != "mnist" or at_rate_of_theirs(each.where)]
            found += shown_only((each for each in known if each not in found), "from uniform u")
        else:
            found += at_their_rates(estimates) if task.stem == "mnist" else estimates
    return found


def values(rule: Rule, seeds: Seed | list[Seed], given: Json) -> list[Evidence]:
    """Call a rule, of a seed or of all, for each of the values of C, level and points that its row lists."""
    several = {name: given[name] for name in EACH if isinstance(given.get(name), tuple)}
    called = [rule(seeds, **given | dict(zip(several, each, strict=True))) for each in product(*several.values())]
    return [value for found in called for value in ([found] if isinstance(found, Evidence) else found)]


def _numbers(value: Any) -> Any:
    """Return the value with its whole numbers as floats, as specs have them."""
    if isinstance(value, list):
        return tuple(map(_numbers, value))
    return float(value) if isinstance(value, int) else value


def at_their_rates(found: Sequence[Evidence]) -> list[Evidence]:
    """Return the numbers, as shown only where SGD selected another rate than the paper's SGD at that C.

    Where each seed did, the setting stays, without a number.
    """
    read = [
        each if at_rate_of_theirs(each.where) else each._replace(counted=False, choice=OTHER_RATE)
        for each in found
    ]
    settings: dict[tuple, list[Evidence]] = {}
    for each in read:
        where = tuple((name, value) for name, value in each.where.items() if name not in ("rate", "rates"))
        settings.setdefault(where, []).append(each)
    for where, values in settings.items():
        if all(each.choice == OTHER_RATE for each in values):
            state = "seeds that select the paper's rate"
            read.append(Evidence(dict(where), math.nan, values[0].kind, values[0].unit, state=state))
    return read


def at_rate_of_theirs(where: Where) -> bool:
    """Tell whether a setting has no rate of SGD, or the paper's."""
    said = where.get("rates", "") if "over" in where else f"{where['rate']:g}" if "rate" in where else ""
    return not said or said == ", ".join(f"{ETA0[float(where[C])]:g}" for C in ("C", "over") if C in where)
