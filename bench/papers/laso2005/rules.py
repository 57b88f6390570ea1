"""What the claims of laso2005 on F1 measure; ``claims.toml`` says what each number has to be.

F is that on the test sentences at what held-out sentences chose, the mean over seeds. Its differences have the
95 % interval of a bootstrap over test sentences, the same for both, and over seeds. A comparison with a
published number on the same sentences has the spread of seeds alone, and so has one with another alpha. A point is
0.01 of F. 3 % of the error counts as none.

A test checks Theorem 4, not a claim (``tests/algorithms/mistake_driven/test_laso.py``). No sentence of the paper
says that large margin updates are ahead at every beam of Table 1.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structbench.bench.papers import bootstrap
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import Task, matrix
from structbench.bench.papers.laso2005.setting import CHUNKING, Way
from structbench.bench.papers.measured import Estimate, Value, together_of
from structbench.bench.runs.finished import Runs

POINT = 0.01
POINTS = "points of F1"
SHARE = 0.03  # of an error: nearer is level
SEEDS = 5
TESTED = "test sentences"

Pairs = Sequence[tuple[Way, Way]]


def lead(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure F of the first way of each pair less that of the second."""
    found = []
    for kind in kinds:
        for one, other in pairs:
            where = {"": one.name, "over": other.name} | ({"in": named(kind)} if len(kinds) > 1 else {})
            samples = [scores.f1_samples(task, runs, way, kind) for way in (one, other)]
            state = next(filter(None, (scores.doubt(task, runs, way, kind) for way in (one, other))), "")
            found.append(_apart(task, where, samples[0] - samples[1], state))
    return found


def lead_over_seeds(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the same for each seed."""
    found = []
    for kind in kinds:
        for one, other in pairs:
            f1 = [scores.f1_by_seed(task, runs, way, kind) for way in (one, other)]
            values = [
                Value({"": one.name}, (a - b) / POINT, "difference", POINTS) for a, b in zip(*f1, strict=True)
            ]
            found.append(together_of(values))
    return found


def above_published(
    task: Task, runs: Runs, ways: Sequence[Way], kinds: Sequence[str], published: float
) -> list[Estimate]:
    """Measure F of each seed less a published number, in points."""
    band = SHARE * (100 - published)
    return [
        together_of(
            [
                Value({"": way.name}, f1 / POINT - published, "difference", POINTS, band=band,
                      exact=way.loss is not None, state=scores.doubt(task, runs, way, kind))
                for f1 in scores.f1_by_seed(task, runs, way, kind)
            ]
        )
        for kind in kinds
        for way in ways
    ]  # fmt: skip


def below_published(
    task: Task, runs: Runs, ways: Sequence[Way], kinds: Sequence[str], published: float
) -> list[Estimate]:
    """Measure a published number less F of each seed, in points."""
    return [
        each._replace(value=-each.value, low=-each.high, high=-each.low)
        for each in above_published(task, runs, ways, kinds, published)
    ]


def joint_lead(task: Task, runs: Runs, ways: Sequence[Way], kinds: Sequence[str]) -> list[Estimate]:
    """Measure F of the joint task less that of chunking, the mean over ways, which count, and each."""
    chunking, joint = kinds
    gains = {
        way.name: scores.f1_samples(task, runs, way, joint) - scores.f1_samples(task, runs, way, chunking)
        for way in ways
    }
    mean = _apart(task, {}, np.mean([*gains.values()], axis=0))
    each = (_apart(task, {"": name}, gain) for name, gain in gains.items())
    return [mean, *(gain._replace(counted=False) for gain in each)]


def diagonal_lead(task: Task, runs: Runs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure each diagonal cell of Table 3 less the mean of the others in its row, and in its column.

    What is left of it without a beam of 1 is shown and not counted.
    """
    cells, found = _cells(task, runs), []
    for without in (False, True):
        beams = [beam for beam in task.matrix if beam > 1 or not without]
        for beam, side in itertools.product(beams if len(beams) > 1 else (), ("row", "column")):
            rest = [cells[(beam, o) if side == "row" else (o, beam)] for o in beams if o != beam]
            lead = _apart(task, {"beam": beam, "in its": side}, cells[beam, beam] - np.mean(rest, axis=0))
            found.append(lead._replace(counted=False, choice="without a beam of 1") if without else lead)
    return found


def loss_with_one(task: Task, runs: Runs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure what beams of 1 and 5, either way round, lose against 1 and 1."""
    cells = _cells(task, runs)
    pairs = [pair for pair in ((1, 5), (5, 1)) if pair in cells]
    return [
        _apart(task, {"trained with": train, "decoded with": test}, cells[1, 1] - cells[train, test])
        for train, test in pairs
    ]


def loss_of_wide_beams(task: Task, runs: Runs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the mean loss of cells of two beams of 10 and more against their row's diagonal."""
    cells, wide = _cells(task, runs), [beam for beam in task.matrix if beam >= 10]
    losses = [cells[train, train] - cells[train, test] for train in wide for test in wide if train != test]
    if not losses:
        return [Estimate({}, np.nan, -np.inf, np.inf, "difference", TESTED, unit=POINTS, state="two wide beams")]
    return [_apart(task, {}, np.mean(losses, axis=0))]


def _cells(task: Task, runs: Runs) -> dict[tuple[int, int], np.ndarray]:
    passes = task.matrix_passes
    return {beams: scores.samples_after(runs, specs, passes) for beams, specs in matrix(task).items()}


def _apart(task: Task, where: Mapping[str, Any], samples: np.ndarray, state: str = "") -> Estimate:
    """Return an estimate of resampled differences, in points."""
    around = bootstrap.interval(samples)
    few = f"{SEEDS} seeds" if len(task.seeds) < SEEDS else ""
    return Estimate(
        where, *(each / POINT for each in around), kind="difference", source=TESTED, count=task.tested,
        unit=POINTS, state=state or few, band=SHARE * task.error / POINT,
    )  # fmt: skip


def named(kind: str) -> str:
    return "chunking" if kind == CHUNKING else "the joint task"
