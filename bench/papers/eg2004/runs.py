"""The runs of eg2004 at each scale: EG and SMO on sentences, and small quadratic programs."""

from dataclasses import dataclass
from typing import Any

from structbench import datasets
from structbench.bench.papers.eg2004.setting import (
    ADAPTIVE,
    CS,
    ETAS,
    FIXED,
    MIXED,
    QP_CS,
    QP_DATA,
    SMO_PASSES,
    SMO_VISITS,
    STEPS,
    SWEEPS,
    THEIR_SENTENCES,
    THETA,
    THETAS,
    TOUCHED,
)
from structbench.bench.runs.spec import Spec, make


@dataclass(frozen=True)
class Task:
    """Sentences to learn from and the runs on them, at each C of ``CS`` and with each seed.

    sweeps: Passes in which each sentence is updated once; SMO, too, makes as many, at two visits an update.
    generated: Whether the sentences are generated; then no claim is judged on them.
    """

    data: str
    name: str
    setting: str
    sweeps: float = SWEEPS
    steps: float = STEPS
    seeds: tuple[int, ...] = (0, 1, 2)

    def is_of(self, corpora: frozenset[str]) -> bool:
        """Tell whether the sentences are from one of these corpora."""
        return datasets.parse(self.data).name in corpora

    @property
    def generated(self) -> bool:
        return datasets.parse(self.data).name == "toy-english"

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
        return self.specs(
            "smo", C, SMO_VISITS * self.sweeps, transfers=1, rest=False, relaxation=1.0, average=False
        )

    def hybrid(self, C: float) -> list[Spec]:
        """Return the hybrid: some passes of SMO with shrinking, then adaptive EG."""
        return self.specs("smo-eg", C, 1 + self.sweeps, smo_passes=SMO_PASSES, transfers=1, eps=MIXED, eta=1.0)

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C."""
        eg = [
            spec
            for adaptive in (FIXED, ADAPTIVE)
            for specs in self.settings(C, adaptive).values()
            for spec in specs
        ]
        return [*self.smo(C), *eg, *self.hybrid(C)]

    def qp(self, C: float) -> Spec:
        """Return EG-QP with the step size of Theorem 2, from uniform u."""
        return make(QP_DATA, "hinge", C, "eg-qp", {"start": 0.0}, passes=self.steps)

    def exact(self, C: float) -> Spec:
        """Return a run that knows the optimum of the quadratic program."""
        return make(QP_DATA, "hinge", C, "cutting-plane", passes=1000.0, gap=1e-8)


def task(scale: str, data: str | None = None) -> Task:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``) on its own or other data."""
    own, rest = {
        "tiny": (
            "toy-english:sentences=30,test_sentences=20,task=entities",
            {"sweeps": 6.0, "steps": 300.0, "seeds": (0,)},
        ),
        "quick": ("conll2002:sentences=100,test_sentences=100", {}),
        "paper": ("conll2002:sentences=1000", {}),
    }[scale]
    data = datasets.canonical(data or own)
    theirs = data.startswith("conll2003")
    if theirs and "sentences=" not in data:
        data = datasets.canonical(f"{data},sentences={THEIR_SENTENCES}")
    name = {
        "toy-english": "generated sentences",
        "conll2002": "CoNLL-2002 Spanish",
        "conll2003": "CoNLL-2003",
    }.get(data.partition(":")[0], data)
    setting = "Theirs: the first 1,000 sentences of CoNLL-2003 English, nine tags"
    setting += f"; ours: {name} ({data})."
    return Task(data, name, setting, **rest)


def runs_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs on sentences and on the small quadratic programs, by MLflow experiment."""
    chosen = task(scale, data)
    small = [spec for C in QP_CS for spec in (chosen.qp(C), chosen.exact(C))]
    sequences = [] if chosen.is_of(without) else [s for C in CS for s in chosen.problem(C)]
    return {"eg2004/entities-hinge": sequences, "eg2004/mnist-qp": small}
