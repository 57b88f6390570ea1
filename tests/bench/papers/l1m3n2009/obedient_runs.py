"""Runs of l1m3n2009 that obey every claim, and some that do not: what their summaries and weights would be."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from structbench.bench.papers import l1m3n2009
from structbench.bench.papers.judging import Claim, judge
from structbench.bench.papers.l1m3n2009 import claims as l1m3n2009_claims
from structbench.bench.papers.l1m3n2009 import setting as ways
from structbench.bench.papers.l1m3n2009.runs import Cross
from structbench.bench.papers.l1m3n2009.setting import (
    CRF,
    CUTTING_PLANE,
    CUTTING_WARM,
    EM,
    EM_RETURN,
    L1_CRF,
    LAP_M3N,
    M3N,
    ONLINE,
    PROXIMAL,
    SUBGRADIENT,
    Way,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from tests.bench import synthetic_curves

TINY = l1m3n2009.task("tiny")
# as many data sets and folds as the rules ask for
TASK = replace(TINY, crfs=3, used={10: 3, 4: 3}, words={100: 3, 150: 3}, ems=ways.EMS)
# error of each model, on synthetic data and on OCR, for the least training set
ERRORS = {
    "synthetic": {"CRF": 0.33, "L2-CRF": 0.245, "M3N": 0.25, "L1-CRF": 0.225, "LapM3N": 0.222, "L1-M3N": 0.22},
    "ocr": {"CRF": 0.40, "L2-CRF": 0.345, "M3N": 0.34, "L1-CRF": 0.38, "LapM3N": 0.312, "L1-M3N": 0.31},
}
# along the path, from the strongest constant to the weakest: error more than the model's, CPU seconds
PATHS = {
    "synthetic": {
        EM.name: ((0.0, 0.0), (2.0, 2.0)),
        SUBGRADIENT.name: ((0.0, 0.02), (1.0, 0.8)),
        CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 7.5)),
        CUTTING_WARM.name: ((0.0, 0.0), (1.0, 1.0)),
        EM_RETURN.name: ((0.0, 0.0), (1.0, 1.0)),
        PROXIMAL.name: ((0.0, 0.0), (1.0, 1.0)),
        ONLINE.name: ((0.0, 0.0), (1.0, 1.0)),
    },
    "ocr": {
        EM.name: ((0.0, 0.0), (2.0, 2.2)),
        SUBGRADIENT.name: ((0.001, 0.002), (4.0, 2.0)),
        CUTTING_PLANE.name: ((0.1, 0.1), (2000.0, 3000.0)),
        CUTTING_WARM.name: ((0.0, 0.0), (1.0, 1.0)),
        EM_RETURN.name: ((0.0, 0.0), (1.0, 1.0)),
        PROXIMAL.name: ((0.0, 0.0), (1.0, 1.0)),
        ONLINE.name: ((0.0, 0.0), (1.0, 1.0)),
    },
}
GAPS = {CUTTING_PLANE.name: 0.5}  # at the end, on OCR
KEPT = {  # weights other than zero: of relevant features, of irrelevant ones; along the path
    EM.name: ((12, 0), (58, 135)),
    CUTTING_PLANE.name: ((10, 0), (57, 130)),
    CUTTING_WARM.name: ((10, 0), (57, 130)),
    EM_RETURN.name: ((12, 0), (58, 135)),
    PROXIMAL.name: ((10, 0), (57, 130)),
    ONLINE.name: ((60, 136), (60, 140)),
    SUBGRADIENT.name: ((60, 136), (60, 140)),
}
CLEAN = {EM.name: (12, 0), L1_CRF.name: (14, 0)}  # at the constants of Figures 2 and 3
NOISE = {LAP_M3N.name: 1e-3, M3N.name: 0.05}  # magnitude of irrelevant weights; relevant ones have 0.1


def listed() -> Iterator[tuple[Spec, Way, Cross, int | None, int]]:
    """Every run of the family, with its place on the path, if it is of one, and its fold."""
    crosses = [*TASK.crosses(10), *TASK.crosses(4), *(TASK.ocr(words) for words in TASK.words)]
    found: dict[Spec, tuple] = {}
    for cross in crosses:
        for way in (*ways.MODELS, *ways.OTHER_M3NS):
            for C in TASK.grid_of(way, cross.kind):
                found |= {s: (way, cross, None, fold) for fold, s in enumerate(TASK.specs(way, cross, C))}
    for cross in (*TASK.crosses(10), TASK.smallest):
        for way in (*ways.METHODS, *TASK.ems[1:], *(ways.OURS if cross in (TASK.first, TASK.smallest) else ())):
            for place, C in enumerate(TASK.path_of(way, cross.kind)):
                found |= {s: (way, cross, place, fold) for fold, s in enumerate(TASK.specs(way, cross, C))}
    return ((spec, *about) for spec, about in found.items())


@cache
def known(obedient: Path) -> list[Run]:
    return Runs(obedient).present([spec for spec, *_ in listed()])


def family(obedient: Path, folder: Path, **changes: dict) -> Runs:
    """Those runs; ``changes``: others of the tables above, by kind or way; what they touch is in ``folder``."""
    runs = Runs(obedient)
    for run in known(obedient):
        synthetic_curves.put(runs, run)
    for spec, *about in listed():
        summary, w = made(*about, changes)
        if repr(made(*about, {})) != repr((summary, w)):
            run = runs[spec]
            other = synthetic_curves.keep(folder, spec, curved(run, summary), run.summary | summary, w)
            synthetic_curves.put(runs, other)
    return runs.afresh()


def curved(run: Run, summary: dict) -> pd.DataFrame:
    """A curve with the summary's error all along, and its seconds in the end."""
    seconds = run.curve["cpu_seconds"] * summary["cpu_seconds"] / run.curve["cpu_seconds"].iloc[-1]
    return run.curve.assign(test_error=summary["test_error"], cpu_seconds=seconds)


