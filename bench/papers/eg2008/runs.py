"""The runs of eg2008 for the log loss at each scale: EG, SGD and L-BFGS on three data sets."""

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.options import Given
from structbench.bench.drawing import curves
from structbench.bench.papers.claim_rows import filled, tables, tuples
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, make
from structbench.datasets import DataRef, data_ref

SCALES = Path(__file__).with_name("scales.toml")
THEIRS = tuples(tables(Path(__file__).with_name("theirs.toml")))  # the paper's tables 2 and 3
CS = (1000.0, 100.0, 10.0, 1.0)
SGD_ERROR_CS = (1000.0, 100.0, 10.0, 0.01)  # Figure 9
ALIKE_CS = (0.1, 0.01)  # of SGD, left out of Figure 9 as nearly identical to C = 1
SLOW_CS = (0.1, 0.01)  # at which section 7.1 found EG slow
CONJUGATE_CS = (100.0, 10.0)  # at which conjugate gradient is run
POST_HOC: Given = {"eta0": 0.1}  # Figure 10, C = 1
# Figures 8 and 10, C = 1: t <= 5 is our pass 6, as our first pass computes w of the first u
ANNEALED: Given = {"anneal": 10.0, "hold": 6.0, "rate": 0.7}
VARIANTS: dict[str, Given] = {  # words of rows, behind an algorithm
    "annealed": ANNEALED, "batch": {"mode": "batch"}, "cyclic": {"order": "cyclic"},
    "fixed": {"decay": False}, "post-hoc": POST_HOC,
}  # fmt: skip
START, UNIFORM = STARTS = (10.0, 0.0)  # EG's first dual point: ours, and the uniform one; the paper does not say
SHOWN = 60.0  # passes on the x axis; Figures 6, 7 and 14 show whole runs
GAP = 1e-5  # relative gap that ends runs: a hundredth of the least level of a rule
FIXED = ("lbfgs", "cutting-plane", "conjugate-gradient")  # no random draw matters
# Of Table 2's path, which needs fewer passes. Its last C is 1000 x 0.7^23, rounded up, so that there is no further
FIRST, STEP, LAST, TOLERANCE, PATH_PASSES = 1000.0, 0.7, 0.27369, 1e-3, 1000.0


