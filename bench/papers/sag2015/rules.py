"""What the claims of sag2015 measure: passes to a level, and distances and test errors of methods side by side."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

from structbench.bench.drawing import curves
from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.measured import CERTAIN, longer, over_seeds
from structbench.bench.papers.sag2015.runs import TUNED, Task
from structbench.bench.papers.terms import Claim, Evidence, Part, Registry, Run, Runs

FILE = Path(__file__).with_name("claims.toml")
OBJECTIVE = "objective"

measure = Registry()


class Read(NamedTuple):
    """The runs of one seed on a data set."""

    task: Task
    runs: Runs
    seed: int
    best: curves.Optimum

    def run(self, method: str) -> Run:
        """Return the run of this seed, or the only one."""
        found = self.task.found(method, self.runs)
        return found[min(self.seed, len(found) - 1)]

    def value(self, method: str, of: str, share: float) -> float:
        """Return the distance from the optimum, or the error, after this share of the passes."""
        run = self.run(method)
        value = float(curves.at(run.curve, "primal" if of == OBJECTIVE else of, share * run.spec.passes))
        return value - self.best.dual if of == OBJECTIVE else value


def sag2015_claims(suffix: str, tasks: list[Task]) -> list[Claim]:
    """Return the claims over these data sets; ``suffix``: of substitute data, or empty."""
    found, data = [], f"{tasks[0].name}, substitute data" if suffix else "the data of the papers"
    needs = [spec for task in tasks for spec in task.made]
    tuned = {spec for spec in needs if spec.algorithm in TUNED}
    for row in rows(FILE, measure):
        if suffix:
            row = replace(row, text=f"{row.text} (substitute data: {tasks[0].name})", theirs="")
        figures = [f"{stem}{suffix}" for stem in row.figures]
        found.append(
            Claim(
                f"sag2015/{row.id}{suffix}", row, partial(_measure, tasks), needs, figures, data, may_diverge=tuned
            )
        )
    return found


def _measure(tasks: list[Task], part: Part, runs: Runs) -> list[Evidence]:
    given = {key: value for key, value in part.given.items() if key != "without"}
    found = []
    for task in tasks:
        if task.data not in part.given.get("without", []):
            seeds, best = sorted({spec.seed for spec in task.made}), task.optimum(runs)
            reads = [Read(task, runs, seed, best) for seed in seeds]
            found += over_seeds([[*measure[part.measure](read, **given)] for read in reads])
    return found


@measure("slower")
def slower(read: Read, mine: str, others: list[str], levels: list[float]) -> Iterator[Evidence]:
    """Measure how many times my passes another takes until the objective of an example is within a level."""
    for name, level in product(others, levels):
        other, my = read.run(name), read.run(mine)
        relative = level * my.summary["num_examples"] / abs(read.best.primal)
        where = {"in": read.task.name, "beside": name, "to": f"{level:g}"}
        yield longer({}, other, my, read.best, relative)._replace(where=where)


@measure("lead")
def lead(
    read: Read, mine: list[str], others: list[str], at: list[float], of: str = OBJECTIVE, pick: str = ""
) -> Iterator[Evidence]:
    """Measure how many times as far from the optimum, or as often wrong, others are, or the best of them."""
    least = (read.best.primal - read.best.dual) / CERTAIN if of == OBJECTIVE else 0.0
    for name, share in product(mine, at):
        my, by_name = read.value(name, of, share), {each: read.value(each, of, share) for each in others}
        where = {"in": read.task.name, "passes": share * read.task.made[0].passes, "": name}
        for each, other in [(pick, min(by_name.values()))] if pick else by_name.items():
            nearer = "at least" if my < least else "at most" if other < least else ""  # than the optimum is known
            ratio = max(other, least) / max(my, least) if max(other, my) > least else math.nan
            yield Evidence(where | ({} if pick else {"beside": each}), ratio, bound=nearer)
