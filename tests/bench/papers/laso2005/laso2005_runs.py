"""Finished runs of laso2005, in memory, whose numbers are the paper's or what a test wants."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from structbench.bench.papers import laso2005
from structbench.bench.papers.laso2005.runs import (
    BEAMS,
    CHUNKING,
    GROUPS,
    JOINT,
    SEPARABLE,
    WAYS,
    WAYS_OF,
    Task,
    matrix,
)  # fmt: skip
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from tests.bench.synthetic_curves import PROVENANCE, of
from tests.narrowing import not_none

QUICK = not_none(laso2005.task("quick"))
# as long and as wide as the tests need
TASK = replace(QUICK, scale="paper", passes=9, matrix=BEAMS[JOINT], seeds=(0, 1, 2, 3, 4), error=0.06)
ONE = replace(TASK, seeds=(0,))

# as in the paper
TABLE_1 = """
SemiCRF | 53:56 | :31 | 92.3 | 92.1 | 92.2
Perceptron | 18:05 | :22 | 93.4 | 93.5 | 93.4
LaSOp1 | :55 | :01 | 92.5 | 92.3 | 92.4
LaSOp5 | 1:49 | :04 | 93.7 | 92.6 | 93.1
LaSOp25 | 6:32 | :11 | 94.2 | 94.1 | 94.1
LaSOp∞ | 21:43 | :24 | 94.3 | 94.1 | 94.2
LaSOa1 | :51 | :01 | 93.6 | 92.5 | 93.0
LaSOa5 | 2:04 | :04 | 93.8 | 94.4 | 94.3
LaSOa25 | 5:59 | :10 | 93.9 | 94.6 | 94.4
LaSOa∞ | 20:12 | :25 | 94.0 | 94.8 | 94.4
ZDJ02 | - | - | 94.3 | 94.0 | 94.1
"""
TABLE_2 = """
Sutton | - | - | 98.9 | 97.4 | 96.5 | 93.9
LaSOp1 | 1:29 | :01 | 98.9 | 95.5 | 94.7 | 93.1
LaSOp5 | 3:24 | :04 | 98.9 | 95.8 | 95.1 | 93.5
LaSOp10 | 4:47 | :09 | 98.9 | 95.9 | 95.1 | 93.5
LaSOp25 | 4:59 | :16 | 98.9 | 95.9 | 95.1 | 93.7
LaSOp50 | 5:53 | :30 | 98.9 | 95.8 | 94.9 | 93.4
LaSOa1 | :41 | :01 | 99.0 | 96.5 | 95.8 | 93.9
LaSOa5 | 1:43 | :03 | 99.0 | 96.8 | 96.1 | 94.2
LaSOa10 | 2:21 | :07 | 99.1 | 97.3 | 96.4 | 94.4
LaSOa25 | 3:38 | :20 | 99.1 | 97.4 | 96.6 | 94.3
LaSOa50 | 3:15 | :23 | 99.1 | 97.4 | 96.6 | 94.4
"""
TABLE_3 = """
1 | 93.9 | 92.8 | 91.9 | 91.3 | 90.9
5 | 90.5 | 94.3 | 94.4 | 94.1 | 94.1
10 | 89.6 | 94.3 | 94.4 | 94.2 | 94.2
25 | 88.7 | 94.2 | 94.5 | 94.3 | 94.3
50 | 88.4 | 94.2 | 94.4 | 94.2 | 94.4
"""


def told(text: str) -> dict[str, list[str]]:
    """Rows of one of the paper's tables by their first column."""
    return {row.split(" | ")[0]: row.split(" | ")[1:] for row in text.strip().splitlines()}


