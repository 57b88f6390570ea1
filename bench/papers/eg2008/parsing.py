"""The runs of eg2008's dependency parsing (sections 7.2 and 8): Figures 12, 13 and 15, Table 3, and ours.

They use the paper's own sentences (``datasets.conll2007``). EG chooses its first step size on a tenth of the
examples, as in section 7 except 7.1; the path of Table 3 begins with what that gives.
"""

from dataclasses import dataclass, replace
from typing import Any

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.papers.eg2008.path import STEP, TOLERANCE
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import START, UNIFORM
from structbench.bench.runs.spec import Spec, make

CS = (1000.0, 100.0, 10.0, 1.0, 0.1)  # Figure 12
HINGE_CS = (10000.0, 1000.0, 100.0, 10.0, 1.0)  # Figure 13
DRAWN_C = 0.1  # drawn, not judged: the paper shows "a subset"
BEST_C, BEST_HINGE_C = 10.0, 100.0  # for validation accuracy, in the paper
ETA0S = (1.0, 0.1, 0.01, 0.001, 0.0001)  # section 7.2 lists all but 0.01, section 7.1.3 that one, too
DATA = "conll2007"
STARTS = (START, UNIFORM)
EG, SGD, LBFGS, SVM, PERCEPTRON = "eg", "sgd", "lbfgs", "cutting-plane", "perceptron"
NO_LIMIT = 100_000.0  # passes; such runs end by their seconds
PATH_PASSES = 2_000.0
PATH_ETA = 1.0  # what calibration gives at C = 1000, from both starts
# Relative gaps that end runs: a hundredth of the rules' 1%; for the hinge a tenth, as for an optimum
TREE_GAP, HINGE_GAP = 1e-4, 1e-3
METHODS = ("log", "hinge", NO_LOSS)
# C, passes for it, passes so far, accuracy: Table 3
TABLE3 = (
    (1000.0, 8.0, 8.0, 72.44), (700.0, 3.01, 11.01, 73.42), (490.0, 4.76, 15.77, 74.35),
    (343.0, 4.9, 20.67, 75.29), (240.1, 4.91, 25.58, 76.13), (168.07, 6.1, 31.68, 77.13),
    (117.649, 6.06, 37.74, 77.82), (82.354, 6.08, 43.82, 78.74), (57.648, 7.23, 51.05, 79.41),
    (40.353, 7.23, 58.28, 79.99), (28.247, 8.33, 66.61, 80.38), (19.773, 9.4, 76.01, 80.60),
    (13.841, 12.6, 88.61, 80.77), (9.688, 13.71, 102.32, 80.72), (6.782, 19.03, 121.35, 80.67),
    (4.747, 23.33, 144.68, 80.61), (3.323, 30.82, 175.5, 80.31), (2.326, 37.22, 212.72, 80.18),
    (1.628, 45.8, 258.52, 79.98), (1.139, 57.53, 316.05, 79.63), (0.797, 73.6, 389.65, 79.36),
)  # fmt: skip
TABLE3_BEST_C = 13.841


