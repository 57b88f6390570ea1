"""Table 2 of eg2008: EG on one C after another, each started where the last ended, with the paper's numbers.

The rules of its claims replace earlier ones, after runs of one seed had been seen. Intervals over seeds decide
(``bench.papers.readings``). Each claim is judged from both of EG's starts, which only the first C depends on much.
"Passes" include the one that computes w of the first u.

==============  ========================================================================================
path-total      passes for all values of C: not significantly more than theirs, at most 1.5 times as many
path-warm       the most passes of any C from 700 to 13.84: <= 5; not reproduced above 6
path-low        passes at C = 0.798: not significantly more than theirs, at most 1.5 times as many
warm-beats-cold EG from its start to a relative gap of 0.1%, at C = 100, 10 and 1, against the path at its next
                smaller C, 82.35, 9.689 and 0.798: cold takes significantly more passes
path-errors     the most that an error is from theirs, over the 24 values: at most 0.2 points (else not)
path-optimum    the C of least error is at most two steps of the path from theirs (else not); not known where it
                is further, but the error at theirs level with the least
==============  ========================================================================================

The text counts 25 values of C from 1000 to 0.274; the table has 24 rows, as 1000 x 0.7^k has down to there.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.tables import Rows, table
from structbench.bench.papers.eg2008.claims import judged_over_seeds, setting
from structbench.bench.papers.eg2008.read_off import Pick
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import LEVEL, POINT, STARTS
from structbench.bench.papers.judging import RATIOS, Claim
from structbench.bench.papers.readings import Reading, at_most, longer, said
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

LAST = 0.27369  # 1000 x 0.7^23, rounded up, so that the path has no further C
PASSES = 1000.0  # more than the path needs
# C, passes for it, passes so far, error: Table 2
THEIRS = (
    (1000.0, 11.0, 11, 0.1011), (700.0, 3.0, 14, 0.0968), (490.0, 4.01, 18.01, 0.0926),
    (343.0, 4.09, 22.1, 0.0895), (240.1, 4.24, 26.34, 0.0869), (168.07, 4.32, 30.67, 0.0846),
    (117.649, 4.3, 34.97, 0.0829), (82.3543, 4.29, 39.27, 0.0809), (57.648, 4.32, 43.6, 0.0803),
    (40.3536, 4.33, 47.93, 0.0775), (28.2475, 4.34, 52.28, 0.0768), (19.7733, 4.36, 56.64, 0.0758),
    (13.8413, 4.38, 61.03, 0.076), (9.6889, 5.47, 66.51, 0.0744), (6.78223, 5.49, 72, 0.0741),
    (4.74756, 5.51, 77.52, 0.0732), (3.32329, 6.6, 84.12, 0.0736), (2.32631, 7.69, 91.82, 0.0735),
    (1.62841, 8.78, 100.61, 0.0729), (1.13989, 12.0, 112.62, 0.074), (0.797923, 15.24, 127.86, 0.0747),
    (0.558546, 20.61, 148.47, 0.0749), (0.390982, 27.05, 175.53, 0.074), (0.273687, 35.63, 211.17, 0.0747),
)  # fmt: skip
BEST_C = 1.62841
COLD = {100.0: 82.3543, 10.0: 9.6889, 1.0: 0.797923}  # C of a cold start -> the next smaller C of the path
TOLERANCE = 1e-3
STEP = 0.7


def specs(task: Task) -> list[Spec]:
    """Return the path from the task's start, one spec a seed."""
    options = {"first": THEIRS[0][0], "ratio": STEP, "tolerance": TOLERANCE, "start": task.start}
    return task.specs("eg-path", LAST, "log", {"passes": PASSES, "gap": TOLERANCE}, **options)


def all_specs(task: Task) -> list[Spec]:
    """Return the paths from all of the task's starts."""
    return [spec for each in _from_each_start(task) for spec in specs(each)]


def _from_each_start(task: Task) -> list[Task]:
    """Return the task for each start: both with controls; else ours, with one seed, which decides nothing."""
    if task.controls:
        return [replace(task, start=start) for start in STARTS]
    return [replace(task, start=STARTS[0], seeds=task.seeds[:1])]


def path(run: Run) -> list[tuple[float, float, float, float]]:
    """Return (C, passes for it, passes so far, error) for each C that the run finished."""
    ends = run.curve[run.curve["passes"] > 0].groupby("C", sort=False).last()
    total = ends["passes"].to_numpy()
    return list(zip(map(float, ends.index), np.diff(total, prepend=0.0), total, ends["test_error"], strict=True))


def figure(task: Task) -> Figure:
    """Return Table 2."""
    count = len(_from_each_start(task)[0].seeds)
    seeds = f" Ours: means over {count} seeds." if count > 1 else ""
    return table(
        f"eg2008, Table 2: one C after another, {task.name}",
        "Effective iterations of randomized online EG for a sequence of values of C, each to a gap of 0.1% of the "
        "primal, started from the dual variables of the last; and the validation error. Theirs: the paper's 24 "
        f"rows (its text says 25 values). {task.setting}{seeds} Ours starts from u proportional to exp(-10 x "
        "Hamming loss).",
        partial(_rows, task),
    )


