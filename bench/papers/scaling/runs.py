"""The runs of the scaling figure: methods with and without a memory of each example, on more and more of them."""

from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec, make

C = 10.0
PASSES = 5.0
METHODS = {  # loss -> those that remember every example (dual), and those that keep weights alone (primal)
    "log": {"dual": ("eg", "sdca", "sag"), "primal": ("eg-primal", "lbfgs", "sgd")},
    "hinge": {"dual": ("eg", "frank-wolfe", "smo"), "primal": ("eg-primal", "subgradient")},
}
SIZES = {
    "tiny": {"dual": (50, 100), "primal": (50, 100)},
    "quick": {"dual": (250, 500, 1_000), "primal": (250, 500, 1_000)},
    "paper": {"dual": (1_000, 10_000, 100_000, 300_000), "primal": (1_000, 10_000, 100_000, 300_000)},
}
SEEDS = {"tiny": (0,), "quick": (0,), "paper": (0,)}


def specs(scale: str, loss: str) -> list[Spec]:
    """The runs of one loss: every method, at ``tiny`` one of each kind, at each of its sizes, with each seed."""
    return [
        make(
            f"toy-english:sentences={n},test_sentences=100", loss, C, algorithm, passes=PASSES, gap=0.0, seed=seed
        )
        for kind, algorithms in METHODS[loss].items()
        for algorithm in (algorithms[:1] if scale == "tiny" else algorithms)
        for n in SIZES[scale][kind]
        for seed in (SEEDS[scale] if catalogue.draws(algorithm, {}) else SEEDS[scale][:1])
    ]


def timed_of(scale: str) -> list[Spec]:
    """All: the figure is of seconds."""
    return [spec for loss in METHODS for spec in specs(scale, loss)]


def memory_of(scale: str) -> list[Spec]:
    """The runs whose peak memory the figure reads: all."""
    return timed_of(scale)


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """The runs of both losses, by the name of their MLflow experiment."""
    return {f"scaling/toy-english-{loss}": specs(scale, loss) for loss in METHODS}
