"""Seconds to a relative distance of 1e-3 from the optimum, on one thread: ours and their peers.

The distance of weights w is (P(w) - D) / P(w), D the best dual value that any method of the contest found: all are
judged alike, also those that give no dual point or a loose one. Between two checkpoints, seconds are taken as
linear in the logarithm of the distance, since those of a peer lie further apart.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.measure.row import Row
from bench.runs import catalogue, problems
from bench.runs.spec import Spec, installed, make

if TYPE_CHECKING:
    from datasets.problems.problem import Problem
from datasets.problems.problem import Problem

TARGET = 1e-3
REFERENCE_GAP = 1e-4  # of the contest's first method, whose dual value tells the others when to stop
LIMIT = 240.0  # seconds of a method's own; a peer's runs for smaller budgets come on top
PASSES = 1e6
LEAST = 1e-6  # distance that interpolation tells from 0
Curve = list[dict[str, float]]


class Contest(NamedTuple):
    """Methods on one problem, each with its parameters; ours are to need the peers' seconds / ``factor``."""

    data: str
    C: float
    loss: str
    ours: tuple[tuple[str, dict[str, Any]], ...]
    peers: tuple[tuple[str, dict[str, Any]], ...]
    factor: float

    @property
    def specs(self) -> list[Spec]:
        return [
            make(self.data, self.loss, self.C, name, params, passes=PASSES, gap=TARGET, seconds=LIMIT)
            for name, params in (*self.ours, *self.peers)
        ]


class Time(NamedTuple):
    """CPU and wall seconds to the target, infinite where it was not reached; to its own certified gap, too."""

    cpu: float
    wall: float
    certified: float


def contests() -> list[Contest]:
    """A contest for each problem that a peer is timed on, the method first whose dual value the others need."""
    found = []
    for peer, contest in catalogue.contests():
        ours = sorted(catalogue.contending(contest.loss), key=lambda method: method[0] != contest.reference)
        theirs = tuple((peer, settings) for settings in contest.settings)
        found.append(Contest(contest.data, contest.C, contest.loss, tuple(ours), theirs, contest.factor))
    return found


def rows(chosen: Sequence[Contest]) -> Iterator[Row]:
    """A row for each method of the contests, then one for our best against the best of each peer."""
    for contest in chosen:
        where = f"{contest.data}, {contest.loss}, C = {contest.C:g}"
        specs, left_out = installed(contest.specs)
        for sentence in left_out:
            print(f"  {sentence}", file=sys.stderr)
        times = measure(specs, problems.obtain(contest.data)[0])
        for spec, time in times.items():
            said = f"{_text(time.cpu)}, wall {_text(time.wall)}, own certificate {_text(time.certified)}"
            yield Row("seconds", f"{where}: {_name(spec)}", *(("", said) if _is_peer(spec) else (said,)))
        ours = min((spec for spec in times if not _is_peer(spec)), key=lambda spec: times[spec].cpu)
        for peer in dict.fromkeys(spec.algorithm for spec in times if _is_peer(spec)):
            theirs = min((s for s in times if s.algorithm == peer), key=lambda spec: times[spec].cpu)
            ratio = times[theirs].cpu / times[ours].cpu
            yield Row(
                "seconds",
                f"{where}: {_name(ours)} against {_name(theirs)}",
                f"{_text(times[ours].cpu)}, {ratio:.1f} x faster",
                _text(times[theirs].cpu),
                f"at least {contest.factor:g} x",
                ratio >= contest.factor,
            )


def measure(specs: list[Spec], problem: "Problem") -> dict[Spec, Time]:
    """Run all specs of a contest, the first one to ``REFERENCE_GAP``."""
    curves: dict[Spec, Curve] = {}
    best = -math.inf
    for spec in specs:
        curves[spec] = _curve(spec, problem, best)
        best = max(best, *(row["dual"] for row in curves[spec] if not math.isnan(row["dual"])))
        print(f"  {_name(spec)}: {curves[spec][-1]['wall_seconds']:.1f} s", file=sys.stderr, flush=True)
    return {
        spec: Time(
            _when(curve, "cpu_seconds", [1 - best / row["primal"] for row in curve]),
            _when(curve, "wall_seconds", [1 - best / row["primal"] for row in curve]),
            _when(curve, "cpu_seconds", [row["relative_gap"] for row in curve]),
        )
        for spec, curve in curves.items()
    }


class _Enough(Exception):
    """A method is where its seconds to the target are known."""


def _curve(spec: Spec, problem: "Problem", best: float) -> Curve:
    """The rows of a run, until its gap certifies the target, or twice the seconds after which it is there."""
    from bench.runs.driver import run

    curve: Curve = []
    there = math.inf

    def report(row: dict[str, float]) -> None:
        nonlocal there
        curve.append(row)
        if 1 - best / row["primal"] <= TARGET:
            there = min(there, row["wall_seconds"])
        if row["wall_seconds"] > 2 * there:
            raise _Enough

    if best == -math.inf:
        spec = replace(spec, gap=REFERENCE_GAP)
    with suppress(_Enough):
        run(spec, problem, report)
    return curve


def _when(curve: Curve, clock: str, distances: list[float]) -> float:
    """The seconds at which the distance falls to the target."""
    reached = next((k for k, distance in enumerate(distances) if distance <= TARGET), None)
    if reached is None:
        return math.inf
    after = curve[reached][clock]
    if reached == 0 or not distances[reached - 1] > TARGET:  # there may be none at w = 0
        return after
    before, further = math.log(distances[reached - 1] / TARGET), math.log(TARGET / max(distances[reached], LEAST))
    start = curve[reached - 1][clock]
    return start + before / (before + further) * (after - start)


def _is_peer(spec: Spec) -> bool:
    return catalogue.is_peer(spec.algorithm)


def _name(spec: Spec) -> str:
    return spec.key.split("__")[3]


def _text(seconds: float) -> str:
    return f"{seconds:.2f} s" if math.isfinite(seconds) else "not reached"