@dataclass(frozen=True)
class Task:
    """A data set to train on, and for how long."""

    stem: str
    name: str
    data: DataRef
    wrong: str  # what the validation error counts, such as images
    setting: str
    passes: float  # of EG and L-BFGS
    seeds: tuple[int, ...] = (0,)
    uniform_seeds: int | None = None  # how many of them start from uniform u, which no verdict reads; None: all
    start: float = START  # EG's first dual point, for specs that do not say
    sgd_passes: float = 0.0  # of SGD, except at C = 10 (Figure 14); 0 for as many as the others
    batch_passes: float = 100.0
    # whether to run comparisons that claims need and the paper does not show. They are conjugate gradient, SGD
    # with a fixed rate, EG at C = 0.1 and 0.01, SGD at more C
    controls: bool = False
    seconds: float = 300.0  # the limit of a run for the hinge
    # whether EG chooses its first step size on a tenth of the examples; it is 0.5 in section 7.1
    calibrate: bool = False
    gap: float = GAP  # the relative gap at which runs end

    def specs(
        self, algorithm: str, C: float, loss: str = "log", limits: dict[str, float] | None = None, **params: Any
    ) -> list[Spec]:
        """Return one spec a seed; a single one if nothing is random. ``limits`` replace the task's."""
        seeds = self.seeds
        if algorithm == "eg":
            params = {"start": self.start, "calibrate": self.calibrate} | params
            seeds = self.seeds_from(params["start"])
        batch = params.get("mode") == "batch"
        fixed = algorithm in FIXED or params.get("order") == "cyclic" or batch
        short = self.sgd_passes if algorithm == "sgd" and (C != 10 or params) else 0.0
        passes = self.batch_passes if batch else short or self.passes
        limits = {"passes": passes, "gap": self.gap} | (limits or {})
        make_one = partial(make, self.data, loss, C, algorithm, params, **limits)
        return [make_one(seed=seed) for seed in (seeds[:1] if fixed else seeds)]

    def seeds_from(self, start: float) -> tuple[int, ...]:
        """Return the seeds of EG from a start."""
        return self.seeds[: self.uniform_seeds] if start == UNIFORM else self.seeds

    def from_starts(self, C: float, **params: Any) -> list[Spec]:
        """Return EG from both starts."""
        return [spec for start in STARTS for spec in self.specs("eg", C, start=start, **params)]

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C for the log loss; they give its optimum."""
        specs = self.from_starts(C) + self.specs("lbfgs", C) + self.specs("sgd", C)
        if C == 10:
            specs += self.from_starts(C, mode="batch")
        if C == 1:
            specs += self.specs("sgd", C, **POST_HOC)
            specs += self.from_starts(C, order="cyclic") + self.from_starts(C, **ANNEALED)
        if self.controls:
            specs += self.specs("sgd", C, **VARIANTS["fixed"])
            specs += self.specs("conjugate-gradient", C) if C in CONJUGATE_CS else []
        return specs

    def all_specs(self) -> list[Spec]:
        """Return all runs of the task for the log loss."""
        more = [s for C in ALIKE_CS if self.controls or C in SGD_ERROR_CS for s in self.specs("sgd", C)]
        more += [s for C in SLOW_CS if self.controls for s in self.from_starts(C)]
        return [spec for C in CS for spec in self.problem(C)] + more

    def timed(self) -> list[Spec]:
        """Return the runs of Figure 14, whose seconds are read."""
        return self.from_starts(10.0) + self.specs("lbfgs", 10.0) + self.specs("sgd", 10.0)

    def path(self) -> list[Spec]:
        """Return Table 2's path from the task's start, one spec a seed."""
        options = {"first": FIRST, "ratio": STEP, "tolerance": TOLERANCE, "start": self.start}
        return self.specs("eg-path", LAST, "log", {"passes": PATH_PASSES, "gap": TOLERANCE}, **options)

    def for_paths(self) -> "list[Task]":
        """Return the task for both starts with controls; else for ours, with one seed, which decides nothing."""
        if self.controls:
            return [replace(self, start=start) for start in STARTS]
        return [replace(self, start=START, seeds=self.seeds[:1])]

    def found(self, kind: str, C: float = math.nan, **params: Any) -> list[Spec]:
        """Return what rules and figures name: ``path``, or an algorithm (and a word of ``VARIANTS``) at a C."""
        algorithm, *variant = kind.split()
        changed = VARIANTS[variant[0]] if variant else {}
        return self.path() if kind == "path" else self.specs(algorithm, C, **changed | params)

    def needs(self, name: str) -> list[Spec]:
        """Return the runs that a claim names: an algorithm, ``problem`` or ``path``, then the C if not all."""
        kind, *Cs = name.split()
        listed = self.problem if kind == "problem" else partial(self.found, kind)
        return [spec for C in map(float, Cs or CS) for spec in listed(C)]

    def optimum(self, runs: Runs, C: float) -> curves.Optimum:
        """Return the best certified value of the log loss with this C."""
        return curves.optimum(runs.present(self.problem(C)))

    @property
    def error_label(self) -> str:
        """Return what an axis of test errors is called."""
        return f"error (% of {self.wrong})"

    @property
    def shown(self) -> float:
        """Return how many passes figures show."""
        return min(self.passes, SHOWN)


def tasks(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """Return the tasks of a scale (``tiny``, ``quick`` or ``paper``) whose corpora can be had."""
    said = tables(SCALES)
    words = {"part": "" if scale == "paper" else ", a part of it"}
    words["here"] = " (here a part of them)" if scale == "tiny" else ""
    return [
        Task(
            stem, about["name"].format(**words), data, about["wrong"],
            filled(about["setting"], words), seeds=tuple(about["seeds"].get(scale, [0])),
            controls=stem == "mnist" and scale != "quick", **said["limits"][scale],
        )
        for stem, about in said["tasks"].items()
        if scale in about["data"] and (data := data_ref(about["data"][scale])).name not in without
    ]  # fmt: skip
