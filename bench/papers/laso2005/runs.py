"""Tables 1 to 3 of laso2005 and its comparisons: learning as search optimization for chunking and joint tagging.

Every setting has two runs: one that learns from nine tenths of the training sentences, on the last tenth of
which the number of passes (or C) is chosen, as in section 4.1, and one that learns from all of them and is
tested. Neither sees the test sentences before. ``docs/laso2005.md`` says what the paper leaves open and what we
decided.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from bench.drawing.draw import Figure
from bench.runs.spec import Spec, make

if TYPE_CHECKING:
    from bench.papers.judging import Claim

Beam = int | str
CHUNKING, JOINT = "segments", "joint"
BEAMS: dict[str, tuple[Beam, ...]] = {CHUNKING: (1, 5, 10, 25, 50, "inf"), JOINT: (1, 5, 10, 25, 50)}
TABLE_1 = (1, 5, 25, "inf")  # the beams of its rows
MATRIX_PASSES = 3.0  # of Table 3, "typically two or three"
COMPARED = 10  # the beam at which section 5 compares updates
SEPARABLE = (1, 5)  # the beams of Theorem 4's experiment


@dataclass(frozen=True)
class Way:
    """A way to learn: an algorithm with parameters; several C where one is to be chosen."""

    name: str
    algorithm: str
    params: dict[str, Any] = field(hash=False, default_factory=dict)
    loss: str | None = None
    Cs: tuple[float | None, ...] = (None,)


SEMI_CRF = Way("SemiCRF", "eg", {}, "log", (4.0, 8.0, 16.0, 32.0))
SEMI_M3N = Way("SemiM3N", "eg", {}, "hinge", (4.0, 16.0))  # ours
PERCEPTRON = Way("Perceptron", "structured-perceptron")
STANDARD = Way("standard update", "structured-perceptron", {"beam": COMPARED})
EARLY = Way("early update", "early-update", {"beam": COMPARED})
MAX_VIOLATION = Way("max-violation", "max-violation", {"beam": COMPARED})  # later than the paper


def laso(update: str, beam: Beam) -> Way:
    """LaSO with a beam, named as in the paper: p for perceptron, a for alma, and the beam."""
    sign = {"perceptron": "p", "alma": "a"}[update]
    return Way(f"LaSO{sign}{'∞' if beam == 'inf' else beam}", "laso", {"update": update, "beam": beam})


@dataclass(frozen=True)
class Task:
    """What is learned at a scale.

    Attributes:
        data: a data set of chunks, and its options but for the task.
        passes: that a run makes; the paper's number is chosen among them.
        separable: the same for Theorem 4's experiment, on few sentences.
        matrix: the beams of Table 3.
    """

    scale: str
    data: tuple[str, ...]
    separable: tuple[str, ...]
    passes: int
    settle: float
    seeds: tuple[int, ...]
    matrix: tuple[int, ...] = BEAMS[JOINT]

    def problem(self, kind: str, tune: bool) -> str:
        """The data set of chunking or of the joint task; ``tune``: to choose parameters on."""
        name, *options = self.data
        if tune:
            options = [option for option in options if not option.startswith("test_sentences=")] + ["tune=true"]
        return f"{name}:{','.join([*options, f'task={kind}'])}"

    @property
    def optimum(self) -> dict[str, float]:
        """Limits of runs that minimise an objective: a certified gap, or four times the passes of the others."""
        return {"passes": 4.0 * self.passes, "gap": 1e-3}

    def specs(self, way: Way, kind: str, C: float | None = None, tune: bool = False) -> list[Spec]:
        """One spec a seed."""
        data = self.problem(kind, tune)
        C = way.Cs[0] if C is None else C
        limits = {"passes": float(self.passes), "gap": 0.0} if way.loss is None else self.optimum
        return [make(data, way.loss, C, way.algorithm, way.params, **limits, seed=seed) for seed in self.seeds]

    def all_of(self, way: Way, kind: str) -> list[Spec]:
        """Its runs, those to choose by and those that are tested."""
        return [spec for C in way.Cs for tune in (True, False) for spec in self.specs(way, kind, C, tune)]

    def settled(self, beam: int) -> list[Spec]:
        """Theorem 4's experiment: alma until a pass changes nothing."""
        name, *options = self.separable
        data = f"{name}:{','.join([*options, f'task={JOINT}'])}"
        params = {"update": "alma", "beam": beam}
        return [make(data, None, None, "laso", params, passes=self.settle, seed=seed) for seed in self.seeds]