def made(way: Way, cross: Cross, place: int | None, fold: int, changes: dict) -> tuple[dict, np.ndarray]:
    """What a run's summary says, and its weights."""
    kind, size = cross.kind, cross.size
    error = (ERRORS[kind] | changes.get(kind, {}))[way.model] - 2e-4 * size
    error += changes.get("sizes", {}).get((way.model, size), 0.0)
    error += (fold - 0.5) / size * changes.get("spread", {}).get((way.model, size), 1.0)
    seconds, kept = 1.0, (CLEAN | changes.get("clean", {})).get(way.name, (60, 140))
    if place is not None:
        more, times = _row(PATHS[kind] | changes.get(f"{kind}-path", {}), way)
        error, seconds, kept = error + more[place], times[place], _row(KEPT | changes.get("kept", {}), way)[place]
    w = np.zeros(204)
    w[: kept[0]] = 0.1
    w[1 : kept[0] : 2] = -0.1
    w[60 : 60 + kept[1]] = (NOISE | changes.get("noise", {})).get(way.name, 0.01)
    gap = (GAPS | changes.get("gaps", {})).get(way.name, 1e-4) if kind == "ocr" else 1e-4
    status = _row({way.name: "converged"} | changes.get("status", {}), way)
    gaps = {
        "relative_gap": None if way is CRF else gap,
        "primal": 10.0,
        "dual": 10.0 * (1 - gap),
        "status": status,
    }
    return {"test_error": error, "cpu_seconds": seconds, "setup_seconds": 0.0} | gaps, w


def _row(table: dict, way: Way) -> tuple | str:
    """What it says of a way; of EM with another fixed constant, if nothing, what it says of EM."""
    return table.get(way.name, table.get(EM.name if way in ways.EMS else way.name))


def verdicts(runs: Runs) -> dict[str, str]:
    return {said["id"].removeprefix("l1m3n2009/"): said["verdict"] for said in judge(own_claims(), runs)}


def own_claims() -> list[Claim]:
    """All but those of Figure 7, which ``test_extraction`` is of."""
    return l1m3n2009_claims.claims(TASK)
