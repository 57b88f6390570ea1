"""Runs of l1m3n2009, in memory, that obey every claim, and some that do not: their summaries and weights."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TypeVar

import numpy as np

from structbench.bench.papers import l1m3n2009
from structbench.bench.papers.judging import Claim, judge
from structbench.bench.papers.l1m3n2009 import claims
from structbench.bench.papers.l1m3n2009 import runs as ways
from structbench.bench.papers.l1m3n2009.extraction import sources_of
from structbench.bench.papers.l1m3n2009.runs import (
    CRF,
    CUTTING_PLANE,
    CUTTING_WARM,
    EM,
    EM_RETURN,
    L1_CRF,
    LAP_M3N,
    M3N,
    PROXIMAL,
    SUBGRADIENT,
    Cross,
    Way,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from tests.bench import synthetic_curves

T = TypeVar("T")

TINY = l1m3n2009.task("tiny")
# as many data sets and folds as the rules ask for
TASK = replace(TINY, crfs=3, used={10: 3, 4: 3}, words={100: 3, 150: 3}, ems=ways.EMS, laps=ways.LAPS)
# error of each model, on synthetic data and on OCR, for the least training set
ERRORS = {
    "synthetic": {"CRF": 0.33, "L2-CRF": 0.249, "M3N": 0.25, "L1-CRF": 0.221, "LapM3N": 0.2205, "L1-M3N": 0.22},
    "ocr": {"CRF": 0.40, "L2-CRF": 0.342, "M3N": 0.34, "L1-CRF": 0.38, "LapM3N": 0.312, "L1-M3N": 0.31},
}
# along the path, from the strongest constant to the weakest: error more than the model's, CPU seconds
PATHS = {
    "synthetic": {
        EM.name: ((0.0, 0.0), (2.0, 2.0)),
        SUBGRADIENT.name: ((0.0, 0.02), (1.0, 0.8)),
        CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 9.0)),
    },
    "ocr": {
        EM.name: ((0.0, 0.0), (2.0, 2.2)),
        SUBGRADIENT.name: ((0.001, 0.002), (4.0, 2.0)),
        CUTTING_PLANE.name: ((0.1, 0.1), (2000.0, 3000.0)),
    },
}
OTHER_PATH = ((0.0, 0.0), (1.0, 1.0))
PLANES, DENSE = ((10, 0), (57, 130)), ((60, 136), (60, 140))
# weights other than zero: of relevant features, of irrelevant ones; along the path
KEPT = dict.fromkeys((CUTTING_PLANE.name, CUTTING_WARM.name, PROXIMAL.name), PLANES)
KEPT |= dict.fromkeys((EM.name, EM_RETURN.name), ((12, 0), (58, 135)))
CLEAN = {EM.name: (32, 0), L1_CRF.name: (34, 0)}  # at the constants of Figures 2 and 3
NOISE = {LAP_M3N.name: 1e-3, M3N.name: 0.05}  # magnitude of irrelevant weights; relevant ones have 0.1


@cache
def listed() -> dict[Spec, tuple[Way, Cross, int | None, int]]:
    """Every run of the family, with its place on the path, if it is of one, and its fold."""
    return dict(_listed())


def _listed() -> Iterator[tuple[Spec, tuple[Way, Cross, int | None, int]]]:
    crosses = [*TASK.crosses(10), *TASK.crosses(4), *(TASK.ocr(words) for words in TASK.words)]
    for cross in crosses:
        for way in (*ways.MODELS, *ways.LAPS[1:], *ways.OTHER_M3NS):
            for C in TASK.grid_of(way, cross.kind):
                yield from ((s, (way, cross, None, fold)) for fold, s in enumerate(TASK.specs(way, cross, C)))
    for cross in (*TASK.crosses(10), TASK.smallest):
        ours = ways.OURS if cross in (TASK.first, TASK.smallest) else ()
        for way in (*ways.METHODS, *TASK.ems[1:], *ours):
            for place, C in enumerate(TASK.path_of(way, cross.kind)):
                yield from ((s, (way, cross, place, fold)) for fold, s in enumerate(TASK.specs(way, cross, C)))


@cache
def obeying() -> Runs:
    """Those that obey every claim, and some of Figure 7."""
    runs = synthetic_curves.of()
    for spec, about in listed().items():
        keep(runs, spec, *made(*about, {}))
    for rank, spec in enumerate(spec for source in sources_of("tiny") for spec in source.runs()):
        scores = {"test_average_f1": 0.9 - rank / 100, "test_instance_accuracy": 0.8, "num_nonzero": 10 + rank}
        keep(runs, spec, scores, np.zeros(3))
    return runs


def family(**changes: dict) -> Runs:
    """Those runs; ``changes``: others of the tables above, by kind or way."""
    runs = synthetic_curves.of(*synthetic_curves.all_of(obeying()))
    for spec, about in listed().items():
        (usual, weights), (summary, w) = made(*about, {}), made(*about, changes)
        if usual != summary or (weights != w).any():
            keep(runs, spec, summary, w)
    return runs


def keep(runs: Runs, spec: Spec, summary: dict, w: np.ndarray | None = None) -> None:
    """A run of which this is known; its curve has the error all along, and the seconds in the end."""
    run = synthetic_curves.write(runs, spec)
    curve = run.curve.assign(test_error=summary.get("test_error", run.curve["test_error"]))
    if seconds := summary.get("cpu_seconds"):
        curve["cpu_seconds"] *= seconds / curve["cpu_seconds"].iloc[-1]
    synthetic_curves.keep(runs, spec, curve, run.summary | summary, w)


def made(way: Way, cross: Cross, place: int | None, fold: int, changes: dict) -> tuple[dict, np.ndarray]:
    """What a run's summary says, and its weights."""
    kind, size = cross.kind, cross.size
    error = (ERRORS[kind] | changes.get(kind, {}))[way.model] - (8e-4 if kind == "ocr" else 2e-4) * (size - 100)
    error += changes.get("sizes", {}).get((way.model, size), 0.0)
    spread = changes.get("spread", {}).get((way.model, size), 0.1 if size == 150 else 1.0)
    error += (fold - 0.5) / size * spread
    seconds, kept = 1.0, _row(CLEAN | changes.get("clean", {}), way, (60, 140))
    if place is not None:
        more, times = _row(PATHS[kind] | changes.get(f"{kind}-path", {}), way, OTHER_PATH)
        error, seconds = error + more[place], times[place]
        kept = _row(KEPT | changes.get("kept", {}), way, DENSE)[place]
    w = np.zeros(204)
    some = (
        np.arange(60).reshape(10, 6).T.ravel()[: kept[0]]
    )  # a weight of each group of relevant features, then more
    w[some] = np.where(some % 2, -0.1, 0.1)
    w[60 : 60 + kept[1]] = _row(NOISE | changes.get("noise", {}), way, 0.01)
    gap = 0.5 if kind == "ocr" and way is CUTTING_PLANE else 1e-4
    summary = {"test_error": error, "cpu_seconds": seconds, "setup_seconds": 0.0, "primal": 10.0}
    summary |= {"dual": 10.0 * (1 - gap), "relative_gap": None if way is CRF else gap}
    return summary | {"status": _row(changes.get("status", {}), way, "converged")}, w


def _row(table: dict, way: Way, otherwise: T) -> T:
    """What it says of a way; else of the usual EM or LapM3N, if it is one with another C' or LAMBDA."""
    usual = next((each[0].name for each in (ways.EMS, ways.LAPS) if way in each), way.name)
    return table.get(way.name, table.get(usual, otherwise))


def verdicts(runs: Runs) -> dict[str, str]:
    return {said.id.removeprefix("l1m3n2009/"): said.verdict for said in judge(own_claims(), runs)}


@cache
def own_claims() -> list[Claim]:
    """All but those of Figure 7, which ``test_extraction`` is of."""
    return claims.l1m3n2009_claims(
        TASK, sources_of("tiny", without=frozenset(("web-records", "conll2007-relations")))
    )
