"""The runs of laso2005 at each scale: every way to train, tuned and tested."""

from dataclasses import dataclass, replace
from functools import cache

from structbench.bench.papers.laso2005.setting import (
    ALPHAS,
    BEAMS,
    CHUNKING,
    EARLY,
    JOINT,
    MATRIX_PASSES,
    MAX_VIOLATION,
    SEMI_M3N,
    SEPARABLE,
    STANDARD,
    Way,
    laso,
    ways,
    with_alpha,
)
from structbench.bench.runs.spec import Spec, make

CHOOSERS = 3  # the first seeds, which choose, and whose seconds are read
OURS_ONLY = (MAX_VIOLATION, SEMI_M3N)  # no claim is about them
UNTIMED = (STANDARD, EARLY, *map(with_alpha, ALPHAS))  # in chunking: no seconds are shown


@dataclass(frozen=True)
class Task:
    """The data, passes and seeds of a scale.

    Attributes:
        data: A data set of chunks, and its options without the task.
        passes: Passes that a run makes; the number to test is chosen among them.
        separable: The same as ``data`` for Theorem 4's experiment, with few sentences.
        matrix: The beams of Table 3.
        seeds: Seeds of the runs that are tested. The first ``CHOOSERS`` also choose, and are timed. A way that
            minimises an objective has one optimum, and one seed.
        tested: How many test sentences there are.
        error: What F lacks to 1, roughly: by this, differences are level.
    """

    scale: str
    data: tuple[str, ...]
    separable: tuple[str, ...]
    passes: int
    settle: float
    seeds: tuple[int, ...]
    matrix: tuple[int, ...] = BEAMS[JOINT]
    tested: int = 2012
    error: float = 0.06

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

    @property
    def optimum(self) -> dict[str, float]:
        """Return the limits of runs with an objective: a certified gap, or four times the passes of the others."""
        return {"passes": 4.0 * self.passes, "gap": 1e-3}

    def seeds_of(self, way: Way, tune: bool = False) -> tuple[int, ...]:
        """Return the seeds of a way's runs."""
        return self.seeds[: 1 if way.loss or way in OURS_ONLY else CHOOSERS if tune else None]

    def specs(self, way: Way, kind: str, C: float | None = None, tune: bool = False) -> list[Spec]:
        """Return one spec a seed."""
        data = self.problem(kind, tune)
        C = way.Cs[0] if C is None else C
        limits = {"passes": float(self.passes), "gap": 0.0} if way.loss is None else self.optimum
        seeds = self.seeds_of(way, tune)
        return [_made(way, data, C, seed, tuple(limits.items())) for seed in seeds]

    def choosers(self, way: Way, kind: str, C: float | None) -> list[Spec]:
        """Return the runs whose held-out scores choose for a way."""
        return self.specs(way.tuned_by or way, kind, C, tune=True)

    def all_of(self, way: Way, kind: str) -> list[Spec]:
        """Return a way's runs, those that choose and those that are tested."""
        return [s for C in way.Cs for s in (*self.choosers(way, kind, C), *self.specs(way, kind, C))]

    def settled(self, beam: int) -> list[Spec]:
        """Return Theorem 4's experiment: alma until a pass changes nothing."""
        name, *options = self.separable
        data = f"{name}:{','.join([*options, f'task={JOINT}'])}"
        params = {"update": "alma", "beam": beam}
        return [make(data, None, None, "laso", params, passes=self.settle, seed=seed) for seed in self.seeds[:1]]


def task(scale: str) -> Task:
    """Return the task of a scale: ``tiny``, ``quick`` or ``paper``."""
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
            ("conll2000", "sentences=120", "test_sentences=100"),
            ("conll2000", "sentences=30", "test_sentences=20"),
            passes=4,
            settle=200.0,
            seeds=(0,),
            matrix=(1, 5),
            tested=100,
            error=0.15,
        ),
        "paper": Task(
            "paper",
            ("conll2000",),
            ("conll2000", "sentences=1000", "test_sentences=20"),
            passes=10,
            settle=500.0,
            seeds=(0, 1, 2, 3, 4),
        ),
    }[scale]


def matrix(chosen: Task) -> dict[tuple[int, int], list[Spec]]:
    """Return Table 3: (beam of training, beam of decoding) -> its runs; the diagonal is from Table 2."""
    return {(train, test): _cell(chosen, train, test) for train in chosen.matrix for test in chosen.matrix}


def _cell(chosen: Task, train: int, test: int) -> list[Spec]:
    way, data = laso("alma", train), chosen.problem(JOINT, False)
    if test == train:
        return chosen.specs(way, JOINT)
    decoded = replace(way, params=way.params | {"decode": test})
    limits = (("passes", chosen.matrix_passes), ("gap", 0.0))
    return [_made(decoded, data, None, seed, limits) for seed in chosen.seeds]


@cache
def _made(way: Way, data: str, C: float | None, seed: int, limits: tuple[tuple[str, float], ...]) -> Spec:
    return make(data, way.loss, C, way.algorithm, way.params, **dict(limits), seed=seed)


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the tested runs of chunking whose seconds are read.

    The joint task's share the machine. Alone they took 45 minutes more, and all runs over 2.5 hours, when beam
    search was slower.
    """
    chosen = task(scale)
    if chosen.is_of(without):
        return []
    timed = [way for way in ways(CHUNKING) if way not in UNTIMED]
    listed = [spec for way in timed for C in way.Cs for spec in chosen.specs(way, CHUNKING, C)]
    return [spec for spec in listed if spec.seed in chosen.seeds[:CHOOSERS]]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    chosen = task(scale)
    if chosen.is_of(without):
        return {}
    found = {f"laso2005/{kind}": [s for way in ways(kind) for s in chosen.all_of(way, kind)] for kind in BEAMS}
    found["laso2005/decoding"] = [spec for specs in matrix(chosen).values() for spec in specs]
    found["laso2005/theorem4"] = [spec for beam in SEPARABLE for spec in chosen.settled(beam)]
    listed: set[Spec] = set()
    for name, specs in found.items():
        found[name] = [spec for spec in dict.fromkeys(specs) if spec not in listed]
        listed.update(specs)
    return found


def about(chosen: Task, selects: bool = True) -> str:
    """Return what a caption says of the data and, if ``selects``, of how passes and C are chosen."""
    many = f", means over {len(chosen.seeds)} seeds" if len(chosen.seeds) > 1 else ""
    how = (
        f"passes (at most {chosen.passes}), and C, chosen on the last tenth of the training sentences by a run on "
        "the others; "
    )
    return (
        f"Data: {chosen.data[0]}{many}; {how if selects else ''}seconds of training are ours, CPU time of one "
        "thread without evaluation, in the joint task beside another run."
    )
