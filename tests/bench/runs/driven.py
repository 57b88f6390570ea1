"""A problem and a spec for tests of the driver."""

from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case

LABELS = ("B-x", "I-x", "O")


def problem(structure: str = "multiclass-dense", **rest) -> Problem:
    return Problem(case(structure).split, case(structure, seed=1).split, LABELS, **rest)


def spec(algorithm: str = "fake", **given) -> Spec:
    values = {"loss": "log", "C": 1.0, "params": (), "passes": 50.0, "gap": 1e-6} | given
    return Spec(data=DataRef("synthetic"), test=None, algorithm=algorithm, **values)
