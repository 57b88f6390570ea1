"""Every method on every data set: certified distance to the optimum, and a performance profile. A figure of ours.

The distance of a run is (primal - bound) / primal with the greatest dual value of all runs of that problem (data
set, loss, C) as bound, so that a method without a good dual of its own, or without any, counts like the others.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.drawing import comparison, curves, style
from bench.drawing.draw import Figure
from bench.runs import catalogue
from bench.runs.finished import Runs
from bench.runs.spec import Spec, make

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawn

    from bench.papers.judging import Claim

LOSSES = ("log", "hinge")
# Of each loss, with the l2 penalty: algorithm, parameters. Any other algorithm that minimises it is there with its
# defaults, but for ``ELSEWHERE``.
METHODS: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "log": (
        ("eg", {}),
        ("eg", {"order": "gap"}),
        ("eg", {"start": 0.0}),
        ("eg-primal", {}),
        ("sdca", {}),
        ("sag", {}),
        ("sgd", {}),
        ("lbfgs", {}),
        ("owl-qn", {}),
        ("crfsuite", {"method": "lbfgs"}),
        ("crfsuite", {"method": "l2sgd"}),
        ("crfsuite", {"method": "ap"}),
        ("crfsuite", {"method": "pa"}),
        ("crfsuite", {"method": "arow"}),
        ("sklearn", {"method": "lbfgs"}),
        ("sklearn", {"method": "newton-cg"}),
        ("sklearn", {"method": "saga"}),
    ),
    "hinge": (
        ("eg", {}),
        ("eg", {"order": "gap"}),
        ("eg-primal", {}),
        ("smo", {}),
        ("smo-eg", {}),
        ("frank-wolfe", {}),
        ("subgradient", {}),
        ("subgradient", {"mode": "batch"}),
        ("cutting-plane", {}),
        ("one-slack", {}),
        ("crfsuite", {"method": "pa"}),
        ("liblinear", {}),
    ),
}
FIXED = ("lbfgs", "owl-qn", "eg-primal", "one-slack")  # nothing is drawn at random, nor by these methods of these:
FIXED_METHODS = (("crfsuite", "lbfgs"), ("sklearn", "lbfgs"), ("sklearn", "newton-cg"), ("subgradient", "batch"))
ELSEWHERE = ("eg-path", "eg-qp")  # a path over C, an explicit quadratic program: variants of ``eg``
FLOOR = 1e-9  # relative distance below which all is rounding


@dataclass(frozen=True)
class Task:
    """A data set with the C to learn it at, and how long each run may take."""

    stem: str
    name: str
    data: str
    structure: str
    Cs: tuple[float, ...]
    passes: float
    seconds: float
    seeds: tuple[int, ...]

    def specs(self, loss: str, C: float) -> list[Spec]:
        """All methods that the structure admits, all seeds."""
        found = []
        for algorithm, params in (*METHODS[loss], *_others(loss)):
            if not catalogue.runs_on(algorithm, self.structure):
                continue
            chosen = params.get("method", params.get("mode"))
            fixed = algorithm in FIXED or (algorithm, chosen) in FIXED_METHODS
            for seed in self.seeds[:1] if fixed else self.seeds:
                limits = {"passes": self.passes, "seconds": self.seconds, "seed": seed}
                found.append(make(self.data, loss, C, algorithm, params, penalty="l2", **limits))
        return found

    def all(self, loss: str) -> list[Spec]:
        return [spec for C in self.Cs for spec in self.specs(loss, C)]


def _others(loss: str) -> list[tuple[str, dict[str, Any]]]:
    listed = {algorithm for methods in METHODS.values() for algorithm, _ in methods} | {*ELSEWHERE}
    names = [name for name in catalogue.algorithms() if name not in listed]
    return [(n, {}) for n in names if loss in catalogue.losses(n) and "l2" in catalogue.penalties(n)]


def tasks(scale: str) -> list[Task]:
    """The tasks of a scale: ``tiny``, ``quick`` or ``paper``."""
    if scale == "tiny":
        data = ("mnist:train=300,test=100", "ocr:words=60")
        limits = ((10.0,), 4.0, 5.0, (0,))
    elif scale == "quick":
        data = ("mnist:train=2000", "ocr:words=300", "toy-english:sentences=200")
        limits = ((10.0,), 300.0, 1.5, (0,))
    else:
        data = ("mnist", "ocr", "conll2000")
        limits = ((10.0, 1.0), 200.0, 120.0, (0, 1, 2))
    names = (("mnist", "MNIST", "multiclass"), ("ocr", "OCR letters", "chain"), ("chunking", "chunking", "chain"))
    return [Task(stem, name, one, kind, *limits) for (stem, name, kind), one in zip(names, data, strict=False)]


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """The runs of each task and loss, by the name of their MLflow experiment."""
    return {f"methods/{task.stem}-{loss}": task.all(loss) for task in tasks(scale) for loss in LOSSES}


def figures_of(scale: str) -> dict[str, Figure]:
    """One figure a data set, and one profile a loss, by file stem."""
    drawn = {
        f"all-{task.stem}": Figure(
            f"All methods, {task.name}",
            "Certified distance to the optimum, (primal - bound) / primal with the greatest dual value of all "
            "runs of the panel's problem as bound, against effective passes and against wall seconds of one "
            "thread (evaluation and compilation not counted); at most "
            f"{task.passes:g} passes and {task.seconds:g} s a run. Of programs of others, passes are what they "
            f"call iterations, and each point is a run of its own.{_repeated(task)}",
            partial(_draw, task),
        )
        for task in tasks(scale)
    }
    for loss in LOSSES:
        specs = [spec for task in tasks(scale) for spec in task.all(loss)]
        drawn[f"profile-{loss}"] = Figure(
            f"Performance profile, {loss} loss", comparison.PROFILE, partial(comparison.draw_profile, specs)
        )
    return drawn


def claims_of(scale: str) -> "list[Claim]":
    """None: these figures are ours."""
    return []


def _repeated(task: Task) -> str:
    return f" Lines are means over {len(task.seeds)} seeds, bands their range." if len(task.seeds) > 1 else ""


def _draw(task: Task, runs: Runs) -> "Drawn":
    rows = [(loss, C) for loss in LOSSES for C in task.Cs]
    figure, panels = style.panels(len(rows), 2, height=3.3, width=4.6)
    for (loss, C), (left, right) in zip(rows, panels, strict=True):
        specs = task.specs(loss, C)
        names = comparison.labels(specs)
        looks = comparison.looks(names)
        bound = curves.optimum(runs.present(specs)).dual

        def distance(curve: "pd.DataFrame", bound: float = bound) -> np.ndarray:
            above = (curve["primal"] - bound).to_numpy() / curve["primal"].abs().to_numpy()
            return np.where((above > FLOOR) & (curve["passes"].to_numpy() > 0), above, np.nan)

        entries = {}
        for axes, x, label in ((left, "passes", style.PASSES), (right, "wall_seconds", "seconds")):
            for name, look in looks.items():
                seeds = runs.present([spec for spec in specs if names[spec] == name])
                line = style.line(axes, seeds, distance, x, **look)
                if line is not None and len(line.get_ydata()):
                    entries[name] = line
            axes.set(title=f"{loss} loss, C = {C:g}", xlabel=label, ylabel="(primal - bound) / primal")
            if axes.lines:
                axes.set_ylim(top=2.0)
                style.log_ticks(axes.yaxis)
                style.log_ticks(axes.xaxis)
        right.legend(entries.values(), entries.keys(), loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure
