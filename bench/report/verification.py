"""Choose published runs at random, and say how those that were made again here differ from what was published."""

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import curves
from structbench.bench.report import published
from structbench.bench.runs import problem_store
from structbench.bench.runs.spec import Spec, parse
from structbench.bench.runs.store import Run

DIGITS = 1e-7  # relative: eight digits are published
GAP_DIGITS = 1e-3  # the same of a relative gap: four
ERROR = (
    1e-3  # a tenth of a point: how far a test error may be off on a CPU of another type, if both runs converged
)
LOOSE, LOOSE_ERROR = 5e-2, 1e-2  # the same of an objective, relative, and of a test error, if one did not
EXACT = "bit for bit"
ONE_OPTIMUM = "both converged, intervals of the optimum"
NEAR = f"not converged, within {100 * LOOSE:g} %"


class Sample(NamedTuple):
    """Published runs to make again, with their rows of the table, and how many there were to choose from."""

    rows: list[tuple[Spec, dict[str, str]]]
    of: int
    older: int  # those of older code
    timed: int  # those chosen with a limit in seconds: they are made to the passes that were published, without it


class Verdict(NamedTuple):
    """How a run was compared with the published one, and what differs, as sentences."""

    how: str
    differs: list[str]


def sample_published(folder: Path, count: int, seed: int, with_older: bool) -> Sample:
    """Choose runs of a published paper at random: of today's code, or ``with_older`` of any that can be made.

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
    rows = random.Random(seed).sample(there, min(count, len(there)))
    timed = sum(spec.key != row["run"] for spec, row in rows)
    return Sample(rows, len(there), len(older), timed)


def compare_published(row: Mapping[str, str], run: Run) -> Verdict:
    """How a published run and this one differ, in all that the row holds and that is of no machine.

    On a CPU of the same type all digits that are published are equal. Else, the intervals from dual to primal
    value of runs that converged overlap, and their test errors are within ``ERROR``. Runs that did not converge
    may have taken other paths: ``LOOSE`` and ``LOOSE_ERROR`` are for them. The name of a CPU says too little to
    ask for more: virtual machines give one name to several types. A run that was made without its limit of seconds
    has another end, and the dual value at a checkpoint may be of sums: it is near.
    """
    was_timed = run.key != row["run"]
    here = _row(run, float(row["passes"])) if was_timed else published.published_row(run)
    wrong = _of_problem(row, here, run)
    if not was_timed and row.get(published.SOURCE) and row[published.SOURCE] != here[published.SOURCE]:
        wrong.append(f"dual value of {here[published.SOURCE] or 'nothing'}, published {row[published.SOURCE]}")
    errors, size = {"test_error": "test error", "test_f1": "test F1"}, abs(float(row["primal"] or 0))
    names = {"primal": "objective", "dual": "dual value"} | errors
    of_end = {} if was_timed else {"status": "status", "relative_gap": "relative gap"}
    near = {"dual": DIGITS * size} if was_timed else {}
    if not _differences(names | {"passes": "passes"} | of_end, row, here, near):
        return Verdict(EXACT, wrong)
    if row["status"] == here["status"] == "converged":
        low, high, our_low, our_high = (float(each[end]) for each in (row, here) for end in ("dual", "primal"))
        apart = max(low, our_low) - min(high, our_high) > DIGITS * abs(high)
        said = f"optimum between {our_low:.8g} and {our_high:.8g}, published {low:.8g} and {high:.8g}"
        of_error = _differences(errors, row, here, dict.fromkeys(errors, ERROR))
        return Verdict(ONE_OPTIMUM, [said] * apart + of_error + wrong)
    below = max(size, abs(float(here["dual"] or 0)))  # far from the optimum a dual value may lie far below
    most = {"primal": LOOSE * size, "dual": LOOSE * below} | dict.fromkeys(errors, LOOSE_ERROR)
    return Verdict(NEAR, _differences(names, row, here, most) + wrong)


def _of_problem(row: Mapping[str, str], here: Mapping[str, str], run: Run) -> list[str]:
    """Sentences on what is equal on all machines: the data, and what the row's own numbers say of each other."""
    wrong = _differences({"num_weights": "number of weights"}, row, here, {})
    if (data := row["data_sha256"]) != (ours := here["data_sha256"]):
        known = problem_store.known_hashes(run.spec.data, run.spec.test, run.summary["provenance"]["data_sha256"])
        if data not in {each[: published.DIGITS] for each in known}:
            wrong.append(f"data {ours}, published {data}")
    values = [float(row[name] or "nan") for name in ("primal", "dual", "relative_gap")]
    primal, dual, gap = values
    rounding = abs(primal) * (DIGITS + GAP_DIGITS * abs(gap))
    if all(map(math.isfinite, values)) and abs(primal - dual - gap * abs(primal)) > rounding:
        wrong.append(f"published relative gap {gap:.4g}, which is not that of {primal:.8g} and {dual:.8g}")
    if row["status"] == "converged" and not gap <= run.spec.gap * (1 + GAP_DIGITS):
        wrong.append(f"published as converged with a relative gap of {gap:.4g}")
    return wrong


def _row(run: Run, passes: float) -> dict[str, str]:
    """What the table would say of a run that ended after these passes, or at its checkpoint nearest to them."""
    curve = curves.own(run)
    last = curve.iloc[int((curve["passes"] - passes).abs().argmin())]
    names = ("primal", "dual", "passes", "test_error", "test_f1")
    there = {name: f"{last[name]:.8g}" for name in names if name in last}
    return published.published_row(run) | {name: text for name, text in there.items() if text != "nan"}


def _differences(
    names: Mapping[str, str], row: Mapping[str, str], here: Mapping[str, str], most: Mapping[str, float]
) -> list[str]:
    """A sentence on each of these numbers that differs by more than the most that is allowed."""
    found = []
    for name, said in names.items():
        theirs, ours = row[name], here[name]
        is_near = theirs and ours and name in most and abs(float(theirs) - float(ours)) <= most[name]
        if theirs != ours and not is_near:
            found.append(f"{said} {ours or 'none'}, published {theirs or 'none'}")
    return found
