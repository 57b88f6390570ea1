"""Seconds to a relative distance of 1e-3, or less, from the optimum, on one thread: ours and their peers.

The distance of weights w is (P(w) - D) / P(w), D the best dual value that any method of the contest found: all are
judged alike, also those that give no dual point or a loose one. Between two checkpoints, seconds are taken as
linear in the logarithm of the distance, since those of a peer lie further apart. Our fastest method and the
peer's are then repeated in turn, as often as there is time, and the row that judges has the medians.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from algorithms.runtime.errors import UserError
from bench.drawing.curves import crossing, decades_above
from bench.measure.row import Row
from bench.runs import algorithm_module, catalogue, problems
from bench.runs.spec import Spec, installed, make
from datasets.problems.problem import Problem

CLOSER = (
    10.0  # the first method goes on until it is that much closer: its dual value tells the others when to stop
)
SLOWEST = 4.0  # a method of ours that takes so many times the seconds of the fastest is left
PATIENCE = 1.1  # a peer is left after so many times the seconds that would let ours win
LEAST_SECONDS = 10.0  # but nobody is left before
LIMIT = 240.0  # seconds of the first method
PASSES = 1e6
REPEATS = 5
REPEAT_SECONDS = 120.0  # what the repetitions of one contest may take
Method = tuple[str, dict[str, Any]]
Curve = list[dict[str, float]]


class Contest(NamedTuple):
    """Methods on one problem, each with its parameters.

    ``factors``: by distance, how many times faster than the peers our fastest method is to be there.
    """

    data: str
    C: float
    loss: str
    ours: tuple[Method, ...]
    peers: tuple[Method, ...]
    factors: dict[float, float]

    def specs(self, methods: Sequence[Method]) -> list[Spec]:
        return [
            make(self.data, self.loss, self.C, name, params, passes=PASSES, gap=min(self.factors), seconds=LIMIT)
            for name, params in methods
        ]


class Time(NamedTuple):
    """CPU and wall seconds to a distance, infinite where it was not reached; to its own certified gap, too."""

    cpu: float
    wall: float
    certified: float


def contests() -> list[Contest]:
    """A contest for each problem that a peer is timed on, the method first whose dual value the others need."""
    found = []
    for peer, contest in catalogue.contests():
        ours = sorted(catalogue.contending(contest.loss), key=lambda method: method[0] != contest.reference)
        theirs = tuple((peer, settings) for settings in contest.settings)
        found.append(Contest(contest.data, contest.C, contest.loss, tuple(ours), theirs, contest.factors))
    return found


def named(which: str) -> list[Contest]:
    """The contest of that name, ``data,loss,C``, or those whose names begin like that.

    Raises:
        UserError: there are none.
    """
    names = {f"{contest.data},{contest.loss},{contest.C:g}": contest for contest in contests()}
    found = [names[which]] if which in names else [names[name] for name in names if name.startswith(which)]
    if not found:
        raise UserError(f"seconds: no contest {which!r}: there are {' '.join(names)}")
    return found


def rows(chosen: Sequence[Contest]) -> Iterator[Row]:
    """For each contest and distance a row for each method, then one for our best against the best of each peer."""
    for contest in chosen:
        race = _Race(contest, problems.obtain(contest.data)[0])
        theirs, left_out = installed(contest.specs(contest.peers))
        for sentence in left_out:
            print(f"  {sentence}", file=sys.stderr)
        race.run(contest.specs(contest.ours), theirs)
        for target, factor in contest.factors.items():
            where = f"{contest.data}, {contest.loss}, C = {contest.C:g}, to {target:g}"
            for spec, curves in race.curves.items():
                time = race.time(curves[0], target)
                said = f"{_text(time.cpu)}, wall {_text(time.wall)}, own certificate {_text(time.certified)}"
                yield Row("seconds", f"{where}: {_name(spec)}", *(("", said) if _is_peer(spec) else (said,)))
            if theirs:
                yield race.verdict(where, target, factor)


class _Race:
    """The curves of all methods of a contest, one or more of each, and the best dual value that any found."""

    def __init__(self, contest: Contest, problem: Problem) -> None:
        self.factors, self.problem = contest.factors, problem
        self.last = min(contest.factors)
        self.curves: dict[Spec, list[Curve]] = {}
        self.bound = -math.inf

    def run(self, ours: list[Spec], theirs: list[Spec]) -> None:
        for spec in ours:
            first = not self.curves
            fastest = min(
                (self.time(curves[0], self.last).cpu for curves in self.curves.values()), default=math.inf
            )
            limit = LIMIT if first else max(LEAST_SECONDS, SLOWEST * min(fastest, LIMIT))
            self.add(replace(spec, gap=self.last / CLOSER if first else self.last, seconds=limit), spec)
        for spec in theirs:
            needed = max(
                PATIENCE * factor * self.fastest(ours, target)[1] for target, factor in self.factors.items()
            )
            self.add(replace(spec, seconds=max(LEAST_SECONDS, needed)), spec)
        if not theirs:
            return
        pair = self.fastest(ours, self.last)[0], self.fastest(theirs, self.last)[0]
        once = sum(self.curves[spec][0][-1]["wall_seconds"] for spec in pair)
        for _ in range(min(REPEATS - 1, int(REPEAT_SECONDS / once))):
            for spec in pair:
                self.add(spec, spec)

    def add(self, spec: Spec, name: Spec) -> None:
        curve = self._curve(spec)
        self.curves.setdefault(name, []).append(curve)
        self.bound = max(self.bound, *(row["dual"] for row in curve if not math.isnan(row["dual"])))
        print(f"  {_name(name)}: {curve[-1]['wall_seconds']:.1f} s", file=sys.stderr, flush=True)

    def _curve(self, spec: Spec) -> Curve:
        """The rows of a run, until its gap certifies the distance, or it is there; ours go on twice as long."""
        from bench.runs.driver import run

        curve: Curve = []
        there = math.inf

        def report(row: dict[str, float]) -> None:
            nonlocal there
            curve.append(row)
            if 1 - self.bound / row["primal"] <= self.last:
                there = min(there, row["wall_seconds"])
            if row["wall_seconds"] >= (1 if _is_peer(spec) else 2) * there:
                raise _Enough

        with suppress(_Enough):
            run(spec, self.problem, report)
        return curve

    def time(self, curve: Curve, target: float) -> Time:
        far = [1 - self.bound / row["primal"] for row in curve]
        return Time(
            when(curve, "cpu_seconds", far, target),
            when(curve, "wall_seconds", far, target),
            when(curve, "cpu_seconds", [row["relative_gap"] for row in curve], target),
        )

    def fastest(self, specs: list[Spec], target: float) -> tuple[Spec, float]:
        """The method that is first there, or was given the longest, and its CPU seconds."""
        last = {spec: self.curves[spec][0][-1]["cpu_seconds"] for spec in specs}
        when = {spec: self.time(self.curves[spec][0], target).cpu for spec in specs}
        best = min(specs, key=lambda spec: (when[spec], -last[spec]))
        return best, min(when[best], last[best])

    def verdict(self, where: str, target: float, factor: float) -> Row:
        ours, theirs = (
            self.fastest([spec for spec in self.curves if _is_peer(spec) is peer], target)[0]
            for peer in (False, True)
        )
        mine, other = (
            sorted(self.time(curve, target).cpu for curve in self.curves[spec]) for spec in (ours, theirs)
        )
        reached = math.isfinite(other[-1])
        seconds = median(other) if reached else self.curves[theirs][0][-1]["cpu_seconds"]
        ratio = seconds / median(mine)
        return Row(
            "seconds",
            f"{where}: {_name(ours)} against {_name(theirs)}",
            f"{_spread(mine)}, {'' if reached else 'over '}{ratio:.1f} x faster",
            _spread(other) if reached else f"over {seconds:.0f} s",
            f"at least {factor:g} x",
            ratio >= factor,
        )


class _Enough(Exception):
    """A method is where its seconds to the distance are known."""


def when(curve: Curve, clock: str, distances: list[float], target: float) -> float:
    """What the clock, a column of the curve, shows as the distance falls to the target."""
    far = np.array(distances)
    there = np.flatnonzero(far <= target)
    clocks = np.array([row[clock] for row in curve])
    return crossing(clocks, decades_above(far, target), there[0] if len(there) else len(far))


def _is_peer(spec: Spec) -> bool:
    return algorithm_module.is_peer(spec.algorithm)


def _name(spec: Spec) -> str:
    return spec.key.split("__")[3]


def _text(seconds: float) -> str:
    return f"{seconds:.2f} s" if math.isfinite(seconds) else "not reached"


def _spread(seconds: list[float]) -> str:
    """The median of sorted seconds, and their range."""
    if len(seconds) == 1:
        return _text(seconds[0])
    return f"{_text(median(seconds))} ({seconds[0]:.2f} to {seconds[-1]:.2f}, {len(seconds)} runs)"
