"""The rules by which the claims of Figure 7 are judged, written down before any run that they judge.

Draws are paired: in each, all models train on the same examples and are tested on the same ones. A difference
between two models is one number a draw. Its interval is the 95 % one of Student's t over draws; with fewer than
three draws nothing is decided. Both measures must agree: the mean F1 of attributes and the share of examples with
all key attributes right. Each is the mean over shares m unless a rule says at every m.

========================  =============================================================================
extraction-regularised    at every m the interval of every regularised model less the CRF is above 0
                          ("significantly outperform"); not reproduced if one is below 0 at some m
extraction-max-margin     the interval of the mean of M3N, L1-M3N and LapM3N less the mean of L2-CRF and L1-CRF is
                          above 0, and its mean is at over half of the m ("generally"); not if it is below 0
extraction-lap-as-l1m3n   at every m the interval of L1-M3N less LapM3N is within 1 point, 0.01, of 0; not if it is
                          beyond that at some m
extraction-l1m3n-best     the intervals of L1-M3N less each other model but LapM3N are above 0; not if one is
                          below 0
extraction-few-examples   the mean lead of L1-M3N over the best other model but LapM3N is greater at the least
                          m than at the greatest, by an interval above 0; not if by one below 0. It asks for two m
extraction-beats-l1crf    the interval of L1-M3N less L1-CRF is above 0; not if it is below 0
========================  =============================================================================
"""

from collections.abc import Callable

import numpy as np

from structbench.bench.papers import intervals
from structbench.bench.papers.intervals import Interval
from structbench.bench.papers.judging import INCONCLUSIVE, Judgement, graded, worst
from structbench.bench.papers.l1m3n2009.extraction import (
    LIKELIHOOD,
    MAX_MARGIN,
    MEASURES,
    REGULARISED,
    Extraction,
    Source,
)
from structbench.bench.papers.l1m3n2009.setting import CRF, EM, L1_CRF, L2_CRF, LAP_M3N, M3N, MODELS, Way
from structbench.bench.runs.finished import Runs

POINT = 0.01
LEAST_DRAWS = 3

Table = dict[Way, np.ndarray]  # one measure of each model, (shares, draws)


def regularised(table: Table) -> tuple[str, str]:
    ends = {way: [interval(row) for row in table[way] - table[CRF]] for way in REGULARISED}
    good = all(low > 0 for rows in ends.values() for _, low, _ in rows)
    bad = any(high < 0 for rows in ends.values() for *_, high in rows)
    least = min(ends, key=lambda way: min(low for _, low, _ in ends[way]))
    return graded(good, bad), f"least lead over the CRF, {least.model}: {_said(min(ends[least]))}"


def max_margin(table: Table) -> tuple[str, str]:
    lead = np.mean([table[way] for way in MAX_MARGIN], axis=0) - np.mean(
        [table[way] for way in LIKELIHOOD], axis=0
    )
    mean, low, high = interval(lead.mean(axis=0))
    ahead = int((lead.mean(axis=1) > 0).sum())
    good = low > 0 and 2 * ahead > len(lead)
    return graded(good, high < 0), f"lead {_said((mean, low, high))}, ahead at {ahead} of {len(lead)} m"


def lap_as_l1m3n(table: Table) -> tuple[str, str]:
    ends = [interval(row) for row in table[EM] - table[LAP_M3N]]
    good = all(max(abs(low), abs(high)) <= POINT for _, low, high in ends)
    bad = any(low > POINT or high < -POINT for _, low, high in ends)
    return graded(good, bad), f"L1-M3N less LapM3N, farthest: {_said(max(ends, key=lambda end: abs(end[0])))}"


def l1m3n_best(table: Table) -> tuple[str, str]:
    ends = {way: interval((table[EM] - table[way]).mean(axis=0)) for way in (CRF, L2_CRF, L1_CRF, M3N)}
    good = all(low > 0 for _, low, _ in ends.values())
    bad = any(high < 0 for *_, high in ends.values())
    return graded(good, bad), ", ".join(f"over {way.model} {_said(end)}" for way, end in ends.items())


def few_examples(table: Table) -> tuple[str, str]:
    others = np.array([table[way] for way in (CRF, L2_CRF, L1_CRF, M3N)])
    if others.shape[1] < 2:
        return INCONCLUSIVE, "one m only"
    best = others[others.mean(axis=2).argmax(axis=0), np.arange(others.shape[1])]
    lead = table[EM] - best
    mean, low, high = interval(lead[0] - lead[-1])
    return graded(low > 0, high < 0), f"lead at the least m more by {_said((mean, low, high))}"


def beats_l1crf(table: Table) -> tuple[str, str]:
    mean, low, high = interval((table[EM] - table[L1_CRF]).mean(axis=0))
    return graded(low > 0, high < 0), f"lead {_said((mean, low, high))}"


def interval(differences: np.ndarray) -> Interval:
    """Return the interval over draws; infinite with fewer than ``LEAST_DRAWS``."""
    return intervals.interval(differences, LEAST_DRAWS)


def judge(rule: Callable[[Table], tuple[str, str]], chosen: Extraction, source: Source, runs: Runs) -> Judgement:
    """Return a rule's verdict under both measures: the worse."""
    found = {name: rule(table(chosen, source, runs, measure)) for measure, name in MEASURES.items()}
    numbers = "; ".join(f"{name}: {said}" for name, (_, said) in found.items())
    return worst([verdict for verdict, _ in found.values()]), numbers, _means(chosen, source, runs)


def table(chosen: Extraction, source: Source, runs: Runs, measure: str) -> Table:
    """Return a measure of all runs of a source; NaN for a missing run."""
    return {
        way: np.array(
            [
                [_read(runs, spec, measure) for spec in chosen.specs(source, way, m)]
                for m in chosen.shares_of(source)
            ]
        )
        for way in MODELS
    }


def _read(runs: Runs, spec, measure: str) -> float:
    run = runs[spec]
    value = None if run is None else run.summary[measure]
    return np.nan if value is None else float(value)


def _means(chosen: Extraction, source: Source, runs: Runs) -> str:
    f1 = table(chosen, source, runs, "test_average_f1")
    return "mean F1 over draws and m: " + ", ".join(f"{way.model} {f1[way].mean():.4f}" for way in MODELS)


def _said(end: Interval) -> str:
    mean, low, high = (value / POINT for value in end)
    return f"{mean:+.2f} [{low:+.2f}, {high:+.2f}] points"