@dataclass(frozen=True)
class Parsing(Task):
    """The task of dependency parsing.

    Attributes:
        whole: Whether it is all of the paper's data, so that numbers compare.
        Cs: The C for the log loss.
        hinge_Cs: The C for the hinge, for which each run has ``seconds``.
        rates_at: The C at which SGD runs with each of ``ETA0S``.
        last: The least C of Table 3's path, rounded up, so that the sequence ends with it.
    """

    calibrate: bool = True
    gap: float = TREE_GAP
    whole: bool = True
    Cs: tuple[float, ...] = CS
    hinge_Cs: tuple[float, ...] = HINGE_CS
    rates_at: tuple[float, ...] = (10.0,)
    last: float = 0.797923

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C for the log loss; they give its optimum."""
        specs = [spec for start in STARTS for spec in self.specs(EG, C, start=start)]
        return specs + self.specs(LBFGS, C) + self.specs(SGD, C) + (self.rates(C) if C in self.rates_at else [])

    def all_specs(self) -> list[Spec]:
        return [spec for C in self.Cs for spec in self.problem(C)]

    def specs(
        self, algorithm: str, C: float, loss: str = "log", limits: dict[str, Any] | None = None, **params: Any
    ) -> list[Spec]:
        """Return one spec a seed; a single one at the C that is drawn and not judged."""
        found = super().specs(algorithm, C, loss, limits, **params)
        return found[:1] if loss == "log" and C == DRAWN_C else found

    def rates(self, C: float) -> list[Spec]:
        """Return SGD with each of the learning rates."""
        return [spec for eta0 in ETA0S for spec in self.specs(SGD, C, eta0=eta0)]

    def hinge(self, algorithm: str, C: float, **params: float) -> list[Spec]:
        """Return one algorithm's runs for the hinge; all end at the same seconds or gap."""
        limits = {"seconds": self.seconds, "passes": NO_LIMIT, "gap": HINGE_GAP}
        return self.specs(algorithm, C, "hinge", limits, **params)

    def hinge_problem(self, C: float) -> list[Spec]:
        """Return EG from both starts, and SVM-struct."""
        return [spec for start in STARTS for spec in self.hinge(EG, C, start=start)] + self.hinge(SVM, C)

    def path(self) -> list[Spec]:
        """Return the path of Table 3 from this task's start, one spec a seed."""
        options = {"first": TABLE3[0][0], "ratio": STEP, "tolerance": TOLERANCE}
        options |= {"start": self.start, "eta": PATH_ETA}
        return self.specs("eg-path", self.last, "log", {"passes": PATH_PASSES, "gap": TOLERANCE}, **options)

    def rows(self) -> list[tuple[float, float, float, float]]:
        """Return the rows of Table 3 that the path has."""
        return [row for row in TABLE3 if row[0] > 0.99 * self.last]

    def method(self, loss: str, crossing: bool = False) -> list[Spec]:
        """Return EG for the log loss or the hinge, each at the paper's best C; with no loss, the perceptron.

        ``crossing``: Over all trees, by the matrix-tree theorem, not only projective ones. One seed, as no claim
        reads it.
        """
        if crossing:
            joint = "," if ":" in self.data else ":"
            data = f"{self.data}{joint}structure=nonprojective"
            return replace(self, data=data, seeds=self.seeds[:1]).method(loss)
        if loss == NO_LOSS:
            return [make(self.data, None, None, PERCEPTRON, passes=self.passes, seed=seed) for seed in self.seeds]
        return self.specs(EG, BEST_C) if loss == "log" else self.hinge(EG, BEST_HINGE_C)

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        return {
            "eg2008/parsing-log": self.all_specs(),
            "eg2008/parsing-hinge": [spec for C in self.hinge_Cs for spec in self.hinge_problem(C)],
            "eg2008/parsing-path": [spec for start in STARTS for spec in replace(self, start=start).path()],
            "eg2008/parsing-methods": [
                *self.method(NO_LOSS),
                *(spec for loss in METHODS for spec in self.method(loss, crossing=True)),
            ],
        }

    def timed(self) -> list[Spec]:
        """Return the runs whose seconds Figures 13 and 15 and the figure of methods read."""
        log = [spec for start in STARTS for spec in self.specs(EG, BEST_C, start=start)]
        log += self.specs(LBFGS, BEST_C) + self.specs(SGD, BEST_C)
        found = self.runs_of()
        return log + found["eg2008/parsing-hinge"] + found["eg2008/parsing-methods"]


def task_of(scale: str, without: frozenset[str] = frozenset()) -> Parsing | None:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``); None if its corpus cannot be had."""
    sentences, passes, seconds, seeds, part = {
        "tiny": ((60, 40), 4.0, 0.5, (0,), {"Cs": (10.0, 1.0), "hinge_Cs": (100.0, 1.0), "last": 490.1}),
        "quick": (
            *((300, 200), 20.0, 6.0, (0,)),
            {"Cs": (100.0, 10.0, 1.0), "hinge_Cs": (100.0, 10.0, 1.0), "last": 13.8413},
        ),
        "paper": (None, 110.0, 60.0, (0, 1, 2), {"rates_at": (10.0, 1.0)}),
    }[scale]
    if DATA in without:
        return None
    data, amount = DATA, ""
    if sentences:
        learn, evaluate = sentences
        data = f"{DATA}:sentences={learn},test_sentences={evaluate}"
        amount = f" (here the first {learn} and {evaluate} of them)"
    about = (
        "Theirs: Spanish trees of CoNLL-X, 2,306 + 1,000 sentences; ours are inferred from their numbers of tokens"
        f"{amount}; features after McDonald et al. (2005), projective trees with one token under the root."
    )
    name = f"Spanish dependency trees{', a part of them' if sentences else ''}"
    base = ("parsing", name, data, "heads", about, passes, seeds)
    return Parsing(*base, seconds=seconds, whole=not sentences, **part)
