"""Draw published runs, and say how those that were made again here differ from what was published."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import curves
from structbench.bench.report import published
from structbench.bench.runs.spec import Spec, parse
from structbench.bench.runs.store import Run

DIGITS = 1e-7  # relative: eight digits are published
ERROR = (
    1e-3  # a tenth of a point: how far a test error may be off on a CPU of another type, if both runs converged
)
LOOSE, LOOSE_ERROR = 1e-2, 1e-2  # the same of an objective, relative, and of a test error, if one did not
EXACT = "bit for bit"
ONE_OPTIMUM = "both converged, intervals of the optimum"
NEAR = f"not converged, within {100 * LOOSE:g} %"


class Drawn(NamedTuple):
    """Published runs to make again, with their rows of the table, and how many there were to draw from."""

    rows: list[tuple[Spec, dict[str, str]]]
    of: int
    older: int  # those of older code
    timed: int  # those drawn with a limit in seconds: they are made to the passes that were published, without it


class Verdict(NamedTuple):
    """How a run was compared with the published one, and what differs, as sentences."""

    how: str
    differs: list[str]


def draw_published(folder: Path, sample: int, seed: int, with_older: bool) -> Drawn:
    """Draw runs of a published paper: of today's code, or ``with_older`` of any that can be made.

    Raises:
        UserError: The paper's table of runs is not there, or broken.
    """
    older = {*published.of_older_code(folder)}
    there: list[tuple[Spec, dict[str, str]]] = []
    for row in published.published_rows(folder):
        if row["run"] in older and not with_older:
            continue
        try:
            spec = parse(row["run"])
        except UserError:  # of an algorithm or data set that is gone
            continue
        if spec.seconds is None:
            there.append((spec, row))
        elif (passes := float(row["passes"] or 0)) > 0:
            there.append((replace(spec, seconds=None, passes=passes), row))
    rows = random.Random(seed).sample(there, min(sample, len(there)))
    timed = sum(spec.key != row["run"] for spec, row in rows)
    return Drawn(rows, len(there), len(older), timed)


def compare_published(row: Mapping[str, str], run: Run) -> Verdict:
    """How a published run and this one differ.

    On a CPU of the same type all digits that are published are equal. On another one, the intervals from dual to
    primal value of runs that converged overlap, and their test errors are within ``ERROR``. Runs that did not
    converge may have taken other paths: ``LOOSE`` and ``LOOSE_ERROR`` are for them.
    """
    here = _row(run, float(row["passes"])) if run.key != row["run"] else published.published_row(run)
    if row.get("cpu") == here["cpu"]:
        names = {"primal": "objective", "test_error": "test error", "passes": "passes"}
        return Verdict(EXACT, _differences(names, row, here, {}))
    if row["status"] == here["status"] == "converged":
        (low, high), (our_low, our_high) = (_interval(each) for each in (row, here))
        apart = max(low, our_low) - min(high, our_high) > DIGITS * abs(high)
        said = f"optimum between {our_low:.8g} and {our_high:.8g}, published {low:.8g} and {high:.8g}"
        of_error = _differences({"test_error": "test error"}, row, here, {"test_error": ERROR})
        return Verdict(ONE_OPTIMUM, [said] * apart + of_error)
    most = {"primal": LOOSE * abs(float(row["primal"] or 0)), "test_error": LOOSE_ERROR}
    return Verdict(NEAR, _differences({"primal": "objective", "test_error": "test error"}, row, here, most))


def _row(run: Run, passes: float) -> dict[str, str]:
    """What the table would say of a run that ended after so many passes."""
    curve = curves.own(run)
    last = curve[curve["passes"] <= passes * (1 + DIGITS)].iloc[-1]
    there = {name: f"{last[name]:.8g}" for name in ("primal", "dual", "passes", "test_error")}
    return published.published_row(run) | {name: text for name, text in there.items() if text != "nan"}


def _interval(row: Mapping[str, str]) -> tuple[float, float]:
    return float(row["dual"]), float(row["primal"])


def _differences(
    names: Mapping[str, str], row: Mapping[str, str], here: Mapping[str, str], most: Mapping[str, float]
) -> list[str]:
    """A sentence on each of these numbers that differs by more than the most that is allowed."""
    found = []
    for name, said in names.items():
        theirs, ours = row[name], here[name]
        is_near = theirs and ours and abs(float(theirs) - float(ours)) <= most.get(name, 0.0)
        if theirs != ours and not is_near:
            found.append(f"{said} {ours or 'none'}, published {theirs or 'none'}")
    return found
