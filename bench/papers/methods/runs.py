"""The runs of all methods: every algorithm that minimises a loss with the l2 penalty, on every data set."""

from dataclasses import dataclass
from typing import Any

from structbench import datasets
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec, make

LOSSES = ("log", "hinge")


@dataclass(frozen=True)
class Task:
    """A data set, its C, and the limits of each run."""

    stem: str
    name: str
    data: str
    structure: str
    Cs: tuple[float, ...]
    passes: float
    seconds: float

    def specs(self, loss: str, C: float) -> list[Spec]:
        """Return all methods that the structure admits, one seed, as no claim reads these runs."""
        limits = {"passes": self.passes, "seconds": self.seconds}
        return [
            make(self.data, loss, C, algorithm, params, penalty="l2", **limits)
            for algorithm, params in methods(loss)
            if catalogue.runs_on(algorithm, self.structure)
        ]

    def all(self, loss: str) -> list[Spec]:
        return [spec for C in self.Cs for spec in self.specs(loss, C)]


def methods(loss: str) -> list[tuple[str, dict[str, Any]]]:
    """Return algorithm and parameters of all methods that minimise a loss, in the settings of their modules."""
    names = [n for n in catalogue.algorithms() if catalogue.minimises(n, loss) and "l2" in catalogue.penalties(n)]
    return [(name, settings) for name in names for settings in catalogue.compared(name, loss)]


def tasks(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """Return the tasks of a scale (``tiny``, ``quick`` or ``paper``) whose corpora can be had."""
    if scale == "tiny":
        data = ("mnist:train=300,test=100",)
        limits = ((10.0,), 4.0, 5.0)
    elif scale == "quick":
        data = ("mnist:train=2000", "ocr:words=300", "conll2000:sentences=150,test_sentences=200")
        limits = ((10.0,), 300.0, 0.5)
    else:
        data = ("mnist", "ocr", "conll2000")
        limits = ((10.0, 1.0), 200.0, 10.0)
    names = (("mnist", "MNIST", "multiclass"), ("ocr", "OCR letters", "chain"), ("chunking", "chunking", "chain"))
    return [
        Task(stem, name, one, kind, *limits)
        for (stem, name, kind), one in zip(names, data, strict=False)
        if datasets.parse(one).name not in without
    ]
