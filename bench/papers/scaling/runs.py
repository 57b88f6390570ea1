"""The runs of the scaling figure: more and more examples, for methods that store each one's state or do not."""

from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec, make

C = 10.0
PASSES = 5.0
METHODS = {  # loss -> methods that store each example's state (dual) or weights alone (primal)
    "log": {"dual": ("eg", "sdca", "sag"), "primal": ("eg-primal", "lbfgs", "sgd")},
    "hinge": {"dual": ("eg", "frank-wolfe", "smo"), "primal": ("eg-primal", "subgradient")},
}
SIZES = {"tiny": (50, 100), "quick": (250, 500, 1_000), "paper": (1_000, 10_000, 100_000, 300_000)}
SEEDS = (0,)


def specs(scale: str, loss: str) -> list[Spec]:
    """Return the runs of one loss: every method (at ``tiny``, one of each kind) at each size, with each seed."""
    listed = [each[:1] if scale == "tiny" else each for each in METHODS[loss].values()]
    return [
        make(f"toy-english:sentences={n},test_sentences=100", loss, C, name, passes=PASSES, gap=0.0, seed=seed)
        for algorithms in listed
        for name in algorithms
        for n in SIZES[scale]
        for seed in (SEEDS if catalogue.draws(name, {}) else SEEDS[:1])
    ]


def timed_of(scale: str) -> list[Spec]:
    """Return all runs, as the figure shows seconds."""
    return [spec for loss in METHODS for spec in specs(scale, loss)]


def memory_of(scale: str) -> list[Spec]:
    """Return the runs whose peak memory the figure reads: all."""
    return timed_of(scale)


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """Return the runs of both losses by MLflow experiment."""
    return {f"scaling/toy-english-{loss}": specs(scale, loss) for loss in METHODS}
