"""The runs of all methods: every algorithm that minimises a loss with the l2 penalty, on every data set."""

from dataclasses import dataclass
from pathlib import Path

from structbench.algorithms.runtime.options import Given
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec, make
from structbench.datasets import DataRef, data_ref

SCALES = tables(Path(__file__).with_name("scales.toml"))
LOSSES = ("log", "hinge")


@dataclass(frozen=True)
class Task:
    """A data set, its C, and the limits of each run."""

    stem: str
    name: str
    data: DataRef
    Cs: tuple[float, ...]
    passes: float
    seconds: float

    def specs(self, loss: str, C: float) -> list[Spec]:
        """Return all methods that the structure admits, one seed, as no claim reads these runs."""
        limits = {"passes": self.passes, "seconds": self.seconds}
        structure = self.data.structure
        return [
            make(self.data, loss, C, algorithm, params, penalty="l2", **limits)
            for algorithm, params in methods(loss)
            if not catalogue.lacking(algorithm, {}, structure)
        ]

    def all(self, loss: str) -> list[Spec]:
        """Return the runs of all Cs."""
        return [spec for C in self.Cs for spec in self.specs(loss, C)]


def methods(loss: str) -> list[tuple[str, Given]]:
    """Return algorithm and parameters of all methods that minimise a loss, in the settings of their modules."""
    names = [n for n in catalogue.algorithms() if catalogue.minimises(n, loss) and "l2" in catalogue.penalties(n)]
    return [(name, settings) for name in names for settings in catalogue.compared(name, loss)]


def tasks(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """Return the tasks of a scale (``tiny``, ``quick`` or ``paper``) whose corpora can be had."""
    said = tuples(SCALES[scale])
    return [
        Task(stem, SCALES["names"][stem], data, **said["limits"])
        for stem, text in said["data"].items()
        if (data := data_ref(text)).name not in without
    ]
