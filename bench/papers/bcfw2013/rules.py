"""What the claims of bcfw2013 measure; ``claims.toml`` says what each number has to be.

Objectives are distances from the optimum, which one more run certifies. A lead is how many times as far from it,
or as often wrong on the test split, another method is.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.bcfw2013.runs import BATCH, ERROR, Panel
from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.measured import CERTAIN, above_optimum, over_seeds, times, until
from structbench.bench.papers.terms import Claim, Evidence, Part, Registry, Run, Runs

FILE = Path(__file__).with_name("claims.toml")
DATA = {"paper": "the paper's data", "quick": "a part of the paper's data"}
OBJECTIVE = "objective"

measure = Registry()


class Read(NamedTuple):
    """The runs of one seed in a panel, read as the figure is: ``of`` says what, ``when`` after how many passes."""

    panel: Panel
    best: curves.Optimum
    runs: Runs
    seed: int

    def run(self, way: str) -> Run:
        """Return the run of this seed, or the only one."""
        made = self.panel.of(way)
        return self.runs.finished(made[min(self.seed, len(made) - 1)])

    def value(self, way: str, of: str, when: str) -> float:
        """Return a distance or an error."""
        values = self.distances(way) if of == OBJECTIVE else self.run(way).curve[ERROR]
        return float(np.interp(self.panel.passes(when), self.run(way).curve["passes"], values))

    def distances(self, way: str) -> np.ndarray:
        """Return the distances from the optimum at all checkpoints."""
        return above_optimum(self.best.dual, 1, self.run(way).curve)

    def lead(self, mine: str, over: list[str], pick: str, of: str, when: str) -> float:
        """Return the lead over the best or the worst of others."""
        values = [self.value(way, of, when) for way in over if self.panel.of(way)]
        return (max if pick == "worst" else min)(values) / self.value(mine, of, when)

    def doubt(self, way: str, of: str, when: str) -> str:
        """Return what is missing where the optimum is not known as well as this distance asks."""
        known = of == ERROR or self.best.primal - self.best.dual <= CERTAIN * self.value(way, of, when)
        return "" if known else "a certified optimum"


def bcfw2013_claims(scale: str, panels: dict[str, Panel]) -> Iterator[Claim]:
    """Return the claims whose panels there are; none at the scale whose data are generated."""
    for row in rows(FILE, measure) if scale in DATA else ():
        named = list(dict.fromkeys(name for part in row.parts for name in part.given["panels"]))
        if {*named} <= {*panels}:
            needs = [spec for name in named for spec in panels[name].specs]
            more = partial(_measure, panels), needs, [*row.figures], DATA[scale]
            yield Claim(f"bcfw2013/{row.id}", row, *more)


def _measure(panels: dict[str, Panel], part: Part, runs: Runs) -> list[Evidence]:
    given = dict(part.given)
    known = [(panels[name], panels[name].optimum(runs)) for name in given.pop("panels")]
    seeds = range(len(known[0][0].of("BCFW")))
    return over_seeds([measure[part.measure]([Read(*each, runs, k) for each in known], **given) for k in seeds])


@measure("lead")
def lead(
    reads: list[Read], mine: list[str], over: list[str], at: list[str], pick: str = "", of: str = OBJECTIVE
) -> Iterator[Evidence]:
    """Measure the leads over each of others, or over the best or the worst of them."""
    for read, when, way, others in product(reads, at, mine, [over] if pick else [[each] for each in over]):
        where = {"in": read.panel.name, "passes": read.panel.passes(when), "": way}
        value, state = read.lead(way, others, pick, of, when), read.doubt(way, of, when)
        yield Evidence(where if pick else where | {"over": others[0]}, value, state=state)


@measure("lead_over_lead")
def lead_over_lead(reads: list[Read], mine: str, over: list[str], pairs: list) -> Iterator[Evidence]:
    """Measure leads over the best of others in factors of other leads: each of a panel, what, and when."""
    by_name = {read.panel.name: read for read in reads}
    for pair in pairs:
        first, second = (by_name[name].lead(mine, over, "best", of, when) for name, of, when in pair)
        state = max(by_name[name].doubt(mine, of, when) for name, of, when in pair)
        yield Evidence({"in": pair[0][0], "at": pair[0][2]}, first / second, state=state)


@measure("passes_of_batch")
def passes_of_batch(reads: list[Read], mine: str, at: str) -> Iterator[Evidence]:
    """Measure the passes until each batch method is as near the optimum as ``mine`` is at a time, over its own."""
    for read, way in product(reads, BATCH):
        run, passes = read.run(way), read.panel.passes(at)
        took = until(run, curves.decades_above(read.distances(way), read.value(mine, OBJECTIVE, at)))
        each = times({"": way}, [took, passes], [float(run.curve["passes"].iloc[-1]), passes])
        yield each._replace(state=read.doubt(mine, OBJECTIVE, at))


@measure("rise", within=(1.0, np.inf))
def rise(reads: list[Read], mine: str) -> list[Evidence]:
    """Measure the last error over the least one."""
    return [Evidence({}, float(e.iloc[-1] / e.min())) for e in (read.run(mine).curve[ERROR] for read in reads)]
