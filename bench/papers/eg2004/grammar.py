"""Runs on weighted context-free grammars, for which eg2004 derives EG without experiments (Example 2)."""

from dataclasses import dataclass
from typing import Any

from structbench import datasets
from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec, make

DATA, STRUCTURE = "treebank", "forest"
LINES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "hinge": (("eg", {}), ("eg", {"order": "gap"}), ("smo", {}), ("frank-wolfe", {}), ("cutting-plane", {})),
    "log": (("eg", {}), ("lbfgs", {}), ("sdca", {})),
}
MODELS = ("perceptron", "mira", "pcfg")  # used if available; they minimise no objective
CRF, M3N = "log", "hinge"


@dataclass(frozen=True)
class Grammars:
    """Trees to learn from and the runs on them, at each C of ``Cs``.

    batch_passes: Passes of batch EG, the paper's variant; 0 leaves it out.
    lines: How many of ``LINES`` to run for the hinge and for the log loss.
    """

    data: str
    name: str
    Cs: tuple[float, ...]
    passes: float
    batch_passes: float
    seeds: tuple[int, ...] = (0,)
    lines: tuple[int, int] = (5, 3)
    models: tuple[str, ...] = MODELS

    def trained(self, loss: str, C: float) -> list[Spec]:
        """Return the runs of all methods that are compared for a loss, with all seeds."""
        count = self.lines[0] if loss == M3N else self.lines[1]
        return [
            make(self.data, loss, C, algorithm, params, passes=self.passes, seed=seed)
            for algorithm, params in LINES[loss][:count]
            for seed in (self.seeds if catalogue.draws(algorithm, params) else self.seeds[:1])
        ]

    def batch(self, C: float) -> list[Spec]:
        """Return batch EG (Figure 2): one step for all examples together, with adaptive step sizes."""
        if not self.batch_passes:
            return []
        return [make(self.data, "hinge", C, "eg", {"mode": "batch"}, passes=self.batch_passes)]

    def unpenalised(self) -> list[Spec]:
        """Return the runs of the available ``MODELS``, such as the perceptron and the PCFG."""
        return [
            make(self.data, None, None, name, passes=self.passes, seed=seed)
            for name in self.models
            if name in catalogue.algorithms()
            and NO_LOSS in catalogue.losses(name)
            and catalogue.runs_on(name, STRUCTURE)
            for seed in (self.seeds if catalogue.draws(name, {}) else self.seeds[:1])
        ]

    def problem(self, C: float) -> list[Spec]:
        """Return all runs for the hinge at one C; they give its optimum."""
        return [*self.trained("hinge", C), *self.batch(C)]

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        return {
            "eg2004/treebank-hinge": [spec for C in self.Cs for spec in self.problem(C)],
            "eg2004/treebank-models": [*(s for C in self.Cs for s in self.trained("log", C)), *self.unpenalised()],
        }

    def timed(self) -> list[Spec]:
        """Return the runs whose seconds the figure or the table shows."""
        return [s for C in self.Cs for loss in LINES for s in self.trained(loss, C)] + self.unpenalised()


def grammars(scale: str, without: frozenset[str] = frozenset()) -> Grammars | None:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``); None if its corpus cannot be had."""
    if scale == "tiny":
        toy = datasets.canonical("toy-english:sentences=40,test_sentences=20,task=brackets")
        return Grammars(toy, "generated trees", (10.0,), 4.0, 0.0, lines=(1, 1), models=("pcfg",))
    if DATA in without:
        return None
    name = "the sample of the Penn Treebank, sentences of up to 15 tokens"
    if scale == "quick":
        return Grammars(DATA, name, (10.0,), 40.0, 100.0, lines=(4, 2))
    return Grammars(DATA, name, (100.0, 10.0, 1.0), 200.0, 200.0, (0, 1, 2))