def _rows(task: Task, runs: Runs) -> Rows:
    paths = [path(run) for run in runs.present(specs(_from_each_start(task)[0]))]
    rows = []
    for k, (C, passes, so_far, error) in enumerate(THEIRS):
        found = np.array([steps[k] for steps in paths if k < len(steps)])
        own, total, ours = found.mean(axis=0)[1:] if len(found) else (np.nan,) * 3
        rows.append(
            {
                "C": f"{C:g}",
                "iterations, theirs": f"{passes:.2f}",
                "iterations, ours": _or_dash(own, ".2f"),
                "total, theirs": f"{so_far:.2f}",
                "total, ours": _or_dash(total, ".2f"),
                "error, theirs": f"{error:.4f}",
                "error, ours": _or_dash(ours, ".4f"),
            }
        )
    return rows


def _or_dash(value: float, form: str) -> str:
    return format(value, form) if np.isfinite(value) else "-"


def path_total(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    steps = path(pick())
    passes = steps[-1][2] if len(steps) == len(THEIRS) else np.inf
    yield _at_most_theirs(passes, THEIRS[-1][2])


def path_warm(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    passes = {C: made for C, made, _, _ in path(pick()) if 13 < C < 701}
    if not passes or min(passes) > 14:
        yield at_most("most passes", np.nan, 5, 6, told="the path did not get to C = 13.84")
        return
    C = max(passes, key=passes.get)
    yield at_most("most passes", passes[C], 5, 6, told=f"at C = {C:g}")


def path_low(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    theirs = THEIRS[20]
    yield _at_most_theirs(_passes_at(path(pick()), theirs[0]), theirs[1])


def warm_beats_cold(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    steps = path(pick())
    for C, warm in COLD.items():
        run = pick("eg", C)
        found = curves.to_gap(run.curve, TOLERANCE), _passes_at(steps, warm)
        yield longer(f"C={C:g} over {warm:g}", *found, "significantly", float(run.curve["passes"].iloc[-1]))


def path_errors(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    steps, most = path(pick()), LEVEL / POINT
    if len(steps) < len(THEIRS):
        yield at_most("most points apart", np.nan, most, most, told=f"it ended after {len(steps)} values of C")
        return
    apart = [abs(ours[3] - theirs[3]) / POINT for ours, theirs in zip(steps, THEIRS, strict=True)]
    told = f"at C = {steps[int(np.argmax(apart))][0]:g}; {np.mean(apart):.2f} in the mean"
    yield at_most("most points apart", max(apart), most, most, told=told)


def path_optimum(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    steps = path(pick())
    if len(steps) < len(THEIRS):
        yield at_most("steps off", np.nan, 2, 2, told=f"it ended after {len(steps)} values of C")
        return
    best = min(steps, key=lambda step: step[3])
    there = next(step for step in steps if np.isclose(step[0], BEST_C, rtol=1e-4))
    off = round(abs(np.log(best[0] / BEST_C) / np.log(STEP)))
    told = f"least error {best[3]:.4f} at C = {best[0]:.4g}; {there[3]:.4f} at C = {BEST_C:g}"
    yield at_most("steps off", off if off <= 2 or there[3] - best[3] > LEVEL else np.nan, 2, 2, told=told)


def _passes_at(steps: list[tuple[float, float, float, float]], C: float) -> float:
    return next((made for found, made, _, _ in steps if np.isclose(found, C, rtol=1e-4)), np.inf)


def _at_most_theirs(ours: float, theirs: float) -> Reading:
    most, told = RATIOS["significantly"], f"{said(ours)} passes"
    return at_most("passes over theirs", ours / theirs, most, RATIOS["slower"] * most, ratio=True, told=told)


def claims(task: Task) -> list[Claim]:
    """Return the claims of section 7.1.2."""
    starts = _from_each_start(task)
    paths = [spec for each in starts for spec in specs(each)]
    cold = [spec for each in starts for C in COLD for spec in each.specs("eg", C)]

    def find(each: Task) -> Callable[..., list[Spec]]:
        return lambda *chosen: each.specs(*chosen) if chosen else specs(each)

    def claim(name: str, where: str, sentence: str, theirs: str, rule: Callable, more: list[Spec]) -> Claim:
        about = (f"eg2008/{name}-{task.stem}", "eg2008", where, sentence, theirs)
        check = partial(judged_over_seeds, rule, starts, find)
        return Claim(*about, check, paths + more, [f"table2-{task.stem}"], setting(task))

    return [
        claim(
            "path-total",
            "Section 7.1.2",
            "A range of 25 values of C between 1000 and 0.274 can be optimized with 211.17 effective iterations.",
            "211.17 passes (24 values in Table 2)",
            path_total,
            [],
        ),
        claim(
            "path-warm",
            "Section 7.1.2",
            "Warm starts: for C from 13.84 to 700 at most 5 iterations are required.",
            "3 to 4.38 passes",
            path_warm,
            [],
        ),
        claim(
            "path-low",
            "Section 7.1.2",
            "Even for C = 0.798 only 15.24 iterations.",
            "15.24 passes",
            path_low,
            [],
        ),
        claim(
            "warm-beats-cold",
            "Section 7.1.2",
            "The benefits of using the previous dual values at each new value of C are clear.",
            "",
            warm_beats_cold,
            cold,
        ),
        claim(
            "path-errors",
            "Table 2",
            "The validation errors at the 24 values of C.",
            ".1011 at C = 1000, .0744 at 9.689, .0729 at 1.628, .0747 at 0.274",
            path_errors,
            [],
        ),
        claim(
            "path-optimum",
            "Table 2",
            "The optimal error is reached at C = 1.62841.",
            "0.0729 at C = 1.62841",
            path_optimum,
            [],
        ),
    ]
