"""Table 2 of eg2008: EG with warm starts along a path of C, beside the paper's numbers, and claims about it.

The text counts 25 values of C from 1000 to 0.274; the table has 24 rows, as 1000 x 0.7^k has down to there. What
claims measure leaves out the pass that computes w of the first u.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isclose

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.curves import Curve
from structbench.bench.papers.eg2008.runs import THEIRS, TOLERANCE, Task
from structbench.bench.papers.eg2008.seeds import FIRST_PASS, Seed
from structbench.bench.papers.measured import POINTS, last, points, times
from structbench.bench.papers.panels import cell
from structbench.bench.papers.terms import Evidence, Registry, Rows, Run, Runs

_same = partial(isclose, rel_tol=1e-3)
COLD = {100.0: 82.3543, 10.0: 9.6889, 1.0: 0.797923}  # C of a cold start -> the next smaller C of the path

measure = Registry()
Step = tuple[float, float, float, float]  # C, passes for it, passes so far, error


def ends(run: Run) -> Curve:
    """Return the last checkpoint of each C that the run finished; one that was cut did not finish its last."""
    found = run.curve.loc[run.curve["passes"] > 0].groupby("C", sort=False).last()
    return found if run.summary["status"] == "converged" else found.iloc[:-1]


def path(run: Run) -> list[Step]:
    """Return a step for each C that the run finished."""
    each = ends(run)
    total = each["passes"].to_numpy()
    return list(zip(map(float, each.index), np.diff(total, prepend=0.0), total, each["test_error"], strict=True))


def beside(theirs: Sequence[Step], ours: Mapping[str, list[list[Step]]], forms: Mapping[str, str]) -> Rows:
    """Return a row for each of the paper's steps, with means of ours over seeds; ``forms`` names their numbers."""
    for k, (C, *numbers) in enumerate(theirs):
        row = {"C": f"{C:g}"}
        for column, (name, form) in enumerate(forms.items()):
            row[f"{name}, theirs"] = format(numbers[column], form)
            for whose, paths in ours.items():
                found = [steps[k][1 + column] for steps in paths if k < len(steps)]
                row[f"{name}, {whose}"] = cell(found, form)
        yield row


def table2_mnist(task: Task, runs: Runs) -> Rows:
    ours = {"ours": [path(run) for run in runs.present(task.for_paths()[0].path())]}
    return beside(THEIRS["table2"], ours, {"iterations": ".2f", "total": ".2f", "error": ".4f"})


def _passes_at(seed: Seed, C: float) -> float:
    """Return the passes for a C, without the one that computes w of the first u; NaN without this C."""
    steps = path(seed.run("path"))
    found = [made - (FIRST_PASS if k == 0 else 0.0) for k, (each, made, *_) in enumerate(steps) if _same(each, C)]
    return found[0] if found else np.nan


@measure("path_total")
def path_total(seed: Seed, table: str, end: float = 0.0) -> Evidence:
    """Measure the passes for all values of C; of a path that ended early they are a bound, or ``end`` is."""
    run = seed.run("path")
    steps = path(run)
    ended, told = len(steps) == len(THEIRS[table]), "" if end else f"{len(steps)} values of C"
    passes = end if end and not ended else last(run, "passes") - FIRST_PASS
    return Evidence({}, passes, "count", bound="" if ended else "at least", told=told)


@measure("path_passes")
def path_passes(seed: Seed, between: tuple[float, float]) -> list[Evidence]:
    inside = [C for C, *_ in THEIRS["table2"] if between[0] < C < between[1]]
    return [Evidence({"C": C}, _passes_at(seed, C), "count") for C in inside]


@measure("cold_over_warm")
def cold_over_warm(seed: Seed, C: float) -> Evidence:
    """Measure EG's passes from its start to a gap of 0.1 %, over those of the path at the next smaller C."""
    run, warm = seed.run("eg", C), _passes_at(seed, COLD[C])
    cold = curves.to_gap(run.curve, TOLERANCE) - FIRST_PASS
    if np.isnan(warm):
        return Evidence({"C": C}, np.nan, state="more passes")
    return times({"C": C}, (cold, warm), (last(run, "passes"), warm))


@measure("path_errors")
def path_errors(seed: Seed) -> list[Evidence]:
    both = zip(path(seed.run("path")), THEIRS["table2"], strict=False)
    return [points({"C": C}, ours[3] - theirs) for ours, (C, *_, theirs) in both]


@measure("error_above_least", within=(0, 100))
def error_above_least(seed: Seed, best_C: float, unit: str = POINTS) -> Evidence:
    steps = path(seed.run("path"))
    if not (there := [error for C, *_, error in steps if _same(C, best_C)]):
        return points({}, np.nan, unit)
    best = min(steps, key=lambda step: step[3])
    told = f"least error {best[3]:.4f} at C = {best[0]:.4g}"
    return points({}, there[0] - best[3], unit, told=told)
