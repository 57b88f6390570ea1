"""What the claims of laso2005 measure; ``claims.toml`` says what each number has to be.

F is that on the test sentences at what held-out sentences chose, the mean over seeds. Its differences have the
interval of a bootstrap over test sentences, the same for both, and over seeds. A comparison with a published
number on the same sentences has the spread of seeds alone, and so has one with another alpha.
"""

import itertools
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from structbench.bench.drawing.intervals import percentiles
from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.evidence import EXACT
from structbench.bench.papers.grid_runs import listed, named
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import CHUNKING, JOINT, OWN_DATA, SEPARABLE, WAYS, Task, Way, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.measured import POINT, SHARE, points, shown_only, times, together_of
from structbench.bench.papers.terms import Claim, Evidence, Part, Registry, Run, Runs, Spec, Where

FILE = Path(__file__).with_name("claims.toml")
TASKS = {CHUNKING: "chunking", JOINT: "the joint task"}
NAMED: dict[str, Way | str] = WAYS | {"chunking": CHUNKING}

of_each = Registry()  # takes a way, or a pair of them
of_groups = Registry()  # takes groups of ways
of_matrix = Registry()  # takes the task, whose Table 3 it reads
of_settled = Registry()  # takes runs of Theorem 4's experiment
POINTS = "points of F1"
SEEDS = 5
TESTED = "test sentences"
NO_WIDE = Evidence({}, np.nan, "difference", POINTS, source=TESTED, state="two wide beams")
NEAR_BEST = 0.15 * POINT  # of the greatest held-out F


def laso2005_claims(task: Task) -> list[Claim]:
    """Return all claims; none on generated sentences, and those on published numbers on all of the data alone."""
    if task.data[0] not in OWN_DATA:
        return []
    whole = task.scale == "paper"
    source = "the paper's data" if whole else "a part of the paper's data"
    return [
        Claim(
            f"laso2005/{row.id}", row, partial(_measure, task),
            [spec for part in row.parts for spec in _needs(part, task)], [*row.figures],
            f"{task.data[0]}, {source}",
        )
        for row in rows(FILE, [*of_each, *of_groups, *of_matrix, *of_settled])
        if whole or not row.only
    ]  # fmt: skip


def _measure(task: Task, part: Part, runs: Runs) -> Iterable[Evidence]:
    """Call a rule for each way or pair of ways in each task, for groups of ways at once, or for Table 3."""
    given = named(part.given, NAMED)
    kinds, pairs = given.pop("kinds", [CHUNKING]), given.pop("pairs", None)
    if part.measure in of_matrix:
        return of_matrix[part.measure](task, runs, **given)
    if part.measure in of_settled:
        rule, made = of_settled[part.measure], {beam: runs.present(task.settled(beam)) for beam in SEPARABLE}
        *others, paper = (together_of([rule(run, {"beam": beam}) for run in some]) for beam, some in made.items())
        return [paper, *shown_only(others, "with a beam of 1")]

    def trained(ways: Iterable[Way], kind: str) -> list[Trained]:
        return [Trained(task, runs, way, kind) for way in ways]

    groups = pairs or [given.pop(name) for name in ("ways", "others") if name in given]
    if part.measure in of_groups:
        return of_groups[part.measure](*(trained(ways, kind) for kind in kinds for ways in groups))
    rule, each = of_each[part.measure], pairs or [[way] for way in groups[0]]
    found = [(kind, rule(*trained(ways, kind), **given)) for kind in kinds for ways in each]
    return [
        each._replace(where={**each.where, "in": TASKS[kind]} if len(kinds) > 1 else each.where)
        for kind, each in found
    ]


def _needs(part: Part, task: Task) -> list[Spec]:
    """Return the runs of the ways that a part names, in the tasks that it names."""
    given = named(part.given, NAMED)
    if part.measure in of_matrix:
        return [spec for specs in matrix(task).values() for spec in specs]
    if part.measure in of_settled:
        return task.settled()
    ways = [way for way in listed(given) if isinstance(way, Way)]
    return [spec for kind in given.get("kinds", [CHUNKING]) for way in ways for spec in task.all_of(way, kind)]


