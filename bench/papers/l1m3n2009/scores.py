"""Numbers read off runs of cross-validations: errors, the constant chosen, average weights, selected features."""

from typing import NamedTuple

import numpy as np

from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import Way
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run, weights_of
from structbench.datasets import synthetic

STATES = synthetic.INPUTS * 2  # weights of the state features, before those of the transitions
RELEVANT = synthetic.RELEVANT * 2  # of those: an input and a label each, the relevant ones first
TINY = 1e-4  # below it a weight is truncated in Table 1's text


class Score(NamedTuple):
    """Test error of a way, its constant chosen for each part of the data by the errors on the other parts.

    Attributes:
        C: the constant that is chosen most often; of two, the more regularised.
        spread: the root of the variance over the folds, averaged over the data sets.
        chosen: the specs of all folds, data set by data set, each with its own constant.
        each: their errors.
        parts: the mean error of each data set, or of each fold of a single one.
    """

    C: float
    mean: float
    spread: float
    chosen: list[Spec]
    each: np.ndarray
    parts: np.ndarray


class Selected(NamedTuple):
    """State features with weights other than zero, and those among them of irrelevant inputs."""

    total: int
    irrelevant: int


def errors(runs: Runs, specs: list[Spec]) -> np.ndarray:
    """Last test error of each spec's run; NaN where it is missing or diverged."""
    found = [runs[spec] for spec in specs]
    return np.array([np.nan if run is None or run.summary["test_error"] is None else _error(run) for run in found])


def _error(run: Run) -> float:
    return np.nan if run.summary["status"] == "diverged" else float(run.summary["test_error"])


def score(
    task: Task, runs: Runs, way: Way, crosses: list[Cross], Cs: tuple[float, ...] | None = None
) -> Score | None:
    """A way's error on these cross-validations of one size; None if no constant has all of its runs.

    The parts of the data for each of which a constant is chosen are the data sets, or, of a single one, its folds.
    Of constants with the same error it is the greatest, the most regularised.
    """
    table, specs = [], []
    for C in sorted(task.grid_of(way, crosses[0].kind) if Cs is None else Cs, reverse=True):
        made = [task.specs(way, cross, C) for cross in crosses]
        found = [errors(runs, one) for one in made]
        if np.isfinite(np.concatenate(found)).all():
            table.append(found)
            specs.append(made)
    if not table:
        return None
    folds = len(crosses) == 1
    means = np.array([found[0] if folds else [one.mean() for one in found] for found in table])
    best = _without_each(means).argmin(axis=0)
    if folds:
        each = [np.array([table[rank][0][fold] for fold, rank in enumerate(best)])]
        chosen = [specs[rank][0][fold] for fold, rank in enumerate(best)]
    else:
        each = [table[rank][part] for part, rank in enumerate(best)]
        chosen = [spec for part, rank in enumerate(best) for spec in specs[rank][part]]
    mean = float(np.mean([one.mean() for one in each]))
    spread = float(np.sqrt(np.mean([one.var(ddof=1) if len(one) > 1 else 0.0 for one in each])))
    most = int(np.bincount(best).argmax())
    parts = each[0] if folds else np.array([one.mean() for one in each])
    return Score(specs[most][0][0].C, mean, spread, chosen, np.concatenate(each), parts)


def _without_each(means: np.ndarray) -> np.ndarray:
    """Column by column the sum of the other columns, of one column itself; rounded, so that equals are equal."""
    others = means if means.shape[1] == 1 else means.sum(axis=1, keepdims=True) - means
    return np.round(others, 12)


def average_weights(found: list[Run]) -> np.ndarray:
    """The mean over the folds."""
    return np.mean([weights_of(run) for run in found], axis=0)


def selected(w: np.ndarray, least: float = 0.0) -> Selected:
    """What is selected of synthetic data: weights whose magnitude is above ``least``."""
    kept = np.abs(w[:STATES]) > least
    return Selected(int(kept.sum()), int(kept[RELEVANT:].sum()))


def precision_and_recall(w: np.ndarray) -> tuple[float, float]:
    """Of the selected state features the share that is relevant, NaN for none; and the share of these selected."""
    total, irrelevant = selected(w)
    return (total - irrelevant) / total if total else np.nan, (total - irrelevant) / RELEVANT


def cpu_seconds(found: list[Run]) -> np.ndarray:
    """CPU seconds of each run's algorithm."""
    return np.array([run.summary["cpu_seconds"] for run in found])


def excess(runs: Runs, run: Run, programs: list[Spec]) -> float:
    """How far the sum of losses at the run's w is above the least that its ||w||_1 allows, relative to the sum.

    ``programs``: runs with the penalty l1 on the same data. The dual value D of one at C bounds every other
    method: with ||v||_1 <= R, the sum of losses at v is at least D - C R / 2. Below some 1e-7 it is
    rounding of the weights that are kept.
    """
    w, C = weights_of(run), run.spec["C"]
    norm = float(np.abs(w).sum())
    penalty = {"l1": C * norm / 2, "l1-ball": 0.0, "l1-squared": C * norm**2 / 2}
    loss = run.summary["primal"] - penalty[run.spec["penalty"]]
    duals = [(one.summary["dual"], one.spec["C"]) for one in runs.present(programs)]
    least = max((dual - C * norm / 2 for dual, C in duals if dual is not None), default=-np.inf)
    return (loss - least) / loss if loss > 0 else 0.0
