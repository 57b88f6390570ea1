"""The ways to train in laso2005, their beams, and the runs at each scale: every way, tuned and tested."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from structbench.bench.papers import ways
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.papers.grid_runs import once
from structbench.bench.runs.spec import Spec

SAID: dict[str, Any] = tuples(tables(Path(__file__).with_name("scales.toml")))
Beam = int | str
OWN_DATA = ("conll2000",)
CHUNKING, JOINT = "segments", "joint"
BEAMS: dict[str, tuple[Beam, ...]] = {CHUNKING: (1, 5, 10, 25, "inf"), JOINT: (1, 5, 10, 25, 50)}
MATRIX_PASSES = 3.0  # of Table 3, "typically two or three"
COMPARED = 10  # the beam at which section 5 compares updates
SEPARABLE = (1, 5)  # the beams of Theorem 4's experiment; the paper's is 5
ALPHAS = (0.5, 0.7, 0.95)  # besides 0.9, with ``ALPHA_BEAM``
ALPHA_BEAM = 5
CHOOSERS = 3  # the first seeds, which choose, and whose seconds are read


@dataclass(frozen=True)
class Way(ways.Way):
    """A way to train, with several C if one is to be chosen."""

    Cs: tuple[float | None, ...] = (None,)
    tuned_by: "Way | None" = None  # the way whose held-out scores choose for this one, if not its own


SEMI_CRF = Way("SemiCRF", "eg", loss="log", Cs=(1.0, 2.0, 4.0, 8.0, 16.0))
SEMI_CRF_LBFGS = Way("SemiCRF, L-BFGS", "lbfgs", loss="log", Cs=SEMI_CRF.Cs, tuned_by=SEMI_CRF)
SEMI_CRFS = (SEMI_CRF, SEMI_CRF_LBFGS)  # the paper does not say which: a claim must hold for both
SEMI_M3N = Way("SemiM3N", "eg", loss="hinge", Cs=(4.0, 16.0))  # ours
PERCEPTRON = Way("Perceptron", "perceptron")
STANDARD = Way("standard update", "perceptron", {"beam": COMPARED})
EARLY = Way("early update", "early-update", {"beam": COMPARED})
MAX_VIOLATION = Way("max-violation", "max-violation", {"beam": COMPARED})  # later than the paper
OURS_ONLY = (MAX_VIOLATION, SEMI_M3N)  # no claim is about them


def laso(update: str, beam: Beam) -> Way:
    """Return LaSO with a beam, named as in the paper: p for perceptron, a for alma, and the beam."""
    sign = {"perceptron": "p", "alma": "a"}[update]
    return Way(f"LaSO{sign}{'∞' if beam == 'inf' else beam}", "laso", {"update": update, "beam": beam})


def with_alpha(alpha: float) -> Way:
    """Return large margin updates with another alpha, for as many passes as with 0.9."""
    usual = laso("alma", ALPHA_BEAM)
    return Way(f"{usual.name}, alpha {alpha:g}", usual.algorithm, usual.params | {"alpha": alpha}, tuned_by=usual)


UPDATES = (STANDARD, EARLY, MAX_VIOLATION, laso("perceptron", COMPARED))  # section 5's, and a later one
UNTIMED = (STANDARD, EARLY, *map(with_alpha, ALPHAS))  # in chunking: no seconds are shown


def lasos(kind: str) -> list[Way]:
    """Return LaSO with each update and beam of a task."""
    return [laso(update, beam) for update in ("perceptron", "alma") for beam in BEAMS[kind]]


def ways_of(kind: str) -> list[Way]:
    """Return all ways of Table 1 or 2, those that section 5 compares with them, and ours."""
    if kind == JOINT:
        return [*UPDATES[:-1], *lasos(kind)]
    return [*SEMI_CRFS, SEMI_M3N, PERCEPTRON, STANDARD, EARLY, *lasos(kind), *map(with_alpha, ALPHAS)]


@dataclass(frozen=True)
class Task:
    """The data, passes and seeds of a scale."""

    scale: str
    data: tuple[str, ...]  # a data set of chunks, and its options without the task
    separable: tuple[str, ...]  # the same as ``data`` for Theorem 4's experiment, with few sentences
    passes: int  # passes that a run makes; the number to test is chosen among them
    settle: float
    # seeds of the runs that are tested. The first ``CHOOSERS`` also choose, and are timed. A way that minimises an
    # objective has one optimum, and one seed
    seeds: tuple[int, ...]
    matrix: tuple[int, ...] = BEAMS[JOINT]  # the beams of Table 3
    tested: int = 2012  # how many test sentences there are
    error: float = 0.06  # what F lacks to 1, roughly: by this, differences are level

    def problem(self, kind: str, tune: bool) -> str:
        """Return the data set of chunking or of the joint task; with ``tune``, the one that chooses parameters."""
        name, *options = self.data
        if tune:
            options = [option for option in options if not option.startswith("test_sentences=")] + ["tune=true"]
        return f"{name}:{','.join([*options, f'task={kind}'])}"

    def is_of(self, corpora: frozenset[str]) -> bool:
        """Tell whether the sentences are from one of these corpora."""
        return self.data[0] in corpora

    @property
    def matrix_passes(self) -> float:
        """Return the passes after which Table 3 reads its runs."""
        return min(MATRIX_PASSES, float(self.passes))

    def seeds_of(self, way: Way, tune: bool = False) -> tuple[int, ...]:
        """Return the seeds of a way's runs."""
        return self.seeds[: 1 if way.loss or way in OURS_ONLY else CHOOSERS if tune else None]

    def specs(self, way: Way, kind: str, C: float | None = None, tune: bool = False) -> list[Spec]:
        """Return one spec a seed; with an objective they end at a gap, or at four times the passes of others."""
        data = self.problem(kind, tune)
        C = way.Cs[0] if C is None else C
        passes, gap = (float(self.passes), 0.0) if way.loss is None else (4.0 * self.passes, 1e-3)
        return [way.spec(data, C, seed, passes=passes, gap=gap) for seed in self.seeds_of(way, tune)]

    def choosers(self, way: Way, kind: str, C: float | None) -> list[Spec]:
        """Return the runs whose held-out scores choose for a way."""
        return self.specs(way.tuned_by or way, kind, C, tune=True)

    def all_of(self, way: Way, kind: str) -> list[Spec]:
        """Return a way's runs, those that choose and those that are tested."""
        return [s for C in way.Cs for s in (*self.choosers(way, kind, C), *self.specs(way, kind, C))]

    def settled(self, beam: int) -> list[Spec]:
        """Return Theorem 4's experiment: alma until a pass changes nothing."""
        data = replace(self, data=self.separable).problem(JOINT, False)
        return [laso("alma", beam).spec(data, None, seed, passes=self.settle) for seed in self.seeds[:1]]