@of_each("lead")
def lead(one: Trained, other: Trained) -> Evidence:
    where, state = {"": one.way.name, "over": other.way.name}, one.doubt() or other.doubt()
    return _apart(one.task, where, one.f1_samples() - other.f1_samples(), state)


@of_each("lead_over_seeds")
def lead_over_seeds(one: Trained, other: Trained) -> Evidence:
    """Measure the lead of each seed by itself."""
    leads = one.read("test_f1") - other.read("test_f1")
    return together_of([points({"": one.way.name}, each, POINTS) for each in leads])


@of_each("from_published")
def from_published(one: Trained, published: float, sign: int) -> Evidence:
    """Measure F of each seed less a published number, in points; with a ``sign`` of -1 the other way round."""
    source = "seeds" if one.way.loss is None else EXACT
    more = {"band": SHARE * (100 - published), "source": source, "state": one.doubt()}
    leads = sign * (one.read("test_f1") - published * POINT)
    return together_of([points({"": one.way.name}, each, POINTS, **more) for each in leads])


@of_groups("joint_lead")
def joint_lead(chunking: list[Trained], joint: list[Trained]) -> list[Evidence]:
    """Measure F of the joint task less that of chunking, the mean over ways, which count, and each."""
    task, gains = chunking[0].task, [b.f1_samples() - a.f1_samples() for a, b in zip(chunking, joint, strict=True)]
    each = [_apart(task, {"": a.way.name}, gain) for a, gain in zip(chunking, gains, strict=True)]
    return [_apart(task, {}, np.mean(gains, axis=0)), *shown_only(each)]


@of_matrix("diagonal_lead")
def diagonal_lead(task: Task, runs: Runs) -> Iterator[Evidence]:
    """Measure each diagonal cell of Table 3 less the mean of the others in its row, and in its column."""
    cells = _cells(task, runs)
    for without in (False, True):
        beams = [beam for beam in task.matrix if beam > 1 or not without]
        for beam, side in itertools.product(beams if len(beams) > 1 else (), ("row", "column")):
            rest = [cells[(beam, o) if side == "row" else (o, beam)] for o in beams if o != beam]
            lead = _apart(task, {"beam": beam, "in its": side}, cells[beam, beam] - np.mean(rest, axis=0))
            yield from shown_only([lead], "without a beam of 1") if without else [lead]


@of_matrix("loss_with_one")
def loss_with_one(task: Task, runs: Runs) -> list[Evidence]:
    """Measure what beams of 1 and 5, either way round, lose against 1 and 1."""
    cells = _cells(task, runs)
    losses = {pair: cells[1, 1] - cells[pair] for pair in ((1, 5), (5, 1)) if pair in cells}
    return [_apart(task, {"trained with": a, "decoded with": b}, loss) for (a, b), loss in losses.items()]


@of_matrix("loss_of_wide_beams")
def loss_of_wide_beams(task: Task, runs: Runs) -> list[Evidence]:
    """Measure the mean loss of cells of two beams of 10 and more against their row's diagonal."""
    cells, wide = _cells(task, runs), [beam for beam in task.matrix if beam >= 10]
    losses = [cells[train, train] - cells[train, test] for train in wide for test in wide if train != test]
    return [_apart(task, {}, np.mean(losses, axis=0)) if losses else NO_WIDE]


@of_matrix("more_lost_with_one")
def more_lost_with_one(task: Task, runs: Runs, least: int) -> list[Evidence]:
    """Measure the mean loss against the row's diagonal of cells with one beam of 1, less that of two beams from
    ``least`` on."""
    cells = _cells(task, runs)
    losses = {(a, b): cells[a, a] - cells[a, b] for a, b in cells if a != b}
    narrow = [loss for pair, loss in losses.items() if 1 in pair]
    wide = [loss for pair, loss in losses.items() if min(pair) >= least]
    both = narrow and wide
    return [_apart(task, {}, np.mean(narrow, axis=0) - np.mean(wide, axis=0)) if both else NO_WIDE]


def _cells(task: Task, runs: Runs) -> dict[tuple[int, int], np.ndarray]:
    made = {beams: runs.present(specs) for beams, specs in matrix(task).items()}
    return {beams: scores.f1_samples(found, task.matrix_passes) for beams, found in made.items()}


