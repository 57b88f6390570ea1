"""What the claims of klein2011 measure, over repetitions; ``claims.toml`` says what each number has to be.

A rule takes what its row asks for, as ``Tried``. Errors are shares of wrong test decisions after the last pass;
differences are paired by repetition. Seconds are CPU seconds of the learner alone. Mathematics is no claim: tests
(``test_slides.py``) check bounds and losses.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import measured
from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.evidence import EXACT
from structbench.bench.papers.grid_runs import listed
from structbench.bench.papers.klein2011 import readings
from structbench.bench.papers.klein2011.runs import AS_IS, LEVEL, WAYS, Scale, Task, Tried
from structbench.bench.papers.measured import POINT, SHARE, last, points, times, together_of
from structbench.bench.papers.terms import Claim, Evidence, Part, Registry, Run, Runs, Spec, Where

FILE = Path(__file__).with_name("claims.toml")
PLANE, DIGITS = "points in the plane, generated", "MNIST, more and more of it"
Repeated = Sequence[Run]  # one run a repetition
ENDS = 3  # passes
last_error = partial(last, column="test_error")

measure = Registry()


def klein2011_claims(scale: Scale) -> Iterator[Claim]:
    """Return all claims: those on each task, on points in the plane, and on more and more digits."""
    places: list[tuple] = [
        (task, "classes" if WAYS["naive-smo"] in task.ways() else "words", f"-{task.stem}", task.name)
        for task in scale.tasks
    ]
    places += [(None, "plane", "", PLANE), (None, "digits", "", DIGITS)]
    for task, kind, stem, setting in places:
        for row in rows(FILE, measure):
            if kind in row.only or (task and not row.only):
                tried = [listed(_tried(scale, task, part)) for part in row.parts]
                needs = [spec for each in tried for one in each for specs in one.made.values() for spec in specs]
                said = zip(row.parts, (each[0].name for each in tried), strict=True)
                parts = (replace(part, says=part.says.replace("{mine}", name)) for part, name in said)
                name, called = f"klein2011/{row.id}{stem}", partial(_measure, scale, task)
                yield Claim(name, replace(row, parts=tuple(parts)), called, needs, [*row.figures], setting)


def _tried(scale: Scale, task: Task | None, part: Part) -> dict[str, list[Tried[Spec]]]:
    """Return what a part asks for, by the names of its measure's arguments."""
    given = {name: said if isinstance(said, list) else [said] for name, said in part.given.items()}
    return {name: [scale.tried(task, each) for each in said] for name, said in given.items()}


def _measure(scale: Scale, task: Task | None, part: Part, runs: Runs) -> Iterable[Evidence]:
    def read(tried: Tried[Spec]) -> Tried[Run]:
        made = {value: [*map(runs.finished, specs)] for value, specs in tried.made.items()}
        made = made if tried.by in ("n", "passes") else measured.distinct(made)
        return Tried(tried.name, tried.by, tried.best, made)

    made = {name: [*map(read, each)] for name, each in _tried(scale, task, part).items()}
    given = {name: each if isinstance(part.given[name], list) else each[0] for name, each in made.items()}
    return measure[part.measure](**given)


def _together(values: Iterable[Evidence]) -> Evidence:
    return together_of([*values], "repetitions")


def _apart(where: Where, mine: Repeated, others: Repeated, **more: Any) -> Evidence:
    """Return the error of mine less the others', in points; 3 % of the error counts as none."""
    band = SHARE * float(np.mean([last_error(run) for run in (*mine, *others)])) / POINT
    return _together(
        points(where, last_error(a) - last_error(b), band=band, **more) for a, b in zip(mine, others, strict=True)
    )


@measure("error_above")
def error_above(mine: Tried[Run], others: Tried[Run]) -> list[Evidence]:
    """Measure the error of mine less the others', at each value that one of them is tried at."""
    by, told = mine.by or others.by, ""
    if mine.best and others.best:
        pair = [_best(each.made) for each in (mine, others)]
        told = " and ".join([f"{by} = {pair[0][0]:g}", f"{pair[1][0]:g}"])
    mine, others = _settled(mine), _settled(others)
    by, values = (mine.by, mine.made) if mine.by else (others.by, others.made)
    return [_apart({by: each} if by else {}, mine.at(each), others.at(each), told=told) for each in values]


