"""What the claims of laso2005 measure; ``claims.toml`` says what each number has to be.

F is that on the test sentences at what held-out sentences chose, the mean over seeds. Its differences have the
interval of a bootstrap over test sentences, the same for both, and over seeds. A comparison with a published
number on the same sentences has the spread of seeds alone, and so has one with another alpha.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from structbench.bench.papers import bootstrap
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import CHUNKING, SEMI_CRFS, Task, Way, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.measured import POINT, SHARE, Value, points, shown_only, together_of
from structbench.bench.runs.finished import Runs

POINTS = "points of F1"
SEEDS = 5
TESTED = "test sentences"
NEAR_BEST = 0.15 * POINT  # of the greatest held-out F
HOURS = {"LaSOp∞": 1.20, "LaSOa∞": 1.12, "LaSOp25": 1.09}  # theirs, over those of the other way of a pair

Pairs = Sequence[tuple[Way, Way]]


def each_pair(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> Iterator[tuple[Trained, Trained]]:
    """Give the runs of the two ways of each pair, in each task."""
    for kind in kinds:
        for one, other in pairs:
            yield Trained(task, runs, one, kind), Trained(task, runs, other, kind)


def lead(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Value]:
    """Measure F of the first way of each pair less that of the second."""
    found = []
    for one, other in each_pair(task, runs, pairs, kinds):
        named = "chunking" if one.kind == CHUNKING else "the joint task"
        where = {"": one.way.name, "over": other.way.name} | ({"in": named} if len(kinds) > 1 else {})
        found.append(_apart(task, where, one.f1_samples() - other.f1_samples(), one.doubt() or other.doubt()))
    return found


def lead_over_seeds(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Value]:
    """Measure the same for each seed."""
    found = []
    for one, other in each_pair(task, runs, pairs, kinds):
        leads = one.read("test_f1") - other.read("test_f1")
        found.append(together_of([points({"": one.way.name}, each, POINTS) for each in leads]))
    return found


def from_published(
    task: Task, runs: Runs, ways: Sequence[Way], kinds: Sequence[str], published: float, sign: int
) -> list[Value]:
    """Measure F of each seed less a published number, in points; with a ``sign`` of -1 the other way round."""
    found = []
    for kind, way in itertools.product(kinds, ways):
        trained = Trained(task, runs, way, kind)
        more = {"band": SHARE * (100 - published), "exact": way.loss is not None, "state": trained.doubt()}
        leads = sign * (trained.read("test_f1") - published * POINT)
        found.append(together_of([points({"": way.name}, each, POINTS, **more) for each in leads]))
    return found


def joint_lead(task: Task, runs: Runs, ways: Sequence[Way], kinds: Sequence[str]) -> list[Value]:
    """Measure F of the joint task less that of chunking, the mean over ways, which count, and each."""
    gains = {}
    for way in ways:
        chunking, joint = (Trained(task, runs, way, kind).f1_samples() for kind in kinds)
        gains[way.name] = joint - chunking
    mean = _apart(task, {}, np.mean([*gains.values()], axis=0))
    return [mean, *shown_only(_apart(task, {"": name}, gain) for name, gain in gains.items())]


def diagonal_lead(task: Task, runs: Runs, kinds: Sequence[str]) -> list[Value]:
    """Measure each diagonal cell of Table 3 less the mean of the others in its row, and in its column.

    What is left of it without a beam of 1 is shown and not counted.
    """
    cells, found = _cells(task, runs), []
    for without in (False, True):
        beams = [beam for beam in task.matrix if beam > 1 or not without]
        for beam, side in itertools.product(beams if len(beams) > 1 else (), ("row", "column")):
            rest = [cells[(beam, o) if side == "row" else (o, beam)] for o in beams if o != beam]
            lead = _apart(task, {"beam": beam, "in its": side}, cells[beam, beam] - np.mean(rest, axis=0))
            found += shown_only([lead], "without a beam of 1") if without else [lead]
    return found


def loss_with_one(task: Task, runs: Runs, kinds: Sequence[str]) -> list[Value]:
    """Measure what beams of 1 and 5, either way round, lose against 1 and 1."""
    cells = _cells(task, runs)
    losses = {pair: cells[1, 1] - cells[pair] for pair in ((1, 5), (5, 1)) if pair in cells}
    return [_apart(task, {"trained with": a, "decoded with": b}, loss) for (a, b), loss in losses.items()]


def loss_of_wide_beams(task: Task, runs: Runs, kinds: Sequence[str]) -> list[Value]:
    """Measure the mean loss of cells of two beams of 10 and more against their row's diagonal."""
    cells, wide = _cells(task, runs), [beam for beam in task.matrix if beam >= 10]
    losses = [cells[train, train] - cells[train, test] for train in wide for test in wide if train != test]
    if not losses:
        return [Value({}, np.nan, "difference", POINTS, source=TESTED, state="two wide beams")]
    return [_apart(task, {}, np.mean(losses, axis=0))]


