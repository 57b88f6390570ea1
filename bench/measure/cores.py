"""Online learning on all cores: seconds to the same certified gap, and how passes grow with blocks."""

import os
from collections.abc import Iterator
from statistics import median
from typing import Any

from algorithms.runtime import parallel
from algorithms.runtime.errors import UserError
from bench.measure.row import Row
from bench.measure.seconds import when
from bench.runs import problems
from bench.runs.spec import make

GAP = 1e-3  # of primal and own dual, relative to the primal
FASTER = 1.5  # on two threads, in wall seconds
REPEATS = 3  # in turn
PROBLEMS = (("bottou", 1.0), ("conll2000", 2.0), ("mnist", 10.0))
SERIAL, OURS = "eg", "cocoa"
COUNTED = (("mnist:train=4000,test=100", 10.0), ("bottou:sentences=1000,test_sentences=10", 1.0))
BLOCKS = (1, 2, 4, 8, 16, 32, 64)
GAPS = (1e-3, 1e-4)
MOST_PASSES = 200.0


def rows() -> Iterator[Row]:
    """Online EG on one thread against blocks of it on all, to a certified gap; and passes by blocks.

    Raises:
        UserError: the machine has one processor.
    """
    cores = os.cpu_count() or 1
    if cores < 2:
        raise UserError("measure: the part cores needs 2 processors, and this machine has one")
    for data, C in PROBLEMS:
        yield from _against_serial(data, C, sorted({2, cores}))
    for data, C in COUNTED:
        for blocks in BLOCKS:
            yield _passes(data, C, blocks)
    parallel.set_threads(1)


def _against_serial(data: str, C: float, chosen: list[int]) -> Iterator[Row]:
    methods: list[tuple[str, dict[str, Any], int]] = [(SERIAL, {"order": "gap"}, 1)]
    methods += [(OURS, {"blocks": threads}, threads) for threads in chosen]
    found: list[list[tuple[float, float, float]]] = [[] for _ in methods]
    for _ in range(REPEATS):
        for times, method in zip(found, methods, strict=True):
            times.append(_reached(data, C, *method, GAP))
    wall, cpu, passes = (median(each) for each in zip(*found[0], strict=True))
    theirs = f"{wall:.2f} s, CPU {cpu:.2f} s, {passes:.1f} passes"
    for times, (_, _, threads) in zip(found[1:], methods[1:], strict=True):
        ours = [median(each) for each in zip(*times, strict=True)]
        ratios = sorted(one[0] / other[0] for one, other in zip(found[0], times, strict=True))
        said = f"{ours[0]:.2f} s, CPU {ours[1]:.2f} s, {ours[2]:.1f} passes: {median(ratios):.2f} x faster "
        said += f"({ratios[0]:.2f} to {ratios[-1]:.2f}, {REPEATS} pairs)"
        what = f"{data}, C = {C:g}, wall seconds to a gap of {GAP:g}, {threads} threads against one"
        target, met = (f"at least {FASTER:g} x", median(ratios) >= FASTER) if threads == 2 else ("", None)
        yield Row("cores", what, said, theirs, target, met)


def _passes(data: str, C: float, blocks: int) -> Row:
    """Effective passes, which do not depend on the machine or its threads."""
    curve = _curve(data, C, OURS, {"blocks": blocks}, min(blocks, os.cpu_count() or 1), min(GAPS))
    found = {gap: _when(curve, "passes", gap) for gap in GAPS}
    said = ", ".join(f"{passes:.1f} to {gap:g}" for gap, passes in found.items())
    return Row("cores", f"{data}, C = {C:g}, effective passes with {blocks} blocks", said)


def _reached(
    data: str, C: float, algorithm: str, params: dict[str, Any], threads: int, gap: float
) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and passes."""
    curve = _curve(data, C, algorithm, params, threads, gap)
    return tuple(_when(curve, clock, gap) for clock in ("wall_seconds", "cpu_seconds", "passes"))


def _when(curve: list[dict[str, float]], clock: str, gap: float) -> float:
    return when(curve, clock, [row["relative_gap"] for row in curve], gap)


def _curve(
    data: str, C: float, algorithm: str, params: dict[str, Any], threads: int, gap: float
) -> list[dict[str, float]]:
    from bench.runs.driver import run

    spec = make(data, "log", C, algorithm, params, gap=gap, passes=MOST_PASSES, threads=threads)
    return run(spec, problems.obtain(data)[0]).rows