def task(scale: str) -> Task:
    """Return the task of a scale: ``tiny``, ``quick`` or ``paper``."""
    return Task(scale, **SAID["tasks"][scale])


def matrix(chosen: Task) -> dict[tuple[int, int], list[Spec]]:
    """Return Table 3: (beam of training, beam of decoding) -> its runs; the diagonal is from Table 2."""
    return {(train, test): _cell(chosen, train, test) for train in chosen.matrix for test in chosen.matrix}


def _cell(chosen: Task, train: int, test: int) -> list[Spec]:
    way, data = laso("alma", train), chosen.problem(JOINT, False)
    if test == train:
        return chosen.specs(way, JOINT)
    decoded = replace(way, params=way.params | {"decode": test})
    return [decoded.spec(data, None, seed, passes=chosen.matrix_passes, gap=0.0) for seed in chosen.seeds]


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the tested runs of chunking whose seconds are read.

    The joint task's share the machine. Alone they took 45 minutes more, and all runs over 2.5 hours, when beam
    search was slower.
    """
    chosen = task(scale)
    if chosen.is_of(without):
        return []
    timed = [way for way in ways_of(CHUNKING) if way not in UNTIMED]
    listed = [spec for way in timed for C in way.Cs for spec in chosen.specs(way, CHUNKING, C)]
    return [spec for spec in listed if spec.seed in chosen.seeds[:CHOOSERS]]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    chosen = task(scale)
    if chosen.is_of(without):
        return {}
    found = {f"laso2005/{kind}": [s for way in ways_of(kind) for s in chosen.all_of(way, kind)] for kind in BEAMS}
    found["laso2005/decoding"] = [spec for specs in matrix(chosen).values() for spec in specs]
    found["laso2005/theorem4"] = [spec for beam in SEPARABLE for spec in chosen.settled(beam)]
    return once(found)
