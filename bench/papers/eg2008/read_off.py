"""Numbers that the rules of eg2008's section 7.1 read off runs, such as passes until a level."""

from collections.abc import Callable

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.judging import RATIOS
from structbench.bench.papers.readings import Reading, at_least, longer
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

SECONDS = "cpu_seconds"

Pick = Callable[..., Run]  # (algorithm, C, **params) -> the run of one seed


def last(run: Run, column: str) -> float:
    """Return the last value of a column."""
    return float(run.curve[column].iloc[-1])


def passes_of(run: Run) -> float:
    """Return the passes that a run made."""
    return last(run, "passes")


def after_updates(eg: Run, column: str) -> float:
    """Return a column after n updates of EG."""
    updates = eg.curve["updates"].to_numpy() / eg.summary["num_examples"]
    made = np.isfinite(updates) & (eg.curve["passes"] > 0).to_numpy()
    return float(np.interp(1.0, updates[made], eg.curve[column].to_numpy()[made])) if made.any() else np.nan


def passes_to(
    task: Task,
    runs: Runs,
    C: float,
    level: float,
    other: Run,
    mine: Run,
    adverb: str,
    column: str = "passes",
    who: str = "",
    exact: bool = False,
) -> Reading:
    """Compare two runs' passes, or seconds, until their primal stays within a level of the optimum."""
    best = task.optimum(runs, C)
    name = f"{who}C={C:g}, {level:.1%}"
    if not best.relative_gap <= level / 10:
        told = f"the optimum is known to {best.relative_gap:.1g}"
        return at_least(name, np.nan, RATIOS[adverb], RATIOS[adverb], told=told)
    found = [
        settled(run, curves.decades_above(run.curve["primal"] - best.primal, level * abs(best.primal)), column)
        for run in (other, mine)
    ]
    if np.isnan(found).any():
        return at_least(name, np.nan, RATIOS[adverb], RATIOS[adverb], told="the seconds do not compare")
    ended = last(other, column) - (float(other.curve[column].iloc[0]) if column != "passes" else 0.0)
    return longer(name, *found, adverb, ended, exact)


def settled(run: Run, excess: np.ndarray, column: str) -> float:
    """Return ``curves.settled``; seconds count from the first checkpoint, after the algorithm's set-up."""
    values = run.curve[column].to_numpy()
    if np.isnan(values).any():
        return np.nan
    return curves.settled(values - (values[0] if column != "passes" else 0.0), np.asarray(excess))
