"""The tasks and learners of klein2011, with each learner's properties."""

from dataclasses import dataclass, field, replace
from typing import Any

# for the overview: the best of 0.3, 1, 3, 10, 30 and 100 in error, with 300 words of OCR's last fold
HINGE_C, LOG_C, L1_C = 10.0, 3.0, 1.0
LEVEL = 0.01  # certified relative gap at which a minimum counts as reached
LATER = 0.5  # share of a run's passes after which a learner that settles has settled
BRACE = "brace"  # the word of the slides
LETTERS = 26


@dataclass(frozen=True)
class Way:
    """A learner of the family and its place in the overview.

    Attributes:
        loss: The loss that it minimises, as a run names it; None if it minimises no objective.
        judged_by, regularised, form, inference: Its properties in the overview.
        penalty: None for the first that the algorithm takes.
        lists: Whether it enumerates all outputs of an example. A word has too many.
        longer: How many times the passes of others it may make until its gap is certified.
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
    C: float = HINGE_C
    lists: bool = False
    longer: float = 1.0


BAYES = Way("naive Bayes", "naive-bayes", judged_by="likelihood", regularised="smoothing", inference="counts")
HMM = Way("HMM by counts", "hidden-markov", judged_by="likelihood", regularised="smoothing", inference="counts")
PERCEPTRON = Way("perceptron", "perceptron", {"average": "none"}, judged_by="0-1", form="primal")
AVERAGED = Way("averaged perceptron", "perceptron", judged_by="0-1", regularised="averaging")
MIRA = Way("MIRA", "mira", judged_by="hinge", regularised="averaging, cap")
K_BEST = Way("5-best MIRA", "mira", {"k": 5}, judged_by="hinge", regularised="averaging, cap", inference="k-best")
MIRA_LAST = Way("MIRA, last weights", "mira", {"average": "none"}, judged_by="hinge", regularised="cap")
SUBGRADIENT = Way("subgradient", "subgradient", loss="hinge", judged_by="hinge", regularised="l2")
CUTTING = Way("cutting planes", "cutting-plane", loss="hinge", judged_by="hinge", regularised="l2", form="dual")
SMO = Way("SMO", "smo", loss="hinge", judged_by="hinge", regularised="l2", form="dual", longer=3.0)
NAIVE_SMO = replace(SMO, name="naive SMO", algorithm="naive-smo", lists=True)
COORDINATE = Way(
    "coordinate descent", "coordinate-descent", {"constraint": "sum"}, "hinge", "hinge", "l2", "dual", lists=True,
    longer=3.0,
)  # fmt: skip
EG_HINGE = Way(
    "EG, hinge", "eg", loss="hinge", judged_by="hinge", regularised="l2", form="dual", inference="marginals",
    longer=3.0,
)  # fmt: skip
L1_HINGE = Way(
    "l1-norm M3N", "l1m3n-proximal", loss="hinge", judged_by="hinge", regularised="l1", penalty="l1", C=L1_C
)
LBFGS = Way("L-BFGS", "lbfgs", loss="log", judged_by="log", regularised="l2", inference="marginals", C=LOG_C)
SGD = Way("SGD", "sgd", loss="log", judged_by="log", regularised="l2", inference="marginals", C=LOG_C)
UNREGULARISED = Way(
    "L-BFGS, no penalty", "lbfgs", loss="log", judged_by="log", inference="marginals", penalty="none", C=LOG_C
)
L1_LOG = Way("OWL-QN", "owl-qn", loss="log", judged_by="log", regularised="l1", inference="marginals", C=L1_C)
EG_LOG = Way(
    "EG, log", "eg", loss="log", judged_by="log", regularised="l2", form="dual", inference="marginals", C=LOG_C
)
GRADIENT = replace(LBFGS, name="gradient ascent", algorithm="gradient-ascent")
CONJUGATE = replace(LBFGS, name="conjugate gradient", algorithm="conjugate-gradient")
SCALING = replace(LBFGS, name="iterative scaling", algorithm="iterative-scaling")
OPTIMISERS = (SCALING, GRADIENT, CONJUGATE, LBFGS)
GAMMA = 0.03  # of the RBF kernel on pixels in 0 .. 1; with the slide's 1 no two images are similar
KERNELS = {
    "linear": Way("kernel perceptron, linear", "kernel-perceptron", {"kernel": "linear"}),
    "quadratic": Way("kernel perceptron, quadratic", "kernel-perceptron", {"kernel": "quadratic"}),
    "rbf": Way("kernel perceptron, RBF", "kernel-perceptron", {"kernel": "rbf", "gamma": GAMMA}),
}
KERNEL_SVM = Way("kernel SVM, RBF", "kernel-svm", {"kernel": "rbf", "gamma": GAMMA}, loss="hinge", C=0.1)
NEIGHBOURS = Way("3 nearest neighbours", "nearest-neighbours", {"k": 3})
DUAL = Way("SVM", "kernel-svm", {"kernel": "linear", "working": 6}, loss="hinge", C=1.0)
BY_SIZE = (AVERAGED, *KERNELS.values(), KERNEL_SVM, NEIGHBOURS)
PORTRAIT = (
    BAYES, HMM, PERCEPTRON, AVERAGED, MIRA, K_BEST, SUBGRADIENT, CUTTING, COORDINATE, NAIVE_SMO, SMO, EG_HINGE,
    L1_HINGE, UNREGULARISED, LBFGS, SGD, EG_LOG, L1_LOG,
)  # fmt: skip
HARD_MARGIN = replace(CUTTING, name="hard margin", C=1e-4)  # so small that every constraint holds, if it can
MINIMUM_ERROR = Way("minimum error", "minimum-error", judged_by="0-1", inference="k-best")
PLANE_SVM, PLANE_LOG = replace(CUTTING, name="SVM", C=1.0), replace(LBFGS, name="log-linear", C=1.0)
PLANE = (MINIMUM_ERROR, PERCEPTRON, AVERAGED, MIRA, PLANE_SVM, PLANE_LOG)
COUNTED, UNIFORM = (
    replace(BAYES, params={"added": 0.0, "prior": prior}) for prior in ("counted", "uniform")
)  # klein2011, "Example: Stoplights": P(b) = 1/7, and 1/2
LIGHTS = {
    "P(b) = 1/7, as counted": COUNTED,
    "P(b) = 1/2": UNIFORM,
    "log-linear, C = 0.01": replace(LBFGS, C=0.01),
    "SVM, C = 0.01": replace(CUTTING, C=0.01),
}
STOPLIGHTS, DOCUMENTS = "toy-stoplights", "toy-documents"
