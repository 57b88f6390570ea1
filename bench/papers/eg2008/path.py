"""Table 2 of eg2008: EG on one C after another, each started where the last ended, with the paper's numbers.

The text counts 25 values of C from 1000 to 0.274; the table has 24 rows, as 1000 x 0.7^k has down to there. What
claims measure leaves out the pass that computes w of the first u.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.tables import Rows
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.papers.eg2008.rules import FIRST_PASS, POINT, POINTS, Pick
from structbench.bench.papers.eg2008.runs import PATH_PASSES, TOLERANCE, Task
from structbench.bench.papers.measured import Value, times
from structbench.bench.papers.panels import cell
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

THEIRS = tuples(tables(Path(__file__).with_name("theirs.toml"))["table2"])
BEST_C = 1.62841
COLD = {100.0: 82.3543, 10.0: 9.6889, 1.0: 0.797923}  # C of a cold start -> the next smaller C of the path

Step = tuple[float, float, float, float]  # C, passes for it, passes so far, error


def path(run: Run) -> list[Step]:
    """Return a step for each C that the run finished."""
    ends = run.curve[run.curve["passes"] > 0].groupby("C", sort=False).last()
    total = ends["passes"].to_numpy()
    return list(zip(map(float, ends.index), np.diff(total, prepend=0.0), total, ends["test_error"], strict=True))


def beside(theirs: Sequence[Step], ours: Mapping[str, list[list[Step]]], forms: Mapping[str, str]) -> Rows:
    """Return a row for each of the paper's steps, with means of ours over seeds; ``forms`` names their numbers."""
    rows = []
    for k, (C, *numbers) in enumerate(theirs):
        row = {"C": f"{C:g}"}
        for column, (name, form) in enumerate(forms.items()):
            row[f"{name}, theirs"] = format(numbers[column], form)
            for whose, paths in ours.items():
                found = [steps[k][1 + column] for steps in paths if k < len(steps)]
                row[f"{name}, {whose}"] = cell(np.mean(found or [np.nan]), form)
        rows.append(row)
    return rows


def table2(task: Task, runs: Runs) -> Rows:
    """Return Table 2, ours from our start."""
    ours = {"ours": [path(run) for run in runs.present(task.for_paths()[0].path())]}
    return beside(THEIRS, ours, {"iterations": ".2f", "total": ".2f", "error": ".4f"})


def _steps(pick: Pick) -> list[Step]:
    """Return ``path`` without the pass that computes w of the first u."""
    (C, made, total, error), *later = path(pick("path"))
    first = (C, made - FIRST_PASS, total - FIRST_PASS, error)
    return [first, *((C, made, total - FIRST_PASS, error) for C, made, total, error in later)]


def path_total(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the passes for all values of C."""
    steps = _steps(pick)
    ended = len(steps) == len(THEIRS)
    yield Value({}, steps[-1][2] if ended else PATH_PASSES, "count", bound="" if ended else "at least")


def path_passes(task: Task, runs: Runs, pick: Pick, between: tuple[float, float]) -> Iterator[Value]:
    """Measure the passes for each C of Table 2 in a range."""
    steps = _steps(pick)
    for C in (C for C, *_ in THEIRS if between[0] < C < between[1]):
        found = [passes for each, passes, _, _ in steps if np.isclose(each, C, rtol=1e-4)]
        yield Value({"C": C}, *(found or [np.nan]), "count")


def cold_over_warm(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure EG's passes from its start to a gap of 0.1 %, over those of the path at the next smaller C."""
    steps = _steps(pick)
    for C, warm in COLD.items():
        run = pick("eg", C)
        made = next((passes for each, passes, _, _ in steps if np.isclose(each, warm, rtol=1e-4)), np.inf)
        limits = float(run.curve["passes"].iloc[-1]), PATH_PASSES
        yield times({"C": C}, curves.to_gap(run.curve, TOLERANCE) - FIRST_PASS, made, limits)


def path_errors(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the error at each C less the paper's."""
    for ours, theirs in zip(path(pick("path")), THEIRS, strict=False):
        yield Value({"C": theirs[0]}, (ours[3] - theirs[3]) / POINT, "difference", POINTS)


def above_least(steps: list[Step], C: float, rtol: float) -> float:
    """Return the error at this C less the least of all, in points; NaN without this C."""
    there = [step[3] for step in steps if np.isclose(step[0], C, rtol=rtol)]
    return (there[0] - min(step[3] for step in steps)) / POINT if there else np.nan


def error_above_least(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the error at the C that is best in the paper less the least of ours."""
    steps = path(pick("path"))
    best = min(steps, key=lambda step: step[3])
    told = f"least error {best[3]:.4f} at C = {best[0]:.4g}"
    yield Value({}, above_least(steps, BEST_C, 1e-4), "difference", POINTS, told=told)
