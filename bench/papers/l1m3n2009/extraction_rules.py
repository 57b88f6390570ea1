"""What the claims of l1m3n2009's Figure 7 measure.

Draws are paired: in each, all models train on the same examples and are tested on the same ones. Each of the two
measures, mean F1 of attributes and the share of examples with all key attributes right, is the mean over shares m.
3 % of what it lacks to 1 counts as none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.bench.papers.l1m3n2009.extraction import MEASURES, Extraction, Source
from structbench.bench.papers.l1m3n2009.setting import CRF, EM, L1_CRF, L2_CRF, M3N, MODELS
from structbench.bench.papers.measured import Estimate, Value, together_of
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

POINT = 0.01
LEVEL = 0.03
OTHERS = (CRF, L2_CRF, L1_CRF, M3N)  # than the l1-M3N and LapM3N

Table = dict[str, np.ndarray]  # one measure of each model, (shares, draws)
Leads = dict[str, np.ndarray]  # what is compared -> leads by draw


def leads(table: Table, pairs: list[tuple[str, list[str], list[str]]]) -> Leads:
    """Measure the mean of some models less that of others, for each pair of these, under its name."""
    return {name: (_mean(table, mine) - _mean(table, others)).mean(axis=0) for name, mine, others in pairs}


def _mean(table: Table, models: list[str]) -> np.ndarray:
    return np.mean([table[model] for model in models], axis=0)


def lead_with_few(table: Table) -> Leads:
    """Measure the lead over the best other model but LapM3N at the least m less that at the greatest."""
    others = np.array([table[way.model] for way in OTHERS])
    best = others[others.mean(axis=2).argmax(axis=0), np.arange(others.shape[1])]
    lead = table[EM.model] - best
    return {"": lead[0] - lead[-1] if len(lead) > 1 else np.full(lead.shape[1], np.nan)}


def measure(
    rule: Callable[..., Leads], chosen: Extraction, source: Source, runs: Runs, **given: Any
) -> list[Estimate]:
    """Measure what a rule says, under both measures, over draws."""
    found = []
    for column, name in MEASURES.items():
        values = table(chosen, source, runs, column)
        band = LEVEL * (1 - float(np.mean([*values.values()]))) / POINT
        for who, by_draw in rule(values, **given).items():
            where = {"": who, "by": name} if who else {"by": name}
            points = [Value(where, lead / POINT, "difference", "points", band=band) for lead in by_draw]
            found.append(together_of(points, "draws"))
    return found


def table(chosen: Extraction, source: Source, runs: Runs, measure: str) -> Table:
    """Return a measure of all runs of a source; NaN for a missing run."""

    def read(spec: Spec) -> float:
        run = runs[spec]
        value = None if run is None else run.summary[measure]
        return np.nan if value is None else float(value)

    shares = chosen.shares_of(source)
    return {
        way.model: np.array([[read(spec) for spec in chosen.specs(source, way, share)] for share in shares])
        for way in MODELS
    }
