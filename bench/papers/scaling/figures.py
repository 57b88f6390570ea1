"""Time and memory against the number of examples, with and without a memory of each. A figure of ours."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench.drawing import comparison, style
from bench.drawing.draw import Figure
from bench.runs.finished import Runs
from bench.runs.spec import Spec, make

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from bench.papers.judging import Claim

C = 10.0
PASSES = 5.0
METHODS = {  # loss -> those that remember every example (dual), and those that keep weights alone (primal)
    "log": {"dual": ("eg", "sdca", "sag"), "primal": ("eg-primal", "lbfgs", "sgd")},
    "hinge": {"dual": ("eg", "frank-wolfe", "smo"), "primal": ("eg-primal", "subgradient")},
}
SIZES = {
    "tiny": {"dual": (50, 100), "primal": (50, 100)},
    "quick": {"dual": (1_000, 4_000), "primal": (1_000, 4_000)},
    "paper": {"dual": (1_000, 10_000, 100_000), "primal": (1_000, 10_000, 100_000, 300_000)},
}
SEEDS = {"tiny": (0,), "quick": (0,), "paper": (0, 1, 2)}
FIXED = ("lbfgs", "eg-primal")  # nothing is drawn at random


def specs(scale: str, loss: str) -> list[Spec]:
    """The runs of one loss: every method at each of its sizes, with each seed."""
    return [
        make(
            f"toy-english:sentences={n},test_sentences=100", loss, C, algorithm, passes=PASSES, gap=0.0, seed=seed
        )
        for kind, algorithms in METHODS[loss].items()
        for algorithm in algorithms
        for n in SIZES[scale][kind]
        for seed in (SEEDS[scale][:1] if algorithm in FIXED else SEEDS[scale])
    ]


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """The runs of both losses, by the name of their MLflow experiment."""
    return {f"scaling/toy-english-{loss}": specs(scale, loss) for loss in METHODS}


def figures_of(scale: str) -> dict[str, Figure]:
    """The one figure, by file stem."""
    return {
        "scaling": Figure(
            "Time and memory against the number of sentences",
            f"Seconds of a pass (the mean of the first {PASSES:g}; one thread) and the largest resident memory of "
            "a run against the number of generated sentences (toy-english, chunking). Memory includes the "
            "interpreter, the compiled kernels, and the features as far as they were read. Solid: methods that "
            "keep numbers for the parts of every example, O(parts of the data). Dashed: methods that keep weights "
            f"only, O(features). C = {C:g}.{_repeated(scale)}",
            partial(_draw, scale),
        )
    }


def claims_of(scale: str) -> "list[Claim]":
    """None: the figure is ours."""
    return []


def _repeated(scale: str) -> str:
    seeds = len(SEEDS[scale])
    return f" Lines are means over {seeds} seeds, bands their range." if seeds > 1 else ""


def _draw(scale: str, runs: Runs) -> "Drawn":
    figure, panels = style.panels(len(METHODS), 2, height=3.1, width=4.4)
    for loss, (left, right) in zip(METHODS, panels, strict=True):
        members = specs(scale, loss)
        looks = comparison.looks(comparison.labels(members))
        for algorithm in dict.fromkeys(spec.algorithm for spec in members):
            found = [run for spec in members if spec.algorithm == algorithm and (run := runs[spec]) is not None]
            if not found:
                continue
            n = np.array([run.summary["num_examples"] for run in found])
            seconds = np.array([run.summary["wall_seconds"] / run.summary["passes"] for run in found])
            memory = np.array([run.summary["peak_memory"] or np.nan for run in found]) / 2**30
            name = style.NAMES.get(algorithm, algorithm)
            dash = "-" if algorithm in METHODS[loss]["dual"] else (0, (4, 1.6))
            look = {
                "color": looks[name]["color"],
                "linestyle": dash,
                "marker": "o",
                "markersize": 3.5,
                "label": name,
            }
            for axes, values in ((left, seconds), (right, memory)):
                sizes = np.unique(n)
                each = [values[n == size] for size in sizes]
                axes.plot(sizes, [value.mean() for value in each], **look)
                least, most = [value.min() for value in each], [value.max() for value in each]
                axes.fill_between(sizes, least, most, color=look["color"], alpha=0.22, linewidth=0)
        for axes, label in ((left, "seconds a pass"), (right, "peak memory (GiB)")):
            axes.set(title=f"{loss} loss", xlabel="sentences", ylabel=label)
            if axes.lines:
                style.log_ticks(axes.xaxis)
                style.log_ticks(axes.yaxis)
                axes.margins(x=0.04)
        right.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure
