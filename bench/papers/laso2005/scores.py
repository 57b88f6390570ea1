"""Numbers read off laso2005's runs: what held-out sentences chose, and the test scores with it."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import bootstrap
from structbench.bench.papers.laso2005.runs import CHOOSERS, Task
from structbench.bench.papers.laso2005.setting import Way
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("test_precision", "test_recall", "test_f1", "test_error", "test_tag_error", "test_chunk_error")


class Score(NamedTuple):
    """Scores of a way at what was chosen for it, the mean over seeds.

    passes, C: What was chosen. train, test: CPU seconds of the passes, and wall seconds of predicting the test
    split. precision, recall, f1, error, tag_error, chunk_error: Shares, the last three of decisions.
    """

    passes: float
    C: float
    train: float
    test: float
    precision: float
    recall: float
    f1: float
    error: float
    tag_error: float
    chunk_error: float


def ends(run: Run) -> "pd.DataFrame":
    """Return the checkpoints at the ends of passes, indexed by passes; the last one always counts."""
    curve = run.curve
    whole = (curve["passes"] > 0) & (curve["passes"] == np.floor(curve["passes"]))
    whole.iloc[-1] = True
    return curve[whole].drop_duplicates("passes", keep="last").set_index("passes")


def f1_by_pass(runs: list[Run], passes: int) -> np.ndarray:
    """Return the mean F1 over runs after passes 1, 2, ..., shape (passes,); a run that ended keeps its last."""
    return np.mean([_after(run, passes)["test_f1"].to_numpy() for run in runs], axis=0)


def f1_samples(task: Task, runs: Runs, way: Way, kind: str) -> np.ndarray:
    """Return F1 on the test sentences at what was chosen, the mean over seeds, resampled (``bootstrap``).

    All NaN if a run is missing, or older than the counts that are resampled.
    """
    found = score(task, runs, way, kind)
    if found is None:
        return np.full(1 + bootstrap.SAMPLES, np.nan)
    made = runs.present(task.specs(way, kind, found.C if way.loss else None))
    at = np.inf if way.loss else found.passes
    return _resampled(made, [_place(run, at) for run in made])


def samples_after(runs: Runs, specs: list[Spec], passes: float) -> np.ndarray:
    """Return the same of these runs after a number of passes."""
    made = runs.present(specs)
    return _resampled(made, [_place(run, passes) for run in made])


def _resampled(made: list[Run], places: list[int]) -> np.ndarray:
    if not made or any(run.chunks is None for run in made):
        return np.full(1 + bootstrap.SAMPLES, np.nan)
    counts = [run.chunks[place] for run, place in zip(made, places, strict=True)]
    return bootstrap.f1_samples(counts, made[0].key)


def f1_by_seed(task: Task, runs: Runs, way: Way, kind: str) -> np.ndarray:
    """Return F1 on the test sentences at what was chosen, for each seed."""
    found = score(task, runs, way, kind)
    made = runs.present(task.specs(way, kind, found.C if way.loss else None))
    at = np.inf if way.loss else found.passes
    return np.array([run.curve["test_f1"].iloc[_place(run, at)] for run in made])


def doubt(task: Task, runs: Runs, way: Way, kind: str) -> str:
    """Return what would mend a way with an objective: another C, or a certified run; empty if nothing is wrong."""
    if way.loss is None:
        return ""
    C = score(task, runs, way, kind).C
    if C in (min(way.Cs), max(way.Cs)):
        return f"C {'below' if min(way.Cs) == C else 'above'} {C:g}"
    (run,) = runs.present(task.specs(way, kind, C))
    return "" if run.summary["status"] == "converged" else "a certified SemiCRF"


def seconds(task: Task, runs: Runs, way: Way, kind: str) -> np.ndarray:
    """Return CPU seconds of training at what was chosen, for each of the first ``CHOOSERS`` runs."""
    found = score(task, runs, way, kind)
    made = runs.present(task.specs(way, kind, found.C if way.loss else None))[:CHOOSERS]
    at = np.inf if way.loss else found.passes
    return np.array([run.curve["cpu_seconds"].iloc[_place(run, at)] for run in made])


def seconds_a_pass(task: Task, runs: Runs, way: Way, kind: str) -> np.ndarray:
    """Return CPU seconds of a pass, the mean over the run, for each of the first ``CHOOSERS`` runs."""
    made = runs.present(task.specs(way, kind))[:CHOOSERS]
    return np.array([curves.seconds_per_pass(run.curve) for run in made])


def seconds_to_predict(task: Task, runs: Runs, way: Way, kind: str) -> np.ndarray:
    """Return seconds of predicting the test sentences, the median over checkpoints, for each of the same runs."""
    found = score(task, runs, way, kind)
    made = runs.present(task.specs(way, kind, found.C if way.loss else None))[:CHOOSERS]
    return np.array([run.curve["test_seconds"].iloc[1:].median() for run in made])


def passes_near_best(task: Task, runs: Runs, way: Way, kind: str, level: float) -> np.ndarray:
    """Return the first pass within a level of the greatest held-out F1, for each seed by itself."""
    by_pass = [f1_by_pass([run], task.passes) for run in runs.present(task.choosers(way, kind, None))]
    return np.array([1 + np.flatnonzero(each >= each.max() - level)[0] for each in by_pass], float)


def _place(run: Run, at: float) -> int:
    """Return the row of a curve at the end of pass ``at``; a run that ended before keeps its last."""
    passes = run.curve["passes"].to_numpy()
    whole = (passes > 0) & (passes == np.floor(passes))
    whole[-1] = True
    return int(np.flatnonzero(whole & (passes <= at))[-1])


def _after(run: Run, passes: int) -> "pd.DataFrame":
    return ends(run).reindex(np.arange(1.0, passes + 1), method="ffill")


def score(task: Task, runs: Runs, way: Way, kind: str) -> Score | None:
    """Return the score at the passes, or the C, of greatest held-out F1; None if runs are missing."""
    choices = []
    for C in way.Cs:
        chooser = way.tuned_by or way
        held, full = runs.present(task.choosers(way, kind, C)), runs.present(task.specs(way, kind, C))
        if len(held) < len(task.seeds_of(chooser, True)) or len(full) < len(task.seeds_of(way)):
            continue
        if way.loss is None:
            by_pass = f1_by_pass(held, task.passes)
            at = int(np.argmax(by_pass)) + 1
            choices.append((by_pass[at - 1], at, C, [_after(run, task.passes).loc[at] for run in full]))
        else:
            held_f1 = np.mean([run.summary["test_f1"] for run in held])
            last = [ends(run).iloc[-1] for run in full]
            choices.append((held_f1, np.mean([row.name for row in last]), C, last))
    if not choices:
        return None
    _, at, C, rows = max(choices, key=lambda choice: choice[0])
    mean = {
        name: float(np.mean([row[name] for row in rows])) for name in (*COLUMNS, "cpu_seconds", "test_seconds")
    }
    shares = (mean[name] for name in COLUMNS)
    return Score(at, 1.0 if C is None else C, mean["cpu_seconds"], mean["test_seconds"], *shares)


def f1_after(runs: Runs, specs: list[Spec], passes: float) -> float:
    """Return the mean F1 over seeds after a number of passes; NaN if there are no runs."""
    each = [run.curve["test_f1"].iloc[_place(run, passes)] for run in runs.present(specs)]
    return float(np.mean(each or [np.nan]))


def needed(task: Task, ways: list[Way], kind: str) -> list[Spec]:
    """Return the specs that ``score`` of these ways reads."""
    return [spec for way in ways for spec in task.all_of(way, kind)]


def bound_of(run: Run) -> float | None:
    """Return Theorem 4's bound for the margin that the run noted; None if it noted none above 0."""
    margin = run.summary["notes"].get("margin") or 0.0
    return bound(margin, run.spec["params"]["alpha"]) if margin > 0 else None


def bound(margin: float, alpha: float) -> float:
    """Return Theorem 4's bound with its B and C: 2 / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4."""
    return 2 / margin**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4