def _cells(task: Task, runs: Runs) -> dict[tuple[int, int], np.ndarray]:
    passes = task.matrix_passes
    return {beams: scores.samples_after(runs, specs, passes) for beams, specs in matrix(task).items()}


def _apart(task: Task, where: Mapping[str, Any], samples: np.ndarray, state: str = "") -> Value:
    """Return an estimate of resampled differences, in points."""
    value, low, high = (each / POINT for each in bootstrap.interval(samples))
    few = f"{SEEDS} seeds" if len(task.seeds) < SEEDS else ""
    about = {"low": low, "high": high, "source": TESTED, "count": task.tested, "band": SHARE * task.error / POINT}
    return Value(where, value, "difference", POINTS, state=state or few, **about)


def seconds_a_pass(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Value]:
    """Measure CPU seconds of a pass, first way over second."""
    found = []
    for one, other in each_pair(task, runs, pairs, kinds):
        theirs = HOURS.get(one.way.name, np.nan) if other.way.name == "Perceptron" else np.nan
        where = {"": one.way.name, "over": other.way.name}
        both = zip(one.seconds_a_pass(), other.seconds_a_pass(), strict=True)
        found.append(together_of([Value(where, a / b, theirs=theirs) for a, b in both]))
    return found


def semicrf_over(task: Task, runs: Runs, others: Sequence[Way]) -> list[Value]:
    """Measure the SemiCRF's seconds, at the C that is chosen, over those of the slowest of the others.

    One that did not reach its gap took at least so long.
    """
    seconds = {way.name: Trained(task, runs, way, CHUNKING).seconds() for way in others}
    slowest = max(seconds, key=lambda name: np.median(seconds[name]))
    found = []
    for trained in (Trained(task, runs, way, CHUNKING) for way in SEMI_CRFS):
        (mine,), (run,) = trained.seconds(), trained.made
        bound = "" if run.summary["status"] == "converged" else "at least"
        where = {"": trained.way.name, "over": slowest}
        found.append(together_of([Value(where, mine / each, bound=bound) for each in seconds[slowest]]))
    return found


def seconds_to_decode(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Value]:
    """Measure the seconds of predicting the test sentences, first way over second."""
    found = []
    for one, other in each_pair(task, runs, pairs, kinds):
        mine = np.median(one.seconds_to_predict())
        found.append(together_of([Value({}, mine / each) for each in other.seconds_to_predict()]))
    return found


def passes_to_near_best(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Value]:
    """Measure the first pass within 0.15 points of the best held-out F, first way over second."""
    found = []
    for pair in each_pair(task, runs, pairs, kinds):
        passes, where = _near_best(pair), {"": pair[1].way.name}
        values = [Value(where, a / b, told=f"{a:g} / {b:g}") for a, b in zip(*passes, strict=True)]
        found.append(together_of(values)._replace(state=_capped(task, *passes)))
    return found


def _near_best(pair: tuple[Trained, Trained]) -> list[np.ndarray]:
    return [trained.passes_near_best(NEAR_BEST) for trained in pair]


def _capped(task: Task, *passes: np.ndarray) -> str:
    """Return what would mend passes of which some are all that were made."""
    return f"more than {task.passes} passes" if any(task.passes in each for each in passes) else ""


def seconds_to_near_best(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Value]:
    """Measure the seconds of so many passes, first way over second, the geometric mean over pairs."""
    logs, made = [], []
    for pair in each_pair(task, runs, pairs, kinds):
        passes, seconds = _near_best(pair), [trained.seconds_a_pass() for trained in pair]
        made += passes
        logs.append(np.log(passes[0] * seconds[0]) - np.log(passes[1] * seconds[1]))
    found = together_of([Value({}, float(ratio)) for ratio in np.exp(np.mean(logs, axis=0))])
    return [found._replace(state=_capped(task, *made))]
