"""The runs of eg2004, of ``runs.yaml``: EG and SMO on sentences, small quadratic programs, and grammars."""

import itertools
from dataclasses import dataclass

from structbench.bench.papers.grid_runs import grids, where
from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef, data_ref

ETAS = (0.5, 1.0)  # Figure 4a
THETAS = (2.7, 3.0, 4.5)  # Figure 4b, negated
THETA = 4.5  # of Figure 4a as it is drawn; the paper does not say, so claims read all of ``THETAS``
TOUCHED = 3  # parts of a wrong label: its node and two edges
FIXED, ADAPTIVE = False, True
STEPS = {FIXED: "fixed steps", ADAPTIVE: "adaptive steps"}
SMO_VISITS = 2.0  # per sentence and sweep: a transfer of mass needs two searches
SMO_PASSES = 10  # of the hybrid
THEIR_SENTENCES = 1000
QP_CS = (100.0, 10.0)
NAMES = {"toy-english": "generated sentences", "conll2002": "CoNLL-2002 Spanish", "conll2003": "CoNLL-2003"}

TREEBANK = "treebank"
TREES = {
    "toy-english": "generated trees",
    TREEBANK: "the sample of the Penn Treebank, sentences of up to 15 tokens",
}
CRF, M3N = "log", "hinge"


def _made(scale: str, kind: str, **changes: list[DataRef]) -> list[Spec]:
    """Return the runs of all grids of a kind."""
    found = grids(__file__, scale, kind, **changes)
    return [spec for specs in found.values() for spec in specs]


@dataclass(frozen=True)
class Made:
    """Runs on a data set."""

    made: list[Spec]

    @property
    def data(self) -> DataRef:
        """Return the data set."""
        return self.made[0].data

    @property
    def Cs(self) -> list[float]:
        """Return the Cs of the hinge loss."""
        return [*dict.fromkeys(spec.C for spec in where(self.made, loss=M3N))]

    @property
    def passes(self) -> float:
        """Return how many passes each run makes."""
        return self.made[0].passes

    @property
    def seeds(self) -> list[int]:
        """Return the seeds, in order."""
        return sorted({spec.seed for spec in self.made})


@dataclass(frozen=True)
class Task(Made):
    """Runs on sentences, and those of the quadratic programs."""

    programs: list[Spec]

    @property
    def name(self) -> str:
        """Return the corpus as readers know it."""
        return NAMES.get(self.data.name, self.data.text)

    @property
    def sweeps(self) -> float:
        """Return the passes in which each sentence is updated once; 99 are the end of the paper's axis."""
        return self.passes / SMO_VISITS

    def eg(self, C: float, eta: float = 1.0, theta: float = THETA, adaptive: bool = ADAPTIVE) -> list[Spec]:
        """Return online EG from -theta for all wrong parts, with a fixed or an initial step size."""
        params = {"eta": eta, "start": round(TOUCHED * theta, 6), "adaptive": adaptive}
        return where(self.made, params, algorithm="eg", C=C)

    def settings(self, C: float, adaptive: bool) -> dict[str, list[Spec]]:
        """Return EG by name with each eta of Figure 4a from each theta of Figure 4b."""
        pairs = itertools.product(ETAS, THETAS)
        return {f"eta {eta:g}, theta -{theta:g}": self.eg(C, eta, theta, adaptive) for eta, theta in pairs}

    def from_thetas(self, C: float) -> list[list[Spec]]:
        """Return adaptive EG with a first step of 1 from each theta, against which the hybrid is judged."""
        return [self.eg(C, theta=theta) for theta in THETAS]

    def smo(self, C: float) -> list[Spec]:
        """Return SMO with one transfer of mass a visit and no shrinking, our reading of the paper's pass."""
        return where(self.made, algorithm="smo", C=C)

    def hybrid(self, C: float) -> list[Spec]:
        """Return the hybrid: some passes of SMO with shrinking, then adaptive EG."""
        return where(self.made, algorithm="smo-eg", C=C)

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C."""
        return where(self.made, C=C)

    def qp(self, C: float) -> list[Spec]:
        """Return EG-QP, and a run that knows the optimum of the quadratic program."""
        return where(self.programs, C=C)

    def runs_of(self, without: frozenset[str]) -> dict[str, list[Spec]]:
        """Return the runs on sentences and on the small quadratic programs, by MLflow experiment."""
        sequences = [] if self.data.name in without else self.made
        return {"eg2004/entities-hinge": sequences, "eg2004/mnist-qp": self.programs}


def task(scale: str, data: str | None = None) -> Task:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``) on its own or other data."""
    changes = {}
    if data:
        other = data_ref(data)
        few = other.name == "conll2003" and "sentences" not in other.options
        changes["data"] = [other.having(sentences=THEIR_SENTENCES) if few else other]
    return Task(_made(scale, "sentences", **changes), _made(scale, "programs"))


@dataclass(frozen=True)
class Grammars(Made):
    """Runs on trees."""

    @property
    def name(self) -> str:
        """Return the corpus as readers know it."""
        return TREES[self.data.name]

    def trained(self, loss: str, C: float) -> list[Spec]:
        """Return the runs of all methods that are compared for a loss, with all seeds."""
        return [spec for spec in where(self.made, loss=loss, C=C) if spec not in self.batch(C)]

    def batch(self, C: float) -> list[Spec]:
        """Return batch EG, the paper's variant (Figure 2): one step for all examples together, adaptive steps."""
        return where(self.made, {"mode": "batch"}, algorithm="eg", C=C)

    def unpenalised(self) -> list[Spec]:
        """Return the runs of the models that minimise no objective."""
        return where(self.made, loss="none")

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        models = where(self.made, loss=CRF) + self.unpenalised()
        return {"eg2004/treebank-hinge": where(self.made, loss=M3N), "eg2004/treebank-models": models}

    def timed(self) -> list[Spec]:
        """Return the runs whose seconds the figure or the table shows."""
        return [s for C in self.Cs for loss in (M3N, CRF) for s in self.trained(loss, C)] + self.unpenalised()


def grammars(scale: str, without: frozenset[str] = frozenset()) -> Grammars | None:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``); None if its corpus cannot be had."""
    found = Grammars(_made(scale, "trees"))
    return None if found.data.name in without else found
