"""The runs of l1m3n2009 at each scale: cross-validations of six models and of the ways to train the l1-M3N."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from structbench.bench.papers.l1m3n2009.setting import (
    CUTTING_PLANE,
    EM,
    EMS,
    GRIDS,
    L1_CRF,
    METHODS,
    MODELS,
    OCR,
    OTHER_M3NS,
    OURS,
    PATHS,
    SEQUENCES,
    SYNTHETIC,
    USUAL,
    Way,
    rounded,
)
from structbench.bench.runs.spec import Spec, make


@dataclass(frozen=True)
class Cross:
    """A cross-validation, or some folds of it; each fold is a data set.

    Attributes:
        size: Training sequences, or words from each fold.
        folds: The number of folds of the whole cross-validation.
    """

    kind: str
    size: int
    folds: int
    data: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """The data and limits of a scale.

    Attributes:
        crfs: How many of the ten data sets are used.
        used: K of K-fold cross-validation -> how many of the folds are used.
        words: Words from each OCR fold -> how many of the folds are used.
        ranks: The places in ``PATHS`` that are used, by kind of data.
        whole: Whether all of ``GRIDS`` is used, or the one constant of ``USUAL``.
        most: The most passes of a run.
        seconds: The limit of cutting planes on OCR.
        iid: How many data sets of the iid variant are used.
        ems: EM with each C' that a claim has to hold for.
    """

    scale: str
    crfs: int
    used: dict[int, int]
    words: dict[int, int]
    ranks: dict[str, tuple[int, ...]]
    whole: bool = False
    most: float = float("inf")
    seconds: float = 20.0
    iid: int = 0
    ems: tuple[Way, ...] = (EM,)

    def crosses(self, K: int, variant: str = "correlated") -> list[Cross]:
        """Return K-fold cross-validation on each of the data sets of a variant."""
        chosen = "" if variant == "correlated" else f",variant={variant}"
        return [
            Cross(
                SYNTHETIC,
                SEQUENCES // K,
                K,
                tuple(f"synthetic:crf={crf},fold={fold},folds={K}{chosen}" for fold in range(self.used[K])),
            )
            for crf in range(self.crfs if variant == "correlated" else self.iid)
        ]

    @property
    def first(self) -> Cross:
        """Return 10-fold cross-validation on the first data set: Figures 3 and 5, Table 1."""
        return self.crosses(10)[0]

    def ocr(self, words: int) -> Cross:
        """Return 10-fold cross-validation with ``words`` words of each fold."""
        named = (f"ocr:fold={fold},from_each={words},train=one" for fold in range(self.words[words]))
        return Cross(OCR, words, 10, tuple(named))

    @property
    def smallest(self) -> Cross:
        """Return OCR100: Figure 6."""
        return self.ocr(min(self.words))

    def variants(self) -> list[str]:
        return ["correlated", *(["iid"] if self.iid else [])]

    def grid_of(self, way: Way, kind: str) -> tuple[float, ...]:
        """Return the constants of a model for Figures 2 to 4."""
        name = way.name if way.name in USUAL[kind] else way.model
        return GRIDS[kind][name] if self.whole else (USUAL[kind][name],)

    def path_of(self, way: Way, kind: str) -> tuple[float, ...]:
        """Return the constants of a method for Figures 5 and 6, and for Table 1."""
        return tuple(rounded(PATHS[kind][way.penalty][rank] / way.weight) for rank in self.ranks[kind])

    def tried(self, way: Way) -> tuple[float, ...]:
        """Return the constants at which noise may be discarded: the grid, and EM's path."""
        grid = self.grid_of(way, SYNTHETIC)
        return tuple(dict.fromkeys([*grid, *(self.path_of(way, SYNTHETIC) if way is EM else ())]))

    def of_weights(self) -> list[Spec]:
        """Return the runs that judge claims on average weights, of every data set."""
        return [
            spec
            for cross in self.crosses(10)
            for spec in [
                *self.methods(cross, (*METHODS, *self.ems[1:])),
                *self.all_of(L1_CRF, cross, self.tried(L1_CRF)),
                *self.all_of(EM, cross, self.tried(EM)),
            ]
        ]

    def specs(self, way: Way, cross: Cross, C: float) -> list[Spec]:
        """Return one spec a fold."""
        limits = way.limits | {"passes": min(way.limits["passes"], self.most)}
        params = way.params
        if cross.kind == OCR:
            params = params | way.on_ocr
            if way.algorithm == CUTTING_PLANE.algorithm:
                limits |= {"seconds": self.seconds}
        return [spec_of(way, data, C, params, limits) for data in cross.data]

    def all_of(self, way: Way, cross: Cross, Cs: tuple[float, ...]) -> list[Spec]:
        return [spec for C in Cs for spec in self.specs(way, cross, C)]

    def models(self, crosses: list[Cross]) -> list[Spec]:
        """Return all runs of the six models, with all of their constants."""
        return [
            spec
            for cross in crosses
            for way in MODELS
            for spec in self.all_of(way, cross, self.grid_of(way, cross.kind))
        ]

    def methods(self, cross: Cross, ways: tuple[Way, ...]) -> list[Spec]:
        """Return all runs of these methods along the path."""
        return [spec for way in ways for spec in self.all_of(way, cross, self.path_of(way, cross.kind))]


