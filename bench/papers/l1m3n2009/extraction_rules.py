"""What the claims of l1m3n2009's Figure 7 measure.

Draws are paired: in each, all models train on the same examples and are tested on the same ones. Each of the two
measures, mean F1 of attributes and the share of examples with all key attributes right, is the mean over shares m.
3 % of what it lacks to 1 counts as none.
"""

from collections.abc import Callable

import numpy as np

from structbench.bench.papers.l1m3n2009.extraction import MEASURES, Extraction, Source
from structbench.bench.papers.l1m3n2009.setting import CRF, EM, L1_CRF, L2_CRF, LAP_M3N, M3N, MODELS, Way
from structbench.bench.papers.measured import Estimate, Value, together_of
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

POINT = 0.01
LEVEL = 0.03
REGULARISED = (L2_CRF, L1_CRF, M3N, EM, LAP_M3N)
MAX_MARGIN, LIKELIHOOD = (M3N, EM, LAP_M3N), (L2_CRF, L1_CRF)
OTHERS = (CRF, L2_CRF, L1_CRF, M3N)  # than the l1-M3N and LapM3N

Table = dict[Way, np.ndarray]  # one measure of each model, (shares, draws)


def above_crf(table: Table) -> dict[str, np.ndarray]:
    """Measure each regularised model less the CRF."""
    return {way.model: (table[way] - table[CRF]).mean(axis=0) for way in REGULARISED}


def max_margin_above_likelihood(table: Table) -> dict[str, np.ndarray]:
    """Measure the mean of M3N, L1-M3N and LapM3N less the mean of L2-CRF and L1-CRF."""
    sides = [np.mean([table[way] for way in ways], axis=0) for ways in (MAX_MARGIN, LIKELIHOOD)]
    return {"": (sides[0] - sides[1]).mean(axis=0)}


def above_lap(table: Table) -> dict[str, np.ndarray]:
    """Measure L1-M3N less LapM3N."""
    return {"": (table[EM] - table[LAP_M3N]).mean(axis=0)}


def above_others(table: Table) -> dict[str, np.ndarray]:
    """Measure L1-M3N less each other model but LapM3N."""
    return {way.model: (table[EM] - table[way]).mean(axis=0) for way in OTHERS}


def lead_with_few(table: Table) -> dict[str, np.ndarray]:
    """Measure the lead over the best other model but LapM3N at the least m less that at the greatest."""
    others = np.array([table[way] for way in OTHERS])
    best = others[others.mean(axis=2).argmax(axis=0), np.arange(others.shape[1])]
    lead = table[EM] - best
    return {"": lead[0] - lead[-1] if len(lead) > 1 else np.full(lead.shape[1], np.nan)}


def above_l1crf(table: Table) -> dict[str, np.ndarray]:
    """Measure L1-M3N less L1-CRF."""
    return {"": (table[EM] - table[L1_CRF]).mean(axis=0)}


def measure(
    rule: Callable[[Table], dict[str, np.ndarray]], chosen: Extraction, source: Source, runs: Runs
) -> list[Estimate]:
    """Measure what a rule says, under both measures, over draws."""
    found = []
    for column, name in MEASURES.items():
        values = table(chosen, source, runs, column)
        band = LEVEL * (1 - float(np.mean([*values.values()]))) / POINT
        for who, leads in rule(values).items():
            where = {"": who, "by": name} if who else {"by": name}
            points = [Value(where, lead / POINT, "difference", "points", band=band) for lead in leads]
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
        way: np.array([[read(spec) for spec in chosen.specs(source, way, share)] for share in shares])
        for way in MODELS
    }