# F in percent: the paper's, and of what its tables leave out
F = {(CHUNKING, name): float(row[-1]) for name, row in told(TABLE_1).items()}
F |= {(JOINT, name): float(row[-1]) for name, row in told(TABLE_2).items()}
F |= {(kind, WAYS["early"].name): 93.1 for kind in (CHUNKING, JOINT)}
F |= {(kind, WAYS["standard"].name): 92.5 for kind in (CHUNKING, JOINT)}
F |= {(CHUNKING, "SemiM3N"): 93.0, (CHUNKING, "SemiCRF, L-BFGS"): 92.2}
F |= {(CHUNKING, f"LaSO{sign}10"): 94.0 for sign in "pa"}
F |= {(CHUNKING, way.name): 94.3 for way in GROUPS["alphas"]}
HOURS = {(CHUNKING, name): row[0] for name, row in told(TABLE_1).items() if row[0] != "-"}
HOURS |= {(JOINT, name): row[0] for name, row in told(TABLE_2).items() if row[0] != "-"}
HOURS[CHUNKING, "SemiCRF, L-BFGS"] = HOURS[CHUNKING, "SemiCRF"]
F |= {(JOINT, WAYS["max-violation"].name): 93.2}
MATRIX = {
    (int(train), test): float(f1)
    for train, row in told(TABLE_3).items()
    for test, f1 in zip((1, 5, 10, 25, 50), row, strict=True)
}
CRF_C = 4.0
SENTENCES, SCALE = 10, 1_000_000
# of a bound of 79.6: the share that the paper's corrections are of its bound, and another
THEOREM = {beam: {"updates": 73 - beam // 5, "margin": 0.2, "status": "stalled"} for beam in SEPARABLE}


def finished(
    spec: Spec,
    f1: dict[float, float],
    *,
    seconds: float = 1.0,
    status: str = "passes",
    updates: float = 5.0,
    predicts: float = 0.5,
    notes: dict | None = None,
) -> Run:
    """A finished run, in memory, with these percents after these passes.

    ``seconds``: of a pass; ``predicts``: of predicting.
    """
    passes, share = np.array(list(f1)), np.array(list(f1.values())) / 100
    columns = {"test_f1": share, "test_precision": 0.9 * share, "test_recall": 0.8 * share}
    columns |= {
        "test_error": 1 - share,
        "test_tag_error": 0.9 * (1 - share),
        "test_chunk_error": 0.8 * (1 - share),
    }
    columns |= {"C": spec.C, "passes": passes, "cpu_seconds": seconds * passes, "test_seconds": predicts}
    columns["updates"] = updates * (1 - 0.7**passes) / 0.3
    summary = {"key": spec.key, "status": status, "test_f1": share[-1], "passes": passes[-1]}
    summary |= {"num_examples": 100, "num_weights": 700, "notes": notes or {}, "provenance": PROVENANCE}
    run = Run(spec.key, Path("memory"), spec, summary)
    run.__dict__["curve"] = pd.DataFrame(columns)
    run.__dict__["chunks"] = alike(tuple(f1.values()))
    return run


@cache
def alike(percents: tuple[float, ...]) -> np.ndarray:
    """Counts of chunks in sentences that are all alike, so that an interval over them has no width."""
    found = np.round(np.array(percents) * SCALE / 100).astype(int)
    return np.stack([np.stack([found, *np.full((2, len(found)), SCALE)], axis=1)] * SENTENCES, axis=1)


def _hours(place: tuple[str, str]) -> float:
    """The paper's time of training, an hour a second; 2 where it has none."""
    if place not in HOURS:
        return 2.0
    hours, minutes = HOURS[place].split(":")
    return int(hours or 0) + int(minutes) / 60


def rising(passes: int, best: int, f1: float) -> dict[float, float]:
    """Percents, greatest at the end of pass ``best``; greater ones within passes do not count."""
    ends = {float(p): f1 - 2.0 * abs(p - best) for p in range(1, passes + 1)}
    return {0.0: 10.0, 0.4: 30.0} | dict(sorted((ends | {p + 0.5: 99.0 for p in range(1, passes)}).items()))


def family(task: Task = TASK, **changes: Any) -> Runs:
    """All runs of a scale, as in the paper.

    Args:
        changes: ``f1``: other percents by kind and way; ``matrix``: others by the two beams; ``best``: the passes
            to be chosen; ``seconds``: of a pass, else the paper's hours; ``predicts``: those of
            predicting; ``theorem``: by beam; ``certified``: objectives to their gap, unless False; ``only``: the
            specs wanted.
    """
    only = changes.get("only")
    wanted = None if only is None else {spec.key for spec in only}
    return of(*(finished(s, f1, **how) for s, f1, how in _listed(task, changes) if not wanted or s.key in wanted))


def _listed(task: Task, changes: dict) -> Iterator[tuple[Spec, dict[float, float], dict[str, Any]]]:
    f1, cells = F | changes.get("f1", {}), MATRIX | changes.get("matrix", {})
    diagonal = {spec.key: cells[beam, beam] for beam in task.matrix for spec in matrix(task)[beam, beam]}
    for kind in (CHUNKING, JOINT):
        for way in WAYS_OF[kind]:
            place = kind, way.name
            usual = (2 if "LaSOa" in way.name else 7) if kind == JOINT else 5
            best = min(changes.get("best", {}).get(place, usual), task.passes)
            second = changes.get("seconds", {}).get(place, _hours(place) / (3.2 if way.loss else best))
            predicts = changes.get("predicts", {}).get(place, 18.0 if way.loss else 0.5)
            for C in way.Cs:
                made = [] if way.tuned_by else task.choosers(way, kind, C)
                for spec in (*made, *task.specs(way, kind, C)):
                    here = f1[place] - ("tune" in spec.data.options) - (C not in (None, CRF_C))
                    if way.loss:
                        status = "converged" if changes.get("certified", True) else "passes"
                        curve = {0.0: 10.0, 1.0: 80.0, 3.2: here}
                        yield spec, curve, {"seconds": second, "status": status, "predicts": predicts}
                    else:
                        curve = rising(task.passes, best, here)
                        if spec.key in diagonal:
                            curve[task.matrix_passes] = diagonal[spec.key]
                        yield spec, curve, {"seconds": second, "predicts": predicts}
    for (train, test), listed in matrix(task).items():
        for spec in listed if train != test else ():
            yield spec, {0.0: 10.0, 1.0: 80.0, task.matrix_passes: cells[train, test]}, {}
    for beam in SEPARABLE:
        notes = THEOREM[beam] | changes.get("theorem", {}).get(beam, {})
        how = {"status": notes.pop("status"), "notes": notes}
        yield from ((spec, {0.0: 10.0, 1.0: 80.0, 7.0: 95.0}, how) for spec in task.settled(beam))
