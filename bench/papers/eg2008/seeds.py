"""Look up the runs of one random seed of eg2008, with helpers that several of its measurements share."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import measured
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.measured import last
from structbench.bench.papers.terms import Evidence, Run, Runs, Where

Pair = tuple[Run, Run]
Rule = Callable[..., Evidence | Iterable[Evidence]]

ETA0 = {1000.0: 0.001, 100.0: 0.01, 10.0: 0.01, 1.0: 0.01}  # the rates of the paper's SGD, by C
FIRST_PASS = 1.0  # computes w of the first u, and updates nothing
NEAR, CLOSE = 0.01, 0.001  # relative distances from the optimum at which rules look; Table 2's tolerance


@dataclass(frozen=True)
class Seed:
    """The runs of a task with its k-th seed."""

    task: Task
    runs: Runs
    k: int
    optimum: Callable[[float], curves.Optimum]  # of the log loss at a C, the same for all seeds

    def run(self, kind: str, C: float = math.nan, **params: Any) -> Run:
        """Return the run of this seed, or of the last one."""
        specs = self.task.found(kind, C, **params)
        return self.runs.finished(specs[min(self.k, len(specs) - 1)])


def apart(run: Run, other: Run, where: Where, **more: Any) -> Evidence:
    """Return the last error of a run less another's."""
    return measured.points(where, last(run, "test_error") - last(other, "test_error"), **more)


def count(where: Where, passes: float, end: float) -> Evidence:
    """Return passes; if infinite, as a bound those that the runs made."""
    if np.isfinite(passes):
        return Evidence(where, max(passes, 0.1), "count")
    return Evidence(where, end, "count", bound="at least")


def rate_of(sgd: Run) -> float:
    """Return the rate that a run of SGD selected."""
    return float(sgd.summary["notes"]["eta0"])


def rates(*sgd: Run) -> str:
    return ", ".join(f"{rate_of(run):g}" for run in sgd)


def where_of(C: float, *found: Run) -> dict[str, float]:
    """Return the setting, with the rate that SGD selected."""
    selected = [rate_of(run) for run in found if run.spec.algorithm == "sgd"]
    return {"C": C, "rate": selected[0]} if selected else {"C": C}
