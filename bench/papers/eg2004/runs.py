"""The runs of eg2004 at each scale: EG and SMO on sentences, small quadratic programs, and grammars.

The paper derives EG for weighted context-free grammars (Example 2), and has no experiments on them.
"""

from dataclasses import dataclass
from typing import Any

from structbench import datasets
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec, make

CS = (100.0, 10.0, 1.0)  # C' = 1, with features divided by sqrt(C)
THEIR_LEAD = 1.1  # EG's dual over SMO's at the end: "a larger than 10% increase"
ETAS = (0.5, 1.0)  # Figure 4a
THETAS = (2.7, 3.0, 4.5)  # Figure 4b, negated
THETA = 4.5  # of Figure 4a, where the paper does not say
TOUCHED = 3  # parts of a wrong label: its node and two edges
FIXED, ADAPTIVE = False, True
SWEEPS = 99.0  # over the training set: the end of the paper's axis
SMO_VISITS = 2.0  # per sentence and sweep: a transfer of mass needs two searches
SMO_PASSES = 10  # of the hybrid
MIXED = 1e-5  # of the uniform distribution in its marginals at the switch
THEIR_SENTENCES = 1000
STEPS = 10_000.0  # of EG-QP
QP_CS = (100.0, 10.0)
QP_DATA = "mnist:train=50,test=100"
NAMES = {"toy-english": "generated sentences", "conll2002": "CoNLL-2002 Spanish", "conll2003": "CoNLL-2003"}

TREEBANK = "treebank"
CRF, M3N = "log", "hinge"
LINES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    M3N: (("eg", {}), ("eg", {"order": "gap"}), ("smo", {}), ("frank-wolfe", {}), ("cutting-plane", {})),
    CRF: (("eg", {}), ("lbfgs", {}), ("sdca", {})),
}
MODELS = ("perceptron", "mira", "pcfg")  # they minimise no objective


