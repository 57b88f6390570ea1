"""The runs of sag2015 in ``runs.yaml``: methods of Schmidt et al. 2015 and Le Priol et al. 2018, lambda = 1/n."""

from dataclasses import dataclass

import numpy as np

from structbench.algorithms.runtime.options import Given
from structbench.bench.drawing import curves
from structbench.bench.papers.grid_runs import grids, where
from structbench.bench.papers.measured import last
from structbench.bench.papers.terms import Run, Runs, Spec

NAMES = {"ocr": "OCR letters", "conll2000": "chunks, CoNLL-2000", "conll2002": "Dutch names, CoNLL-2002"}
TAGS = "peoples-daily"  # substitute data, in place of the parts of speech of the Wall Street Journal
SECOND = ", second"  # behind a method: with its second-best step size
TUNED = ("sgd", "asgd", "adagrad")  # of several step sizes those with the least objective, or the second, count
METHODS: dict[str, tuple[str, Given]] = {  # by the papers' names
    "SAG-NUS*": ("sag", {"sampling": "lipschitz", "constant": 1.0}),
    "SAG-NUS*, small L": ("sag", {"constant": 1e-4}),
    "SAG-NUS": ("sag", {"sampling": "halving"}),
    "SAG": ("sag", {"sampling": "random"}),
    "L-BFGS": ("lbfgs", {}),
    "Pegasos": ("sgd", {"decay": True}),
    "SG": ("sgd", {"decay": False}),
    "ASG": ("asgd", {}),
    "AdaGrad": ("adagrad", {}),
    "Hybrid": ("growing-batch", {}),
    "OEG": ("eg", {}),
    "SDCA": ("sdca", {"sampling": "random"}),
    "SDCA, gap": ("sdca", {"sampling": "gap"}),
    "SDCA, gap+": ("sdca", {"sampling": "gap-importance"}),
    "SDCA, importance": ("sdca", {"sampling": "importance"}),
    "SDCA, max": ("sdca", {"sampling": "largest-gap"}),
}


@dataclass(frozen=True)
class Task:
    """All runs on a data set, and its name, as readers know it."""

    data: str
    name: str
    made: list[Spec]

    def found(self, method: str, runs: Runs) -> list[Run]:
        """Return the finished runs of a method: of several step sizes, those with the least last objective.

        With ``SECOND`` behind its name, those with the second least.
        """
        name = method.removesuffix(SECOND)
        algorithm, params = METHODS[name]
        by_rate: dict[tuple, list[Run]] = {}
        for run in runs.present(where(self.made, params, algorithm=algorithm)):
            by_rate.setdefault(run.spec.params, []).append(run)
        return [*sorted(by_rate.values(), key=_mean_end), [], []][name != method]

    def optimum(self, runs: Runs) -> curves.Optimum:
        """Return the best value of all runs."""
        return curves.optimum(runs.present(self.made))


def _mean_end(found: list[Run]) -> float:
    """Return the mean last objective of runs; infinity if one diverged."""
    return float(np.nan_to_num(np.mean([last(run, "primal") for run in found]), nan=np.inf))


def tasks(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Task]]:
    """Return the data sets of a scale that can be had: the papers' under "", substitute data under "-tags"."""
    made = [spec for specs in grids(__file__, scale).values() for spec in specs]
    found: dict[str, list[Task]] = {}
    for data in dict.fromkeys(spec.data.name for spec in made if spec.data.name not in without):
        task = Task(data, NAMES.get(data, "Chinese parts of speech"), [s for s in made if s.data.name == data])
        found.setdefault("-tags" if data == TAGS else "", []).append(task)
    return found
