"""Numbers read off cross-validations: errors, the constant chosen, average weights, selected features."""

from typing import NamedTuple

import numpy as np

from structbench.bench.papers.l1m3n2009.runs import OCR, SYNTHETIC, Cross, Task, Way
from structbench.bench.papers.measured import POINT, SECONDS, ticks
from structbench.bench.papers.terms import Run, Runs, Spec
from structbench.bench.runs.store import weights_of
from structbench.datasets import synthetic

STATES = synthetic.INPUTS * 2  # weights of the state features, before those of the transitions
RELEVANT = synthetic.RELEVANT * 2  # the first of these, an input and a label each
BANDS = {SYNTHETIC: 0.2, OCR: 0.5}  # points of error that count as level
FLAT = 0.1  # of a band: if the error falls by less at the end of a grid, a longer one would change nothing
TINY = 1e-4  # smaller weights are truncated in Table 1's text


class Score(NamedTuple):
    """Test error of a way; errors on the other parts of the data choose the constant of each part."""

    C: float  # the constant that is chosen most often; of two, the more regularised
    mean: float
    spread: float  # the root of the variance over the folds, averaged over the data sets
    chosen: list[Spec]  # the specs of all folds, data set by data set, each with its own constant
    parts: np.ndarray  # the mean error of each data set, or of each fold of a single one


class Selected(NamedTuple):
    """The number of state features with non-zero weights, and how many of these are irrelevant inputs'."""

    total: int
    irrelevant: int


def errors(runs: Runs, specs: list[Spec]) -> np.ndarray:
    """Return the last test error of each spec's run; NaN if it is missing or diverged."""
    ends = [run and run.summary for run in map(runs.__getitem__, specs)]
    return np.array([end["test_error"] if end and end["status"] != "diverged" else None for end in ends], float)


def score(
    task: Task, runs: Runs, way: Way, crosses: list[Cross], Cs: tuple[float, ...] | None = None
) -> Score | None:
    """Return a way's score on these cross-validations of one size; None if no constant has all of its runs.

    A constant is chosen for each part of the data. The parts are the data sets, or the folds of a single one. Of
    constants with the same error, the greatest is chosen, the most regularised.
    """
    table, specs = [], []
    for C in sorted(task.grid_of(way, crosses[0].kind) if Cs is None else Cs, reverse=True):
        made = [task.specs(way, cross, C) for cross in crosses]
        made = [[spec] for spec in made[0]] if len(made) == 1 else made
        found = [errors(runs, part) for part in made]
        if np.isfinite(np.concatenate(found)).all():
            table.append(found)
            specs.append(made)
    if not table:
        return None
    means = np.array([[part.mean() for part in found] for found in table])
    others = means if means.shape[1] == 1 else means.sum(axis=1, keepdims=True) - means
    best = np.round(others, 12).argmin(axis=0)  # so that equals are equal
    each = [table[rank][part] for part, rank in enumerate(best)]
    chosen = [spec for part, rank in enumerate(best) for spec in specs[rank][part]]
    sets = [np.concatenate(each)] if len(crosses) == 1 else each
    spread = float(np.sqrt(np.mean([one.var(ddof=1) if len(one) > 1 else 0.0 for one in sets])))
    parts = np.array([part.mean() for part in each])
    return Score(specs[int(np.bincount(best).argmax())][0][0].C, float(parts.mean()), spread, chosen, parts)


def of_finished(
    task: Task, runs: Runs, way: Way, crosses: list[Cross], Cs: tuple[float, ...] | None = None
) -> Score:
    """Return the same of runs that are all finished."""
    if (found := score(task, runs, way, crosses, Cs)) is None:
        raise LookupError(f"no constant of {way.name} has all of its runs")
    return found


def at_end(task: Task, runs: Runs, way: Way, crosses: list[Cross]) -> str:
    """Return what would mend a choice at the end of the grid; empty if it is inside, or errors are level there."""
    grid = task.grid_of(way, crosses[0].kind)
    C = of_finished(task, runs, way, crosses).C
    if len(grid) < 2 or C not in (grid[0], grid[-1]):
        return ""
    pair = (C, grid[1] if grid[0] == C else grid[-2])
    end, beside = (
        np.mean([errors(runs, task.specs(way, cross, each)).mean() for cross in crosses]) for each in pair
    )
    if beside - end <= FLAT * BANDS[crosses[0].kind] * POINT:
        return ""
    return f"C of the {way.model} {'above' if grid[0] == C else 'below'} {C:g}"


def average_weights(found: list[Run]) -> np.ndarray:
    """Return the mean of the weights over the folds."""
    return np.mean([weights_of(run) for run in found], axis=0)


def selected(w: np.ndarray, least: float = 0.0) -> Selected:
    """Count the features selected on synthetic data: weights whose magnitude is above ``least``."""
    kept = np.abs(w[:STATES]) > least
    return Selected(int(kept.sum()), int(kept[RELEVANT:].sum()))


def cpu_seconds(found: list[Run]) -> np.ndarray:
    """Return CPU seconds of each run's algorithm, without its set-up."""
    return np.array([ticks(run, SECONDS)[-1] for run in found])


def excess(runs: Runs, run: Run, programs: list[Spec]) -> float:
    """Return how far the run's sum of losses is above the least for its ||w||_1, relative to the sum.

    ``programs`` are runs with the penalty l1 on the same data. The dual value D of one at C bounds every method.
    If ||v||_1 <= R, the sum of losses at v is at least D - C R / 2. Below about 1e-7 it is rounding of the stored
    weights.
    """
    w, C = weights_of(run), run.spec.C
    norm = float(np.abs(w).sum())
    penalty = {"l1": C * norm / 2, "l1-ball": 0.0, "l1-squared": C * norm**2 / 2}
    loss = run.summary["primal"] - penalty[run.spec.penalty]
    duals = [(one.summary["dual"], one.spec.C) for one in runs.present(programs)]
    least = max((dual - C * norm / 2 for dual, C in duals if dual is not None), default=-np.inf)
    return (loss - least) / loss if loss > 0 else 0.0