@dataclass(frozen=True)
class Task:
    """Sentences to learn from and the runs on them, at each C of ``CS`` and with each seed.

    sweeps: Passes in which each sentence is updated once; SMO, too, makes as many, at two visits an update.
    """

    data: str
    name: str
    setting: str
    sweeps: float = SWEEPS
    steps: float = STEPS
    seeds: tuple[int, ...] = (0, 1, 2)

    @property
    def corpus(self) -> str:
        return datasets.parse(self.data).name

    def specs(self, algorithm: str, C: float, passes: float, **params: Any) -> list[Spec]:
        """Return one spec a seed for the hinge; one in all of adaptive EG but ``_rival``, as no claim reads it."""
        seeds = self.seeds[:1] if params.get("adaptive") and params != self._rival() else self.seeds
        return [make(self.data, "hinge", C, algorithm, params, passes=passes, seed=seed) for seed in seeds]

    def eg(self, C: float, eta: float = 1.0, theta: float = THETA, adaptive: bool = ADAPTIVE) -> list[Spec]:
        """Return online EG from -theta for all wrong parts, with a fixed or an initial step size.

        Its first pass computes w of the first theta.
        """
        return self.specs("eg", C, 1 + self.sweeps, **self._params(eta, theta, adaptive))

    def _params(self, eta: float, theta: float, adaptive: bool) -> dict[str, Any]:
        return {"eta": eta, "start": round(TOUCHED * theta, 6), "adaptive": adaptive, "order": "permuted"}

    def _rival(self) -> dict[str, Any]:
        """Return the parameters of adaptive EG, to which the hybrid switches and is compared."""
        return self._params(1.0, THETA, ADAPTIVE)

    def settings(self, C: float, adaptive: bool) -> dict[str, list[Spec]]:
        """Return EG in all settings of Figure 4, by name."""
        found = {f"eta {eta:g}": self.eg(C, eta, adaptive=adaptive) for eta in ETAS}
        others = [theta for theta in THETAS if theta != THETA]
        return found | {f"theta -{theta:g}": self.eg(C, theta=theta, adaptive=adaptive) for theta in others}

    def smo(self, C: float) -> list[Spec]:
        """Return SMO with one transfer of mass a visit and no shrinking, our reading of the paper's pass."""
        params = {"transfers": 1, "rest": False, "relaxation": 1.0, "average": False}
        return self.specs("smo", C, SMO_VISITS * self.sweeps, **params)

    def hybrid(self, C: float) -> list[Spec]:
        """Return the hybrid: some passes of SMO with shrinking, then adaptive EG."""
        return self.specs("smo-eg", C, 1 + self.sweeps, smo_passes=SMO_PASSES, transfers=1, eps=MIXED, eta=1.0)

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C."""
        settings = [self.settings(C, adaptive) for adaptive in (FIXED, ADAPTIVE)]
        eg = [spec for each in settings for specs in each.values() for spec in specs]
        return [*self.smo(C), *eg, *self.hybrid(C)]

    def qp(self, C: float) -> Spec:
        """Return EG-QP with the step size of Theorem 2, from uniform u."""
        return make(QP_DATA, "hinge", C, "eg-qp", {"start": 0.0}, passes=self.steps)

    def exact(self, C: float) -> Spec:
        """Return a run that knows the optimum of the quadratic program."""
        return make(QP_DATA, "hinge", C, "cutting-plane", passes=1000.0, gap=1e-8)

    def runs_of(self, without: frozenset[str]) -> dict[str, list[Spec]]:
        """Return the runs on sentences and on the small quadratic programs, by MLflow experiment."""
        sequences = [] if self.corpus in without else [spec for C in CS for spec in self.problem(C)]
        small = [spec for C in QP_CS for spec in (self.qp(C), self.exact(C))]
        return {"eg2004/entities-hinge": sequences, "eg2004/mnist-qp": small}


def task(scale: str, data: str | None = None) -> Task:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``) on its own or other data."""
    toy = "toy-english:sentences=30,test_sentences=20,task=entities"
    own, rest = {
        "tiny": (toy, {"sweeps": 6.0, "steps": 300.0, "seeds": (0,)}),
        "quick": ("conll2002:sentences=100,test_sentences=100", {}),
        "paper": ("conll2002:sentences=1000", {}),
    }[scale]
    data = datasets.canonical(data or own)
    if data.startswith("conll2003") and "sentences=" not in data:
        data = datasets.canonical(f"{data},sentences={THEIR_SENTENCES}")
    name = NAMES.get(data.partition(":")[0], data)
    theirs = "Theirs: the first 1,000 sentences of CoNLL-2003 English, nine tags"
    return Task(data, name, f"{theirs}; ours: {name} ({data}).", **rest)


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
        lines = LINES[loss][: self.lines[0] if loss == M3N else self.lines[1]]
        return [spec for algorithm, params in lines for spec in self._specs(loss, C, algorithm, params)]

    def _specs(self, loss: str | None, C: float | None, algorithm: str, params: dict[str, Any]) -> list[Spec]:
        seeds = self.seeds if catalogue.draws(algorithm, params) else self.seeds[:1]
        return [make(self.data, loss, C, algorithm, params, passes=self.passes, seed=seed) for seed in seeds]

    def batch(self, C: float) -> list[Spec]:
        """Return batch EG (Figure 2): one step for all examples together, with adaptive step sizes."""
        passes = [self.batch_passes] if self.batch_passes else []
        return [make(self.data, M3N, C, "eg", {"mode": "batch"}, passes=each) for each in passes]

    def unpenalised(self) -> list[Spec]:
        """Return the runs of the ``MODELS``."""
        return [spec for name in self.models for spec in self._specs(None, None, name, {})]

    def problem(self, C: float) -> list[Spec]:
        """Return all runs for the hinge at one C; they give its optimum."""
        return [*self.trained(M3N, C), *self.batch(C)]

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        return {
            "eg2004/treebank-hinge": [spec for C in self.Cs for spec in self.problem(C)],
            "eg2004/treebank-models": [*(s for C in self.Cs for s in self.trained(CRF, C)), *self.unpenalised()],
        }

    def timed(self) -> list[Spec]:
        """Return the runs whose seconds the figure or the table shows."""
        return [s for C in self.Cs for loss in LINES for s in self.trained(loss, C)] + self.unpenalised()


def grammars(scale: str, without: frozenset[str] = frozenset()) -> Grammars | None:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``); None if its corpus cannot be had."""
    if scale == "tiny":
        toy = datasets.canonical("toy-english:sentences=40,test_sentences=20,task=brackets")
        return Grammars(toy, "generated trees", (10.0,), 4.0, 0.0, lines=(1, 1), models=("pcfg",))
    if TREEBANK in without:
        return None
    name = "the sample of the Penn Treebank, sentences of up to 15 tokens"
    if scale == "quick":
        return Grammars(TREEBANK, name, (10.0,), 40.0, 100.0, lines=(4, 2))
    return Grammars(TREEBANK, name, (100.0, 10.0, 1.0), 200.0, 200.0, (0, 1, 2))
