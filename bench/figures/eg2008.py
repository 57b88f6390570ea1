"""Figures 4 to 7, 9 to 11 and 14 of eg2008: EG against SGD and L-BFGS, for the log loss.

The paper's are on MNIST. OCR letters and chunking are twins of ours: the same C, algorithms and axes for a
chain CRF. ``docs/eg2008.md`` says what the paper leaves open and what we decided.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bench.draw import Figure, Runs
from bench.spec import Spec, make

if TYPE_CHECKING:
    from bench.claims import Claim
    from bench.figures.measures import Optimum

CS = (1000.0, 100.0, 10.0, 1.0)
SGD_ERROR_CS = (1000.0, 100.0, 10.0, 0.01)  # Figure 9
POST_HOC = {"eta0": 0.1}  # Figure 10, C = 1
START, UNIFORM = 10.0, 0.0  # EG's first dual point, which the paper leaves open: ours, and the uniform one
SHOWN = 60.0  # passes on the x axis of all but Figures 6, 7 and 14, which show whole runs


@dataclass(frozen=True)
class Task:
    """A data set to learn, and how long.

    Attributes:
        wrong: of what the validation error counts the share.
        start: EG's first dual point, for specs that do not say.
    """

    stem: str
    name: str
    data: str
    wrong: str
    setting: str
    passes: float
    seeds: tuple[int, ...] = (0,)
    start: float = START

    def specs(self, algorithm: str, C: float, **params: Any) -> list[Spec]:
        """One spec a seed; only one where nothing is drawn at random."""
        if algorithm == "eg":
            params = {"start": self.start} | params
        fixed = algorithm == "lbfgs" or params.get("order") == "cyclic"
        make_one = partial(make, self.data, "log", C, algorithm, params, passes=self.passes)
        return [make_one(seed=seed) for seed in (self.seeds[:1] if fixed else self.seeds)]

    def problem(self, C: float) -> list[Spec]:
        """All runs of one C, from which its optimum is known."""
        specs = [spec for start in (START, UNIFORM) for spec in self.specs("eg", C, start=start)]
        specs += self.specs("lbfgs", C) + self.specs("sgd", C)
        if C == 1:
            specs += self.specs("eg", C, start=START, order="cyclic") + self.specs("sgd", C, **POST_HOC)
        return specs

    def family(self) -> list[Spec]:
        """All runs of the task."""
        return [spec for C in CS for spec in self.problem(C)] + self.specs("sgd", SGD_ERROR_CS[-1])

    def optimum(self, runs: Runs, C: float) -> "Optimum":
        """The best certified value of the problem with this C."""
        from bench.figures import measures

        return measures.optimum(runs.present(self.problem(C)))

    @property
    def shown(self) -> float:
        return min(self.passes, SHOWN)


def tasks(scale: str) -> list[Task]:
    """The tasks of a scale: ``tiny``, ``quick`` or ``paper``."""
    data, passes, seeds = {
        "tiny": (
            ("mnist:train=1000,test=500", "ocr:words=150", "conll2000:sentences=60,test_sentences=60"),
            10.0,
            (0,),
        ),
        "quick": (("mnist", "ocr", "toy-english"), 150.0, (0,)),
        "paper": (("mnist", "ocr", "conll2000"), 200.0, (0, 1, 2)),
    }[scale]
    mnist, ocr, chunking = data
    corpus = "CoNLL-2000" if chunking.startswith("conll2000") else "generated sentences (toy-english)"
    twin = "A twin of ours: the paper's figure is on MNIST, this one on"
    return [
        Task(
            "mnist",
            "MNIST",
            mnist,
            "images",
            "Theirs: MNIST, 59,000 + 10,000 images, of which we use the first 59,000 of the training file and "
            f"the test file{' (here a part of them)' if scale == 'tiny' else ''}; no bias.",
            passes,
            seeds,
        ),
        Task(
            "ocr",
            "OCR letters",
            ocr,
            "letters",
            f"{twin} OCR letters, a chain CRF with 26 labels over words of 16 x 8 binary pixels a letter.",
            passes,
            seeds,
        ),
        Task(
            "chunking",
            f"chunking, {corpus.partition(' (')[0]}",
            chunking,
            "tags",
            f"{twin} chunking of {corpus}, a chain CRF over the tags of the words.",
            passes,
            seeds,
        ),
    ]


def families(scale: str) -> dict[str, list[Spec]]:
    """The runs of each task, by the name of its MLflow experiment."""
    return {f"eg2008/{task.stem}-log": task.family() for task in tasks(scale)}


def figures(scale: str) -> dict[str, Figure]:
    """All figures, by file stem such as ``fig04-mnist``."""
    from bench.figures.eg2008_drawn import DRAWN

    return {
        f"{stem}-{task.stem}": Figure(
            f"eg2008, Figure {int(stem[3:])}{'' if task.stem == 'mnist' else ' (twin)'}: {title}, {task.name}",
            f"{caption} {task.setting} {_ours(task)}",
            partial(draw, task),
        )
        for task in tasks(scale)
        for stem, (title, caption, draw) in DRAWN.items()
    }


def claims(scale: str) -> "list[Claim]":
    """The claims of sections 7.1 and F, on each task; those that EG's start decides also from the uniform one."""
    from bench.figures import eg2008_claims

    return [
        claim
        for task in tasks(scale)
        for start in (START, UNIFORM)
        for claim in eg2008_claims.claims(replace(task, start=start))
    ]


def _ours(task: Task) -> str:
    """What every caption says of our choices."""
    repeated = f" Lines are means over {len(task.seeds)} seeds, bands their range." if len(task.seeds) > 1 else ""
    return (
        f"Ours: EG's first dual point, u proportional to exp(-{START:g} x Hamming loss) and, for a \"uniform "
        "start\", uniform (theirs is not given); the axes' ranges and the lines' styles. A dot ends a run that "
        f"reached a relative gap of 1e-6; dotted lines lead from there to the run's name.{repeated}"
    )
