"""The runs of eg2008 for the log loss at each scale: EG, SGD and L-BFGS on three data sets."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from structbench import datasets
from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.setting import (
    ALIKE_CS,
    ANNEALED,
    CONJUGATE_CS,
    CS,
    FIXED,
    FIXED_RATE,
    GAP,
    POST_HOC,
    SGD_ERROR_CS,
    SHOWN,
    SLOW_C,
    START,
    STARTS,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, make


@dataclass(frozen=True)
class Task:
    """A data set to train on, and for how long.

    Attributes:
        wrong: What the validation error counts, such as images.
        passes: Passes of EG and L-BFGS.
        start: EG's first dual point, for specs that do not say.
        sgd_passes: Passes of SGD, except at C = 10 (Figure 14); 0 for as many as the others.
        batch_passes: Passes of batch EG.
        controls: Whether to run comparisons that claims need and the paper does not show. They are conjugate
            gradient, SGD with a fixed rate, EG at C = 0.1, SGD at more C.
        seconds: The limit of a run for the hinge.
        calibrate: Whether EG chooses its first step size on a tenth of the examples; it is 0.5 in section 7.1.
        gap: The relative gap at which runs end.
    """

    stem: str
    name: str
    data: str
    wrong: str
    setting: str
    passes: float
    seeds: tuple[int, ...] = (0,)
    start: float = START
    sgd_passes: float = 0.0
    batch_passes: float = 100.0
    controls: bool = False
    seconds: float = 300.0
    calibrate: bool = False
    gap: float = GAP

    def specs(
        self, algorithm: str, C: float, loss: str = "log", limits: dict[str, Any] | None = None, **params: Any
    ) -> list[Spec]:
        """Return one spec a seed; a single one if nothing is random. ``limits`` replace the task's."""
        if algorithm == "eg":
            params = {"start": self.start, "calibrate": self.calibrate} | params
        batch = params.get("mode") == "batch"
        fixed = algorithm in FIXED or params.get("order") == "cyclic" or batch
        short = self.sgd_passes if algorithm == "sgd" and (C != 10 or params) else 0.0
        passes = self.batch_passes if batch else short or self.passes
        limits = {"passes": passes, "gap": self.gap} | (limits or {})
        make_one = partial(make, self.data, loss, C, algorithm, params, **limits)
        return [make_one(seed=seed) for seed in (self.seeds[:1] if fixed else self.seeds)]

    def batch(self, C: float) -> list[Spec]:
        """Return batch EG with adaptive step sizes."""
        return self.specs("eg", C, mode="batch")

    def problem(self, C: float) -> list[Spec]:
        """Return all runs of one C for the log loss; they give its optimum."""
        specs = [spec for start in STARTS for spec in self.specs("eg", C, start=start)]
        specs += self.specs("lbfgs", C) + self.specs("sgd", C)
        if C == 10:
            specs += [spec for start in STARTS for spec in self.specs("eg", C, start=start, mode="batch")]
        if C == 1:
            specs += self.specs("sgd", C, **POST_HOC)
            specs += [s for start in STARTS for s in self.specs("eg", C, start=start, order="cyclic")]
            specs += [s for start in STARTS for s in self.specs("eg", C, start=start, **ANNEALED)]
        if self.controls:
            specs += self.specs("sgd", C, **FIXED_RATE)
            specs += self.specs("conjugate-gradient", C) if C in CONJUGATE_CS else []
        return specs

    def all_specs(self) -> list[Spec]:
        """Return all runs of the task for the log loss."""
        more = [s for C in ALIKE_CS[1:] if self.controls or C in SGD_ERROR_CS for s in self.specs("sgd", C)]
        more += [s for start in STARTS if self.controls for s in self.specs("eg", SLOW_C, start=start)]
        return [spec for C in CS for spec in self.problem(C)] + more

    def timed(self) -> list[Spec]:
        """Return the runs of Figure 14, whose seconds are read."""
        found = [spec for start in STARTS for spec in self.specs("eg", 10.0, start=start)]
        return found + self.specs("lbfgs", 10.0) + self.specs("sgd", 10.0)

    def optimum(self, runs: Runs, C: float) -> curves.Optimum:
        """Return the best certified value of the log loss with this C."""
        return curves.optimum(runs.present(self.problem(C)))

    @property
    def shown(self) -> float:
        return min(self.passes, SHOWN)


def tasks(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """Return the tasks of a scale (``tiny``, ``quick`` or ``paper``) whose corpora can be had.

    At ``tiny``, chunking replaces both chains.
    """
    data, limits, rest = {
        "tiny": (
            {"mnist": "mnist:train=1000,test=500", "chunking": "conll2000:sentences=60,test_sentences=60"},
            (10.0, 0.0, 10.0),
            {},
        ),
        "quick": (
            {"mnist": "mnist", "ocr": "ocr:words=1500", "chunking": "conll2000:sentences=400,test_sentences=300"},
            (60.0, 30.0, 30.0),
            {"mnist": (0, 1, 2)},
        ),
        "paper": (
            {"mnist": "mnist", "ocr": "ocr", "chunking": "conll2000"},
            (200.0, 60.0, 60.0),
            {"mnist": tuple(range(10)), "ocr": tuple(range(5)), "chunking": (0, 1, 2)},  # by what a run costs
        ),
    }[scale]
    passes, sgd_passes, batch_passes = limits
    part = "" if scale == "paper" else ", a part of it"
    twin = "A twin of ours: the paper's figure is on MNIST, this one on"
    theirs = (
        "Theirs: MNIST, 59,000 + 10,000 images, of which we use the first 59,000 of the training file and "
        f"the test file{' (here a part of them)' if scale == 'tiny' else ''}; no bias."
    )
    words = f"{twin} OCR letters{part}, a chain CRF with 26 labels over words of 16 x 8 binary pixels a letter."
    chunks = f"{twin} chunking of CoNLL-2000{part}, a chain CRF over the tags of the words."
    each = (
        ("mnist", "MNIST", "images", theirs),
        ("ocr", f"OCR letters{part}", "letters", words),
        ("chunking", f"chunking, CoNLL-2000{part}", "tags", chunks),
    )
    return [
        Task(
            *(stem, name, data[stem], wrong, about, passes, rest.get(stem, (0,))),
            sgd_passes=sgd_passes,
            batch_passes=batch_passes,
            controls=stem == "mnist" and scale != "quick",
        )
        for stem, name, wrong, about in each
        if stem in data and datasets.parse(data[stem]).name not in without
    ]
