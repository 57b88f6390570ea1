"""The ways to train in laso2005, their beams, and the runs at each scale: every way, tuned and tested."""

import itertools
from dataclasses import dataclass, replace
from pathlib import Path

from structbench.bench.papers import grid_runs
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.papers.grid_runs import once
from structbench.bench.runs.documents import Json
from structbench.bench.runs.spec import Spec

SAID: Json = tuples(tables(Path(__file__).with_name("scales.toml")))
Beam = int | str
OWN_DATA = ("conll2000",)
CHUNKING, JOINT = "segments", "joint"
BEAMS: dict[str, tuple[Beam, ...]] = {CHUNKING: (1, 5, 10, 25, "inf"), JOINT: (1, 5, 10, 25, 50)}
MATRIX_PASSES = 3.0  # of Table 3, "typically two or three"
SEPARABLE = (1, 5)  # the beams of Theorem 4's experiment; the last is the paper's
CHOOSERS = 3  # the first seeds, which choose


@dataclass(frozen=True)
class Way(grid_runs.Way):
    """A way to train, with several C if one is to be chosen."""

    Cs: tuple[float | None, ...] = (None,)
    tuned_by: str = ""  # the way whose held-out scores choose for this one, if not its own
    longer: float = 4.0  # its limit of passes, if it has an objective, over those of the others


WAYS, GROUPS = grid_runs.ways(Path(__file__).with_name("ways.toml"), Way)
SEMI_CRF, PERCEPTRON, STANDARD = (WAYS[name] for name in ("semicrf", "perceptron", "standard"))
WAYS_OF = {  # of Table 1 or 2, those that section 5 compares with them, and ours
    CHUNKING: (*GROUPS["table1"], *GROUPS["untimed"]),
    JOINT: tuple(dict.fromkeys((*GROUPS["updates"], *GROUPS["table2"]))),
}


def laso(update: str, beam: Beam) -> Way:
    """Return LaSO with an update and a beam."""
    return WAYS[f"{update[0]}{beam}"]


@dataclass(frozen=True)
class Task:
    """The data, passes and seeds of a scale."""

    scale: str
    data: tuple[str, ...]  # a data set of chunks, and its options without the task
    separable: tuple[str, ...]  # the same as ``data`` for Theorem 4's experiment, with few sentences
    passes: int  # passes that a run makes; the number to test is chosen among them
    settle: float
    # seeds of the runs that are tested. The first ``CHOOSERS`` also choose. A way that minimises an objective has
    # one optimum, and one seed
    seeds: tuple[int, ...]
    more: tuple[int, ...] = ()  # further seeds of large margin updates in the joint task
    matrix: tuple[int, ...] = (1, 5, 10, 25, 50)  # the beams of Table 3
    tested: int = 2012  # how many test sentences there are
    error: float = 0.06  # what F lacks to 1, roughly: by this, differences are level

    def problem(self, kind: str, tune: bool) -> str:
        """Return the data set of chunking or of the joint task; with ``tune``, the one that chooses parameters."""
        name, *options = self.data
        if tune:
            options = [option for option in options if not option.startswith("test_sentences=")] + ["tune=true"]
        return f"{name}:{','.join([*options, f'task={kind}'])}"

    @property
    def matrix_passes(self) -> float:
        """Return the passes after which Table 3 reads its runs."""
        return min(MATRIX_PASSES, float(self.passes))

    def seeds_of(self, way: Way, kind: str, tune: bool = False) -> tuple[int, ...]:
        """Return the seeds of a way's runs."""
        if way.loss or way in GROUPS["ours"]:
            return self.seeds[:1]
        if tune:
            return self.seeds[:CHOOSERS]
        return self.seeds + (self.more if kind == JOINT and way in GROUPS["more_seeds"] else ())

    def specs(self, way: Way, kind: str, C: float | None = None, tune: bool = False) -> list[Spec]:
        """Return one spec a seed; with an objective they end at a gap, or at more passes than others make."""
        data = self.problem(kind, tune)
        C = way.Cs[0] if C is None else C
        passes, gap = (float(self.passes), 0.0) if way.loss is None else (way.longer * self.passes, 1e-3)
        return [way.spec(data, C, seed, passes=passes, gap=gap) for seed in self.seeds_of(way, kind, tune)]

    def choosers(self, way: Way, kind: str, C: float | None) -> list[Spec]:
        """Return the runs whose held-out scores choose for a way."""
        return self.specs(WAYS.get(way.tuned_by, way), kind, C, tune=True)

    def all_of(self, way: Way, kind: str) -> list[Spec]:
        """Return a way's runs, those that choose and those that are tested."""
        return [s for C in way.Cs for s in (*self.choosers(way, kind, C), *self.specs(way, kind, C))]

    def settled(self, *beams: Beam) -> list[Spec]:
        """Return Theorem 4's experiment: alma with each beam and seed, until a pass changes nothing."""
        data = replace(self, data=self.separable).problem(JOINT, False)
        pairs = itertools.product(beams or SEPARABLE, self.seeds[:CHOOSERS])
        return [laso("alma", beam).spec(data, None, seed, passes=self.settle) for beam, seed in pairs]


def task(scale: str, without: frozenset[str] = frozenset()) -> Task | None:
    """Return the task of a scale (``tiny``, ``quick`` or ``paper``); None if its corpus cannot be had."""
    found = Task(scale, **SAID["tasks"][scale])
    return None if found.data[0] in without else found


def matrix(chosen: Task) -> dict[tuple[int, int], list[Spec]]:
    """Return Table 3: (beam of training, beam of decoding) -> its runs; the diagonal is from Table 2."""
    found, data, passes = {}, chosen.problem(JOINT, False), chosen.matrix_passes
    for train, test in itertools.product(chosen.matrix, repeat=2):
        way = laso("alma", train)
        other = replace(way, params=way.params | {"decode": test})
        decoded = [other.spec(data, None, seed, passes=passes, gap=0.0) for seed in chosen.seeds]
        found[train, test] = chosen.specs(way, JOINT)[: len(decoded)] if test == train else decoded
    return found


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the tested runs of chunking whose seconds are read; those of the joint task share the machine."""
    chosen = task(scale, without)
    if chosen is None:
        return []
    timed = [way for way in WAYS_OF[CHUNKING] if way not in GROUPS["untimed"]]
    return [spec for way in timed for C in way.Cs for spec in chosen.specs(way, CHUNKING, C)]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    chosen = task(scale, without)
    if chosen is None:
        return {}
    found = {f"laso2005/{kind}": [s for way in WAYS_OF[kind] for s in chosen.all_of(way, kind)] for kind in BEAMS}
    found["laso2005/decoding"] = [spec for specs in matrix(chosen).values() for spec in specs]
    found["laso2005/theorem4"] = chosen.settled()
    return once(found)