def _settled(tried: Tried[Run]) -> Tried[Run]:
    """Return what is tried, with only the value of least error if that is meant."""
    return tried._replace(by="", made={AS_IS: _best(tried.made)[1]}) if tried.best else tried


@measure("larger_cap_loses")
def larger_cap_loses(last: Tried[Run], averaged: Tried[Run]) -> list[Evidence]:
    least, *larger = sorted(last.made)
    return [
        _apart({"cap": cap, "": each.name}, each.at(cap), each.at(least))
        for cap in larger
        for each in (last, averaged)
    ]


@measure("swing_over")
def swing_over(mine: list[Tried[Run]], others: Tried[Run]) -> Iterator[Evidence]:
    """Measure the error's swing around a line in the later half of the passes, at the best value, over others'."""
    for value, each in itertools.product(others.made, mine):
        where = ({others.by: value} if others.by else {}) | ({"": each.name} if len(mine) > 1 else {})
        pairs = zip(_best(each.made)[1], others.at(value), strict=True)
        swings = ([max(readings.swing(run), 1e-12) for run in pair] for pair in pairs)
        yield _together(Evidence(where, one / other) for one, other in swings)


@measure("rise_after_best")
def rise_after_best(tried: list[Tried[Run]]) -> list[Evidence]:
    """Measure the error after the last passes less that around the pass that is best in the other repetitions."""
    return [_rise({"": each.name}, each.at(AS_IS)) for each in tried]


def _rise(where: Where, runs: Repeated) -> Evidence:
    each_pass = [measured.ends(run)["test_error"].to_numpy() for run in runs]
    longest = max(map(len, each_pass))  # a run ends, and keeps its weights, when it makes no more mistakes
    errors = np.array([np.pad(each, (0, longest - len(each)), "edge") for each in each_pass])
    smooth = np.array([np.convolve(each, np.full(ENDS, 1 / ENDS), "valid") for each in errors])
    values = []
    for k in range(len(smooth)):
        others = np.delete(smooth, k, axis=0) if len(smooth) > 1 else smooth
        best = int(np.argmin(others.mean(axis=0)))
        told = f"best after pass {best + 1 + ENDS // 2}"
        values.append(points(where, smooth[k, -1] - smooth[k, best], told=told, band=0.1))
    return _together(values)


@measure("seconds_a_pass")
def seconds_a_pass(mine: Tried[Run], others: Tried[Run]) -> list[Evidence]:
    made = ([curves.seconds_per_pass(run.curve) for run in tried.at(AS_IS)] for tried in (mine, others))
    return [_together(Evidence({}, one / other) for one, other in zip(*made, strict=True))]


@measure("outputs", within=(1, np.inf))
def outputs(svm: Tried[Run], kind: str = "value", less: int = 0, of: int = 1) -> Iterator[Evidence]:
    for C, runs in svm.made.items():
        state = "certified runs" if any(run.summary["relative_gap"] > LEVEL for run in runs) else ""
        values = ((outputs_an_example(run) - less) / of for run in runs)
        yield _together(Evidence({"C": C}, each, kind, state=state) for each in values)


# an image has a constraint for each of nine other labels; the gold one is always in its working set
measure["share_of_constraints"] = partial(outputs, kind="share", less=1, of=9)


def outputs_an_example(run: Run) -> float:
    """Return the final outputs in the working sets of cutting planes, the mean over examples."""
    return run.summary["notes"]["outputs"] / run.summary["num_examples"]


@measure("cutting_over_mira")
def cutting_over_mira(svm: Tried[Run], mira: Tried[Run]) -> Iterator[Evidence]:
    """Measure seconds to within a point of the SVM's last error, over MIRA's at the cap that gets there most."""
    for C, runs in svm.made.items():
        goals = [last_error(run) + POINT for run in runs]
        seconds = {cap: [*map(readings.seconds_until, made, goals)] for cap, made in mira.made.items()}
        cap = min(seconds, key=lambda cap: (np.isinf(seconds[cap]).sum(), np.median(seconds[cap])))
        each = zip(runs, mira.at(cap), map(readings.seconds_until, runs, goals), seconds[cap], strict=True)
        yield _together(_times({"C": C, "cap": cap}, (a, b), took) for a, b, *took in each)