def spec_of(way: Way, data: str, C: float, params: dict[str, Any], limits: dict[str, float]) -> Spec:
    """Return the run of a model on a data set."""
    return _spec(way, data, C, tuple(params.items()), tuple(limits.items()))


@cache
def _spec(
    way: Way, data: str, C: float, params: tuple[tuple[str, Any], ...], limits: tuple[tuple[str, float], ...]
) -> Spec:
    return make(data, way.loss, C, way.algorithm, dict(params), penalty=way.penalty, **dict(limits))


def task(scale: str) -> Task:
    """Return the task of a scale: ``tiny``, ``quick`` or ``paper``."""
    return {
        "tiny": Task(
            "tiny",
            crfs=1,
            used={10: 2, 4: 2},
            words={100: 2, 150: 2},
            ranks={SYNTHETIC: (1, 5), OCR: (0, 2)},
            most=30.0,
            seconds=1.0,
        ),
        "quick": Task(
            "quick",
            crfs=1,
            used={10: 3, 4: 3},
            words={100: 3, 200: 3},
            ranks={SYNTHETIC: (0, 4, 8), OCR: (0, 2, 4)},
            most=300.0,
            seconds=3.0,
        ),
        "paper": Task(
            "paper",
            crfs=10,
            used={20: 5, 10: 10, 7: 5, 5: 5, 4: 4},
            words={100: 10, 150: 10, 200: 10, 250: 10},
            ranks={SYNTHETIC: tuple(range(9)), OCR: (0, 2, 4)},
            whole=True,
            iid=1,
            ems=EMS,
        ),
    }[scale]


def timed_of(scale: str) -> list[Spec]:
    """Return the runs whose seconds Figures 5 and 6 and Table 1 read."""
    chosen = task(scale)
    both = (chosen.first, chosen.smallest)
    return [spec for cross in both for spec in chosen.methods(cross, (*METHODS, *OURS, *chosen.ems[1:]))]


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    chosen = task(scale)
    sizes = list(chosen.used)
    found = {
        f"l1m3n2009/{variant}": chosen.models([c for K in sizes for c in chosen.crosses(K, variant)])
        for variant in chosen.variants()
    }
    found["l1m3n2009/ocr"] = chosen.models([chosen.ocr(words) for words in chosen.words])
    for stem, cross in (("first", chosen.first), ("ocr100", chosen.smallest)):
        specs = chosen.methods(cross, (*METHODS, *OURS, *chosen.ems[1:]))
        for way in OTHER_M3NS:
            specs += chosen.all_of(way, cross, chosen.grid_of(way, cross.kind))
        found[f"l1m3n2009/{stem}-path"] = specs
    found["l1m3n2009/weights"] = chosen.of_weights()
    listed: set[Spec] = set()
    for name, specs in found.items():
        found[name] = [spec for spec in dict.fromkeys(specs) if spec not in listed]
        listed.update(specs)
    return found


def about(chosen: Task, data: str) -> str:
    """Return what a caption says of the data and of our choices."""
    sets = f"{chosen.crfs} of ten data sets" if chosen.crfs < 10 else "ten data sets"
    used = ", ".join(
        f"{folds} of {K}" if folds < K else f"all {K}" for K, folds in sorted(chosen.used.items(), reverse=True)
    )
    said = {
        SYNTHETIC: f"Sequences from sparse chain CRFs as in section 5.1, {sets}; folds used: {used}.",
        "first": f"The first synthetic data set, {len(chosen.first.data)} of 10 folds, each trained on by itself.",
        OCR: f"OCR letters, words drawn from each of ten folds; {max(chosen.words.values())} of the folds used, "
        "each trained on by itself.",
    }[data]
    return f"{said} C is that of our objective, sum of losses + C times the penalty."
