"""The setting of klein2011: the tasks, the learners of the family, and the cells of its portrait."""

from dataclasses import dataclass, field
from typing import Any

CS = (1.0, 10.0, 100.0)  # of every claim with an SVM in it: the slides name none
C = 10.0  # of the portrait and of the pictures
LEVEL = 0.01  # certified relative gap at which a minimum counts as reached
PORTRAIT_GAP = 1e-3
LATER = 0.5  # of a run's passes: the part in which a learner that settles has settled
BRACE = "brace"  # the word of the slides
LETTERS = 26


@dataclass(frozen=True)
class Way:
    """A learner of the family, and where it stands in the portrait.

    Attributes:
        loss: that it minimises, as a run names it; None for a learner that minimises no objective.
        judged_by, regularised, form, inference: its cell.
        penalty: None for the first that the algorithm takes.
        passes: None for the task's own.
    """

    name: str
    algorithm: str
    params: dict[str, Any] = field(hash=False, default_factory=dict)
    loss: str | None = None
    judged_by: str = ""
    regularised: str = "no"
    form: str = "primal"
    inference: str = "argmax"
    penalty: str | None = None
    C: float = C


PERCEPTRON = Way("perceptron", "perceptron", {"average": "none"}, judged_by="0-1", form="primal")
AVERAGED = Way("averaged perceptron", "perceptron", judged_by="0-1", regularised="averaging")
SUBGRADIENT = Way("subgradient", "subgradient", loss="hinge", judged_by="hinge", regularised="l2")
CUTTING = Way("cutting planes", "cutting-plane", loss="hinge", judged_by="hinge", regularised="l2", form="dual")
SMO = Way("SMO", "smo", loss="hinge", judged_by="hinge", regularised="l2", form="dual")
EG_HINGE = Way(
    "EG, hinge", "eg", loss="hinge", judged_by="hinge", regularised="l2", form="dual", inference="marginals"
)
L1_HINGE = Way(
    "l1-norm M3N", "l1m3n-subgradient", loss="hinge", judged_by="hinge", regularised="l1", penalty="l1-ball"
)
LBFGS = Way("L-BFGS", "lbfgs", loss="log", judged_by="log", regularised="l2", inference="marginals")
SGD = Way("SGD", "sgd", loss="log", judged_by="log", regularised="l2", inference="marginals")
UNREGULARISED = Way(
    "L-BFGS, no penalty", "lbfgs", loss="log", judged_by="log", inference="marginals", penalty="none"
)
L1_LOG = Way("OWL-QN", "owl-qn", loss="log", judged_by="log", regularised="l1", inference="marginals")
EG_LOG = Way("EG, log", "eg", loss="log", judged_by="log", regularised="l2", form="dual", inference="marginals")
