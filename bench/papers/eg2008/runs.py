"""The runs of eg2008 for the log loss: EG, SGD and L-BFGS on three data sets, at each scale."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import datasets
from bench.drawing import curves
from bench.papers.eg2008.setting import (
    ANNEALED,
    CS,
    FIXED,
    HINGE_PASSES,
    POST_HOC,
    SGD_ERROR_CS,
    SHOWN,
    START,
    UNIFORM,
)
from bench.runs.finished import Runs
from bench.runs.spec import Spec, make


@dataclass(frozen=True)
class Task:
    """A data set to learn, and how long.

    Attributes:
        wrong: of what the validation error counts the share.
        start: EG's first dual point, for specs that do not say.
        seconds: limit of a run for Figure 13.
        hinge_passes: of runs for the hinge, and of batch EG.
        calibrate: whether EG's first step size is chosen on a tenth of the examples; 0.5 in section 7.1.
    """

    stem: str
    name: str
    data: str
    wrong: str
    setting: str
    passes: float
    seeds: tuple[int, ...] = (0,)
    start: float = START
    seconds: float = 300.0
    hinge_passes: float = HINGE_PASSES
    calibrate: bool = False

    def specs(
        self, algorithm: str, C: float, loss: str = "log", limits: dict[str, Any] | None = None, **params: Any
    ) -> list[Spec]:
        """One spec a seed; only one where nothing is drawn at random. ``limits``: others than the task's."""
        if algorithm == "eg":
            params = {"start": self.start, "calibrate": self.calibrate} | params
        fixed = algorithm in FIXED or params.get("order") == "cyclic" or params.get("mode") == "batch"
        limits = {"passes": self.passes if loss == "log" else self.hinge_passes} | (limits or {})
        make_one = partial(make, self.data, loss, C, algorithm, params, **limits)
        return [make_one(seed=seed) for seed in (self.seeds[:1] if fixed else self.seeds)]

    def problem(self, C: float) -> list[Spec]:
        """All runs of one C for the log loss, from which its optimum is known."""
        specs = [spec for start in (START, UNIFORM) for spec in self.specs("eg", C, start=start)]
        specs += self.specs("lbfgs", C) + self.specs("sgd", C)
        if C == 1:
            specs += self.specs("eg", C, start=START, order="cyclic") + self.specs("sgd", C, **POST_HOC)
            specs += [s for start in (START, UNIFORM) for s in self.specs("eg", C, start=start, **ANNEALED)]
        return specs

    def all_specs(self) -> list[Spec]:
        """All runs of the task for the log loss."""
        return [spec for C in CS for spec in self.problem(C)] + self.specs("sgd", SGD_ERROR_CS[-1])

    def optimum(self, runs: Runs, C: float) -> curves.Optimum:
        """The best certified value of the log loss with this C."""
        return curves.optimum(runs.present(self.problem(C)))

    @property
    def shown(self) -> float:
        return min(self.passes, SHOWN)


def tasks(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """The tasks of a scale, ``tiny``, ``quick`` or ``paper``, but for those whose corpus cannot be had.

    At ``tiny`` chunking stands for both chains.
    """
    data, passes, seeds, seconds, hinge = {
        "tiny": (
            {"mnist": "mnist:train=1000,test=500", "chunking": "conll2000:sentences=60,test_sentences=60"},
            (10.0, 10.0),
            (0,),
            2.0,
            HINGE_PASSES,
        ),
        "quick": (
            {"mnist": "mnist", "ocr": "ocr:words=1500", "chunking": "conll2000:sentences=400,test_sentences=300"},
            (60.0, 50.0),
            (0,),
            5.0,
            50.0,
        ),
        "paper": (
            {"mnist": "mnist", "ocr": "ocr", "chunking": "conll2000"},
            (200.0, 200.0),
            (0, 1, 2),
            300.0,
            HINGE_PASSES,
        ),
    }[scale]
    of_images, of_chains = passes
    part = "" if scale == "paper" else ", a part of it"
    twin = "A twin of ours: the paper's figure is on MNIST, this one on"
    made = [
        Task(
            "mnist",
            "MNIST",
            data["mnist"],
            "images",
            "Theirs: MNIST, 59,000 + 10,000 images, of which we use the first 59,000 of the training file and "
            f"the test file{' (here a part of them)' if scale == 'tiny' else ''}; no bias.",
            of_images,
            seeds,
            seconds=seconds,
            hinge_passes=hinge,
        ),
        Task(
            "ocr",
            f"OCR letters{part}",
            data.get("ocr", ""),
            "letters",
            f"{twin} OCR letters{part}, a chain CRF with 26 labels over words of 16 x 8 binary pixels a letter.",
            of_chains,
            seeds,
            seconds=seconds,
            hinge_passes=hinge,
        ),
        Task(
            "chunking",
            f"chunking, CoNLL-2000{part}",
            data["chunking"],
            "tags",
            f"{twin} chunking of CoNLL-2000{part}, a chain CRF over the tags of the words.",
            of_chains,
            seeds,
            seconds=seconds,
            hinge_passes=hinge,
        ),
    ]
    return [task for task in made if task.data and datasets.parse(task.data).name not in without]