def _apart(task: Task, where: Where, samples: np.ndarray, state: str = "") -> Evidence:
    """Return an estimate of resampled differences, in points."""
    value, low, high = (each / POINT for each in percentiles(samples))
    few = f"{SEEDS} seeds" if len(task.seeds) < SEEDS else ""
    found = points(where, 0.0, POINTS, state=state or few, band=SHARE * task.error / POINT)
    return found._replace(value=value, low=low, high=high, source=TESTED, count=task.tested)


@of_settled("margin_at_end")
def margin_at_end(run: Run, where: Where) -> Evidence:
    margin = run.summary["notes"].get("margin")
    return Evidence(where, np.nan if margin is None else margin, "value", state="more passes" * (margin is None))


@of_settled("bound_over_corrections")
def bound_over_corrections(run: Run, where: Where) -> Evidence:
    """Measure Theorem 4's bound for the margin of the last weights, over the corrections."""
    margin, made = margin_at_end(run, where).value, run.summary["notes"]["updates"]
    if not margin > 0:
        return Evidence(where, np.nan, state="a margin above 0")
    most = scores.bound(margin, dict(run.spec.params)["alpha"])
    return Evidence(where, most / made, told=f"{most:.3g} / {made:,}")


@of_each("training_seconds")
def training_seconds(one: Trained, other: Trained) -> Evidence:
    where = {"": one.way.name, "over": other.way.name}
    return together_of([Evidence(where, a / b) for a, b in zip(one.seconds(), other.seconds(), strict=True)])


@of_groups("semicrf_over")
def semicrf_over(semicrfs: list[Trained], others: list[Trained]) -> Iterator[Evidence]:
    """Measure the SemiCRF's seconds, at the C that is chosen, over those of the slowest of the others."""
    slowest = max(others, key=lambda trained: np.median(trained.seconds()))
    for trained in semicrfs:
        (mine,) = trained.seconds()
        ratio = Evidence({"": trained.way.name, "over": slowest.way.name}, 0.0, state=trained.at_end())
        ratio = ratio if trained.certified else ratio._replace(bound="at least")
        yield together_of([ratio._replace(value=mine / each) for each in slowest.seconds()])


@of_each("seconds_to_decode")
def seconds_to_decode(one: Trained, other: Trained) -> Evidence:
    mine = np.median(one.seconds_to_predict())
    return together_of([Evidence({}, mine / each) for each in other.seconds_to_predict()])


@of_each("passes_to_near_best")
def passes_to_near_best(one: Trained, other: Trained | None = None) -> Evidence:
    """Measure the first pass within 0.15 points of the best held-out F, or that over another way's."""
    limit, where = one.task.passes, {"": (other or one).way.name}
    mine, others = (each.passes_near_best(NEAR_BEST) for each in (one, other or one))
    if other is None:
        return together_of([Evidence(where, a, "count", bound="" if a < limit else "at least") for a in mine])
    passes = (np.where(found < limit, found, np.inf) for found in (mine, others))
    return together_of([times(where, pair, (limit, limit)) for pair in zip(*passes, strict=True)])


@of_groups("seconds_to_near_best")
def seconds_to_near_best(*pairs: list[Trained]) -> list[Evidence]:
    """Measure the seconds of these passes, first way over second, the geometric mean over pairs, by seed."""
    passes = np.array([[trained.passes_near_best(NEAR_BEST) for trained in pair] for pair in pairs])
    seeds = passes.shape[-1]  # passes and paces are of shape (pairs, 2, seeds)
    paces = np.array([[trained.seconds_a_pass()[:seeds] for trained in pair] for pair in pairs])
    first, second = np.log(passes * paces).mean(axis=0)
    late = np.any(passes >= pairs[0][0].task.passes, axis=0)  # (2, seeds)
    ratios = [
        Evidence({}, np.nan if a and b else ratio, bound="at least" if a else "at most" if b else "")
        for ratio, a, b in zip(np.exp(first - second), late[0], late[1], strict=True)
    ]
    return [together_of(ratios)]
