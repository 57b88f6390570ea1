"""Choose passes or C for laso2005 on held-out sentences, and read test F1 at that choice, with its bootstrap."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.intervals import SAMPLES, resampled
from structbench.bench.papers.laso2005.runs import Task, Way
from structbench.bench.papers.measured import ends, whole_passes
from structbench.bench.papers.terms import Run, Runs, Spec


class Choice(NamedTuple):
    """What held-out sentences chose for a way: after how many passes it is read, or C if it has an objective."""

    passes: float
    C: float | None


@dataclass(frozen=True)
class Trained:
    """The tested runs of a way in one of the tasks, at what was chosen for it."""

    task: Task
    runs: Runs
    way: Way
    kind: str

    @cached_property
    def choice(self) -> Choice | None:
        """Return that of greatest held-out F1; None if runs are missing."""
        task, way, found = self.task, self.way, []
        for C in way.Cs:
            choosing, tested = task.choosers(way, self.kind, C), task.specs(way, self.kind, C)
            held, full = self.runs.present(choosing), self.runs.present(tested)
            if len(held) < len(choosing) or len(full) < len(tested):
                continue
            if way.loss is None:
                by_pass = f1_by_pass(held, task.passes)
                found.append((by_pass.max(), Choice(int(by_pass.argmax()) + 1, C)))
            else:
                f1 = np.array([run.summary["test_f1"] for run in held], float)
                found.append((f1.mean(), Choice(np.inf, C)))
        return max(found, key=lambda each: each[0])[1] if found else None

    @property
    def chosen(self) -> Choice:
        """Return the choice of a way whose runs are all finished."""
        if self.choice is None:
            raise LookupError(f"runs of {self.way.name} are missing")
        return self.choice

    @cached_property
    def made(self) -> list[Run]:
        """Return a run for each seed."""
        return self.runs.present(self.task.specs(self.way, self.kind, self.chosen.C))

    def read(self, column: str) -> np.ndarray:
        """Return a column's value at what was chosen, for each seed."""
        return np.array([run.curve[column].iloc[_place(run, self.chosen.passes)] for run in self.made])

    def mean(self, column: str) -> float:
        """Return the mean of a column over seeds, at what was chosen."""
        return float(self.read(column).mean())

    def f1_samples(self) -> np.ndarray:
        """Return F1 on the test sentences, the mean over seeds, resampled; all NaN if a run is missing."""
        return f1_samples(self.made, self.choice.passes) if self.choice else f1_samples([], 0)

    @property
    def certified(self) -> bool:
        """Whether the run of a way with an objective reached its gap."""
        return self.made[0].summary["status"] == "converged"

    def at_end(self) -> str:
        """Return on which side of its grid another C might do better; empty if the chosen one is inside."""
        C, Cs = self.chosen.C, [each for each in self.way.Cs if each is not None]
        return f"C {'below' if min(Cs) == C else 'above'} {C:g}" if C in (min(Cs), max(Cs)) else ""

    def doubt(self) -> str:
        """Return what would mend a way with an objective: another C, or a certified run; empty if all is well."""
        if self.way.loss is None:
            return ""
        return self.at_end() or ("" if self.certified else "a certified SemiCRF")

    def seconds(self) -> np.ndarray:
        """Return CPU seconds of training without set-up, for each seed."""
        return self.read("cpu_seconds") - [run.curve["cpu_seconds"].iloc[0] for run in self.made]

    def seconds_a_pass(self) -> np.ndarray:
        """Return CPU seconds of a pass, the mean over the run, for each seed."""
        return np.array([curves.seconds_per_pass(run.curve) for run in self.made])

    def seconds_to_predict(self) -> np.ndarray:
        """Return seconds of predicting the test sentences, the median over checkpoints, for each seed."""
        return np.array([run.curve["test_seconds"].iloc[1:].median() for run in self.made])

    def passes_near_best(self, level: float) -> np.ndarray:
        """Return the first pass within a level of the greatest held-out F1, for each seed by itself."""
        held = self.runs.present(self.task.choosers(self.way, self.kind, None))
        by_pass = [f1_by_pass([run], self.task.passes) for run in held]
        return np.array([1 + np.flatnonzero(each >= each.max() - level)[0] for each in by_pass], float)


def f1_by_pass(runs: list[Run], passes: int) -> np.ndarray:
    """Return the mean F1 over runs after passes 1, 2, ..., shape (passes,); a run that ended keeps its last."""
    at = np.arange(1.0, passes + 1)
    return np.mean([ends(run)["test_f1"].reindex(at, method="ffill").to_numpy() for run in runs], axis=0)


def f1_samples(made: list[Run], at: float) -> np.ndarray:
    """Return the mean F1 of runs after a number of passes, ``resampled``; NaN without runs that count chunks."""
    counts = [run.chunks[_place(run, at)] for run in made if run.chunks is not None]
    if not made or len(counts) < len(made):
        return np.full(1 + SAMPLES, np.nan)
    return resampled(counts, made[0].key)


def _place(run: Run, at: float) -> int:
    """Return the row of a curve at the end of pass ``at``; a run that ended before keeps its last."""
    return int(np.flatnonzero(whole_passes(run) & (run.curve["passes"].to_numpy() <= at))[-1])


def f1_after(runs: Runs, specs: list[Spec], passes: float) -> float:
    """Return the mean F1 over seeds after a number of passes; NaN if there are no runs."""
    each = [run.curve["test_f1"].iloc[_place(run, passes)] for run in runs.present(specs)]
    return float(np.mean(each or [np.nan]))


def bound(margin: float, alpha: float) -> float:
    """Return Theorem 4's bound with its B and C: 2 / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4."""
    return 2 / margin**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4