def _times(where: Where, pair: Repeated, seconds: Sequence[float]) -> Evidence:
    """Return how many times as many seconds the first run takes as the second."""
    return times(where, seconds, [last(run, "cpu_seconds") for run in pair])


@measure("optimiser_over_others")
def optimiser_over_others(mine: Tried[Run], others: list[Tried[Run]]) -> Iterator[Evidence]:
    """Measure passes to a certified gap of 1 % over those of each other optimiser, in the first repetition.

    Where neither gets there, the gaps after as many passes.
    """
    for C, other in itertools.product(mine.made, others):
        where, runs = {"C": C, "over": other.name}, (mine.at(C)[0], other.at(C)[0])
        pair, most = [curves.to_gap(run.curve, LEVEL) for run in runs], runs[0].spec.passes
        if np.isinf(pair).all():
            gaps = [last(run, "relative_gap") for run in runs]
            value = Evidence(where, gaps[0] / gaps[1], told=f"gaps {gaps[0]:.2g} and {gaps[1]:.2g}", source=EXACT)
        else:
            value = times(where, pair, (most, most), EXACT)
        yield together_of([value])


@measure("naive_over_smart")
def naive_over_smart(naive: Tried[Run], smart: Tried[Run]) -> list[Evidence]:
    """Measure seconds until a certified gap of 1 %."""

    def until(run: Run) -> float:
        return curves.to_gap(run.curve, LEVEL, "cpu_seconds")

    pairs = {C: zip(runs, smart.at(C), strict=True) for C, runs in naive.made.items()}
    return [_together(_times({"C": C}, pair, [*map(until, pair)]) for pair in each) for C, each in pairs.items()]


@measure("growth_of_kernels")
def growth_of_kernels(primal: Tried[Run], kernels: list[Tried[Run]]) -> list[Evidence]:
    """Measure the power of n with which seconds of all passes grow; the primal perceptron's is the control."""
    return [*measured.shown_only([_growth(primal)]), *map(_growth, kernels)]


def _growth(tried: Tried[Run]) -> Evidence:
    sizes = np.log([*tried.made])
    seconds = ([run.summary["cpu_seconds"] for run in runs] for runs in tried.made.values())
    powers = [float(np.polyfit(sizes, np.log(each), 1)[0]) for each in zip(*seconds, strict=True)]
    return _together(Evidence({"": tried.name}, power, "value") for power in powers)


@measure("kernels_over_primal")
def kernels_over_primal(primal: Tried[Run], kernels: list[Tried[Run]]) -> list[Evidence]:
    n = max(primal.made)
    base = float(np.median([run.summary["cpu_seconds"] for run in primal.at(n)]))
    return [
        _together(Evidence({"": each.name, "n": n}, run.summary["cpu_seconds"] / base) for run in each.at(n))
        for each in kernels
    ]


@measure("turns", within=(0, 180))
def turns(tried: Tried[Run], controls: list[Tried[Run]]) -> list[Evidence]:
    """Measure the angle between the weights after P and after P + 1 passes."""
    return [
        _together(
            Evidence({"": each.name}, readings.angle(one, other), "value", "degrees", counted=each is tried)
            for one, other in zip(*each.made.values(), strict=True)
        )
        for each in (tried, *controls)
    ]


@measure("share_of_margin", within=(-np.inf, 1))
def share_of_margin(mine: Tried[Run], best: Tried[Run]) -> list[Evidence]:
    pairs = zip(*([readings.margins(run).least for run in each.at(AS_IS)] for each in (mine, best)), strict=True)
    return [_together(Evidence({}, least / greatest, "share") for least, greatest in pairs)]


def _best(runs: Mapping[float, Repeated]) -> tuple[float, Repeated]:
    """Return the C or cap of least error, with its runs."""
    return min(runs.items(), key=lambda item: np.mean([last_error(run) for run in item[1]]))