def ways(kind: str) -> list[Way]:
    """All ways of Table 1 or 2, and ours."""
    found = [laso(update, beam) for update in ("perceptron", "alma") for beam in BEAMS[kind]]
    return [SEMI_CRF, SEMI_M3N, PERCEPTRON, *found] if kind == CHUNKING else [*UPDATES[:-1], *found]


UPDATES = (STANDARD, EARLY, MAX_VIOLATION, laso("perceptron", COMPARED))  # section 5's, and a later one


def task(scale: str) -> Task:
    """The task of a scale: ``tiny``, ``quick`` or ``paper``."""
    return {
        "tiny": Task(
            "tiny",
            ("toy-english", "sentences=60", "test_sentences=60"),
            ("toy-english", "sentences=20", "test_sentences=20"),
            passes=2,
            settle=100.0,
            seeds=(0,),
            matrix=(1, 5),
        ),
        "quick": Task(
            "quick",
            ("toy-english", "sentences=400", "test_sentences=400"),
            ("toy-english", "sentences=40", "test_sentences=20"),
            passes=6,
            settle=200.0,
            seeds=(0,),
        ),
        "paper": Task(
            "paper",
            ("conll2000",),
            ("conll2000", "sentences=200", "test_sentences=20"),
            passes=8,
            settle=500.0,
            seeds=(0,),
        ),
    }[scale]


def matrix(chosen: Task) -> dict[tuple[int, int], list[Spec]]:
    """Table 3: (beam of training, beam of decoding) -> its runs, of a few passes."""
    limits = {"passes": MATRIX_PASSES, "gap": 0.0}
    return {
        (train, test): [
            make(
                chosen.problem(JOINT, False), None, None, "laso",
                {"update": "alma", "beam": train, "decode": "same" if test == train else test},
                **limits, seed=seed,
            )
            for seed in chosen.seeds
        ]
        for train in chosen.matrix
        for test in chosen.matrix
    }  # fmt: skip


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """The runs, each once, by MLflow experiment."""
    chosen = task(scale)
    found = {f"laso2005/{kind}": [s for way in ways(kind) for s in chosen.all_of(way, kind)] for kind in BEAMS}
    found["laso2005/decoding"] = [spec for specs in matrix(chosen).values() for spec in specs]
    found["laso2005/theorem4"] = [spec for beam in SEPARABLE for spec in chosen.settled(beam)]
    listed: set[Spec] = set()
    for name, specs in found.items():
        found[name] = [spec for spec in dict.fromkeys(specs) if spec not in listed]
        listed.update(specs)
    return found


def figures_of(scale: str) -> dict[str, Figure]:
    """All figures and tables, by file stem."""
    from bench.papers.laso2005 import figures as laso2005_drawn
    from bench.papers.laso2005 import tables as laso2005_table

    chosen = task(scale)
    drawn = {
        stem: Figure(f"laso2005, {title}", f"{caption} {about(chosen, selects)}", partial(draw, chosen))
        for stem, (title, caption, selects, draw) in laso2005_drawn.DRAWN.items()
    }
    return drawn | laso2005_table.tables(chosen)


def claims_of(scale: str) -> "list[Claim]":
    """The claims of its sections 4 and 5."""
    from bench.papers.laso2005 import claims as laso2005_claims

    return laso2005_claims.claims(task(scale))


def about(chosen: Task, selects: bool = True) -> str:
    """What a caption says of the data and, if passes and C are chosen for what it shows, of how they are."""
    many = f", means over {len(chosen.seeds)} seeds" if len(chosen.seeds) > 1 else ""
    how = (
        f"passes (at most {chosen.passes}), and C, chosen on the last tenth of the training sentences by a run on "
        "the others; "
    )
    return (
        f"Data: {chosen.data[0]}{many}; {how if selects else ''}seconds of training are ours, CPU time of one "
        "thread without evaluation."
    )
