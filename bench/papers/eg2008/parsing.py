"""The runs of eg2008's dependency parsing (sections 7.2 and 8): Figures 12, 13 and 15, Table 3, and ours.

They use the paper's own sentences (``datasets.conll2007``). EG chooses its first step size on a tenth of the
examples, as in section 7 except 7.1; the path of Table 3 begins with what that gives.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.papers.claim_rows import filled, tables, tuples
from structbench.bench.papers.eg2008.runs import FIRST, SCALES, STARTS, STEP, THEIRS, TOLERANCE, Task
from structbench.bench.runs.spec import Spec, make
from structbench.datasets import data_ref

BEST_C, BEST_HINGE_C = 10.0, 100.0  # for validation accuracy, in the paper
ETA0S = (1.0, 0.1, 0.01, 0.001, 0.0001)  # section 7.2 lists all but 0.01, section 7.1.3 that one, too
DATA = "conll2007"
EG, SGD, LBFGS, SVM, PERCEPTRON = "eg", "sgd", "lbfgs", "cutting-plane", "perceptron"
DUAL = "sequential-dual"  # ours, which certifies the hinge where the seconds of Figure 13 do not suffice
DUAL_PASSES = 2_000.0
NO_LIMIT = 100_000.0  # passes; such runs end by their seconds
PATH_PASSES = 2_000.0
PATH_ETA = 1.0  # what calibration gives at C = 1000, from both starts
# Relative gaps that end runs: a hundredth of the rules' 1%; for the hinge a tenth, as for an optimum
TREE_GAP, HINGE_GAP = 1e-4, 1e-3
METHODS = ("log", "hinge", NO_LOSS)
TABLE3 = THEIRS["table3"]


@dataclass(frozen=True)
class Parsing(Task):
    """The task of dependency parsing."""

    calibrate: bool = True
    gap: float = TREE_GAP
    whole: bool = True  # whether it is all of the paper's data, so that numbers compare
    Cs: tuple[float, ...] = (1000.0, 100.0, 10.0, 1.0, 0.1)  # the C for the log loss (Figure 12)
    # the C for the hinge (Figure 13), for which each run has ``seconds``
    hinge_Cs: tuple[float, ...] = (10000.0, 1000.0, 100.0, 10.0, 1.0)
    certified_at: tuple[float, ...] = ()  # the C at which ``DUAL`` runs, too
    more_sgd: tuple[int, ...] = ()  # further seeds of SGD at C = 10 and 1, where it may fail
    rates_at: tuple[float, ...] = (10.0,)  # the C at which SGD runs with each of ``ETA0S``
    last: float = 0.797923  # the least C of Table 3's path, rounded up, so that the sequence ends with it

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C for the log loss; they give its optimum."""
        rates = [spec for eta0 in ETA0S if C in self.rates_at for spec in self.specs(SGD, C, eta0=eta0)]
        return self.from_starts(C) + self.specs(LBFGS, C) + self.specs(SGD, C) + rates

    def all_specs(self) -> list[Spec]:
        """Return the runs of all Cs."""
        return [spec for C in self.Cs for spec in self.problem(C)]

    def failing(self) -> list[Spec]:
        """Return SGD's runs with the further seeds, which no figure shows."""
        more = replace(self, seeds=self.more_sgd)
        return [spec for C in self.rates_at for spec in more.specs(SGD, C)]

    def hinge(self, algorithm: str, C: float, **params: float) -> list[Spec]:
        """Return one algorithm's runs for the hinge; all end at the same gap or seconds."""
        limits = {"seconds": self.seconds, "passes": NO_LIMIT, "gap": HINGE_GAP}
        return self.specs(algorithm, C, "hinge", limits, **params)

    def hinge_problem(self, C: float) -> list[Spec]:
        """Return EG from both starts, and SVM-struct."""
        found = [spec for start in STARTS for spec in self.hinge(EG, C, start=start)] + self.hinge(SVM, C)
        return found + self.certifying(C)

    def certifying(self, C: float) -> list[Spec]:
        """Return a run of ``DUAL``, of one seed, that ends at its gap however long it takes; none at other C."""
        limits = {"passes": DUAL_PASSES, "gap": HINGE_GAP}
        made = replace(self, seeds=self.seeds[:1]).specs(DUAL, C, "hinge", limits)
        return made if C in self.certified_at else []

    def path(self) -> list[Spec]:
        """Return the path of Table 3 from this task's start; one spec a seed if a claim reads it."""
        task = self if self.whole else replace(self, seeds=self.seeds[:1])
        options = {"first": FIRST, "ratio": STEP, "tolerance": TOLERANCE, "start": self.start, "eta": PATH_ETA}
        return task.specs("eg-path", self.last, "log", {"passes": PATH_PASSES, "gap": TOLERANCE}, **options)

    def rich_path(self) -> list[Spec]:
        """Return the path with about as many features as the paper's, a control of Table 3; one seed."""
        rich = replace(self, data=self.data.having(features="rich"), seeds=self.seeds[:1])
        return rich.path() if self.whole else []

    @property
    def path_starts(self) -> tuple[float, ...]:
        """Return the starts of Table 3's paths: on a part of the data ours alone, as no number compares."""
        return STARTS if self.whole else STARTS[:1]

    def rows(self) -> list[tuple[float, float, float, float]]:
        """Return the rows of Table 3 that the path has."""
        return [row for row in TABLE3 if row[0] > 0.99 * self.last]

    def method(self, loss: str, crossing: bool = False) -> list[Spec]:
        """Return EG for the log loss or the hinge, each at the paper's best C; with no loss, the perceptron.

        ``crossing``: Over all trees, by the matrix-tree theorem, not only projective ones. One seed, as no claim
        reads it.
        """
        if crossing:
            data = self.data.having(structure="nonprojective")
            return replace(self, data=data, seeds=self.seeds[:1]).method(loss)
        if loss == NO_LOSS:
            return [make(self.data, None, None, PERCEPTRON, passes=self.passes, seed=seed) for seed in self.seeds]
        return self.specs(EG, BEST_C) if loss == "log" else self.hinge(EG, BEST_HINGE_C)

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        crossing = [spec for loss in METHODS for spec in self.method(loss, crossing=True)]
        paths = [spec for start in self.path_starts for spec in replace(self, start=start).path()]
        return {
            "eg2008/parsing-log": self.all_specs() + self.failing(),
            "eg2008/parsing-hinge": self.needs("hinge"),
            "eg2008/parsing-path": paths + self.rich_path(),
            "eg2008/parsing-methods": self.method(NO_LOSS) + crossing,
        }

    def timed(self) -> list[Spec]:
        """Return the runs whose seconds Figures 13 and 15 and the figure of methods read."""
        found = self.runs_of()
        hinge = [spec for spec in found["eg2008/parsing-hinge"] if spec.algorithm != DUAL]
        return super().timed() + hinge + found["eg2008/parsing-methods"]

    def found(self, kind: str, C: float = math.nan, **params: Any) -> list[Spec]:
        """Return the specs of what a rule picks, also ``hinge ALGORITHM`` and ``method LOSS``."""
        name, _, more = kind.partition(" ")
        if name == "method":
            return self.method(more)
        return self.hinge(more, C, **params) if name == "hinge" else super().found(kind, C, **params)

    def needs(self, name: str) -> list[Spec]:
        """Return the runs that a claim names: ``path``, ``problem`` at some C, or a group of runs."""
        groups = {
            "log": (self.problem, self.Cs),
            "rates": (self.problem, self.rates_at),
            "hinge": (self.hinge_problem, self.hinge_Cs),
            "methods": (self.method, METHODS),
            "failing": (lambda _: self.failing(), ("",)),
        }
        listed, values = groups.get(name, (super().needs, (name,)))
        return [spec for value in values for spec in listed(value)]


def task_of(scale: str, without: frozenset[str] = frozenset()) -> Parsing | None:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``); None if its corpus cannot be had."""
    if DATA in without:
        return None
    said = tables(SCALES)["parsing"]
    given = {"data": DATA, "amount": ""} | tuples(said[scale])
    about = filled(said["setting"], {"amount": given.pop("amount")})
    given["data"] = data_ref(given["data"])
    whole = given["data"].text == DATA
    name = f"Spanish dependency trees{'' if whole else ', a part of them'}"
    return Parsing("parsing", name, wrong="heads", setting=about, whole=whole, **given)
