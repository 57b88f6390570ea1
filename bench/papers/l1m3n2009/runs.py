"""The models of l1m3n2009, how each is trained, the constants that are tried, and the runs at each scale.

They are cross-validations of six models and of the ways to train the l1-M3N.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from structbench.algorithms.runtime.options import Given
from structbench.bench.papers import grid_runs
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.runs.documents import Json
from structbench.bench.runs.spec import Spec

SAID: Json = tuples(tables(Path(__file__).with_name("scales.toml")))
SYNTHETIC, OCR = "synthetic", "ocr"
SEQUENCES = 1000  # of a synthetic data set
PACED = 3  # data sets of which the subgradient is timed


@dataclass(frozen=True)
class Way(grid_runs.Way):
    """A model and how it is trained."""

    model: str = ""
    limits: dict[str, float] = field(default_factory=dict, hash=False)  # the stopping rule, on either kind of data
    on_ocr: Given = field(default_factory=dict, hash=False)  # parameters for OCR only
    weight: float = 1.0  # C' of EM's losses, by which the constants of its path are divided

    @property
    def left_open(self) -> dict[str, float]:
        """Return the value of what the paper leaves open: LAMBDA of LapM3N, or C' of EM."""
        name, _, value = str(self.penalty).partition("-")
        return {"LAMBDA": int(value)} if name == "laplace" else {"C'": self.weight}


WAYS, GROUPS = grid_runs.ways(Path(__file__).with_name("ways.toml"), Way)
CRF, L2_CRF, L1_CRF, M3N, LAP_M3N, EM = MODELS = GROUPS["models"]  # Figures 2, 3 and 4
SUBGRADIENT, CUTTING_PLANE, _ = METHODS = GROUPS["methods"]  # Table 1, Figure 5
CUTTING_WARM, EM_RETURN, PROXIMAL, ONLINE = OURS = GROUPS["ours"]
OTHER_M3NS, EMS, LAPS = GROUPS["others"], GROUPS["ems"], GROUPS["laps"]

Constants = dict[str, dict[str, tuple[float, ...]]]  # by kind of data and by model or penalty, from the strongest
GRIDS: Constants = SAID["grids"]
USUAL: dict[str, dict[str, float]] = SAID["usual"]  # at smaller scales
# The paper's constants, Table 1 and the axes of Figures 5 and 6: roots of its C' and of its radii, lambda / 14000.
ROOTS, SHARES_OF_14000 = (tuple(row[0] for row in SAID["table1"][way.name]["rows"]) for way in (CUTTING_PLANE, EM))
OCR_BALL_ROOTS, OCR_EM_ROOTS = (12.0, 14.0, 17.0, 19.0, 22.0), (10.0, 8.0, 6.0, 4.0, 2.0)
FEATURES = {SYNTHETIC: 204, OCR: 4004}


def _em(strength: float, kind: str) -> float:
    """Return our C for the paper's lambda: 2 lambda / (K C'), at C' = 1."""
    return rounded(2 * strength / FEATURES[kind])


def rounded(C: float) -> float:
    return float(f"{C:.4g}")


PATHS: Constants = {
    SYNTHETIC: {
        "l1": tuple(rounded(100 / root**2) for root in ROOTS),  # losses weigh C' / N, N = 100, as in SVM-struct
        "l1-ball": tuple(rounded(1 / root**2) for root in ROOTS),
        "l1-squared": tuple(_em(14000 * share, SYNTHETIC) for share in SHARES_OF_14000),
    },
    OCR: {
        "l1": (8.0, 6.0, 4.0, 3.0, 2.0),  # ours: the paper gives none
        "l1-ball": tuple(rounded(1 / root**2) for root in OCR_BALL_ROOTS),
        "l1-squared": tuple(_em(root**2, OCR) for root in OCR_EM_ROOTS),
    },
}


@dataclass(frozen=True)
class Cross:
    """A cross-validation, or some folds of it; each fold is a data set."""

    kind: str
    size: int  # training sequences, or words from each fold
    folds: int  # the number of folds of the whole cross-validation
    data: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """The data and limits of a scale."""

    crfs: int  # how many of the ten data sets are used
    used: dict[int, int]  # K of K-fold cross-validation -> how many of the folds are used
    words: dict[int, int]  # words from each OCR fold -> how many of the folds are used
    ranks: dict[str, tuple[int, ...]]  # the places in ``PATHS`` that are used, by kind of data
    whole: bool = False  # whether all of ``GRIDS`` is used, or the one constant of ``USUAL``
    most: float = float("inf")  # the most passes of a run
    seconds: float = 20.0  # the limit of cutting planes on OCR
    iid: int = 0  # how many data sets of the iid variant are used
    ems: tuple[Way, ...] = (EM,)  # EM with each C', which the paper leaves open
    laps: tuple[Way, ...] = (LAP_M3N,)  # LapM3N with each LAMBDA, as well, where claims read few of its runs

    def crosses(self, K: int, variant: str = "correlated") -> list[Cross]:
        """Return K-fold cross-validation on each of the data sets of a variant."""
        chosen, crfs = ("", self.crfs) if variant == "correlated" else (f",variant={variant}", self.iid)

        def folds(crf: int) -> Iterable[str]:
            return (f"synthetic:crf={crf},fold={fold},folds={K}{chosen}" for fold in range(self.used[K]))

        return [Cross(SYNTHETIC, SEQUENCES // K, K, tuple(folds(crf))) for crf in range(crfs)]

    @property
    def first(self) -> Cross:
        """Return 10-fold cross-validation on the first data set: Figures 3 and 5, Table 1."""
        return self.crosses(10)[0]

    def ocr(self, words: int) -> Cross:
        """Return 10-fold cross-validation with ``words`` words of each fold."""
        named = (f"ocr:fold={fold},from_each={words},train=one" for fold in range(self.words[words]))
        return Cross(OCR, words, 10, tuple(named))

    @property
    def paced(self) -> Cross:
        """Return the folds of the first ``PACED`` data sets together: the subgradient's pace is measured there."""
        sets = self.crosses(10)[:PACED]
        return replace(sets[0], data=tuple(name for cross in sets for name in cross.data))

    def paces(self) -> list[Spec]:
        """Return the runs of the subgradient at both ends of its path, whose seconds a pass are compared."""
        path = self.path_of(SUBGRADIENT, SYNTHETIC)
        return self.all_of(SUBGRADIENT, self.paced, (path[0], path[-1]))

    @property
    def smallest(self) -> Cross:
        """Return OCR100: Figure 6."""
        return self.ocr(min(self.words))

    def variants(self) -> list[str]:
        """Return the synthetic data's variants."""
        return ["correlated", *(["iid"] if self.iid else [])]

    def grid_of(self, way: Way, kind: str) -> tuple[float, ...]:
        """Return the constants of a model for Figures 2 to 4."""
        usual = USUAL[kind]
        name = way.name if way.name in usual else way.model
        return GRIDS[kind][name] if self.whole else (usual[name],)

    def path_of(self, way: Way, kind: str) -> tuple[float, ...]:
        """Return the constants of a method for Figures 5 and 6, and for Table 1."""
        path = PATHS[kind][str(way.penalty)]
        return tuple(rounded(path[rank] / way.weight) for rank in self.ranks[kind])

    def tried(self, way: Way) -> tuple[float, ...]:
        """Return the constants at which noise may be discarded: the grid, and EM's path."""
        path = self.path_of(way, SYNTHETIC) if way is EM else ()
        return tuple(dict.fromkeys([*self.grid_of(way, SYNTHETIC), *path]))

    def specs(self, way: Way, cross: Cross, C: float) -> list[Spec]:
        """Return one spec a fold."""
        limits = way.limits | {"passes": min(way.limits["passes"], self.most)}
        params = way.params
        if cross.kind == OCR:
            params = params | way.on_ocr
            if way.algorithm == CUTTING_PLANE.algorithm:
                limits |= {"seconds": self.seconds}
        return [way.spec(data, C, 0, params, **limits) for data in cross.data]

    def all_of(self, way: Way, cross: Cross, Cs: tuple[float, ...]) -> list[Spec]:
        """Return one spec a constant and fold."""
        return [spec for C in Cs for spec in self.specs(way, cross, C)]

    def models(self, crosses: list[Cross]) -> list[Spec]:
        """Return all runs of the six models, with all of their constants."""
        pairs = [(cross, way) for cross in crosses for way in MODELS]
        return [s for cross, way in pairs for s in self.all_of(way, cross, self.grid_of(way, cross.kind))]

    def methods(self, cross: Cross, listed: Iterable[Way]) -> list[Spec]:
        """Return all runs of these methods along the path."""
        return [spec for way in listed for spec in self.all_of(way, cross, self.path_of(way, cross.kind))]

    def all_methods(self, cross: Cross) -> list[Spec]:
        """Return all runs of the paper's methods, of ours, and of EM with other constants C'."""
        return self.methods(cross, (*METHODS, *OURS, *self.ems[1:]))

    def timed(self) -> list[Spec]:
        """Return the runs whose seconds are read: by Figures 5 and 6, Table 1 and the claim on pace."""
        return [*dict.fromkeys([*self.all_methods(self.first), *self.all_methods(self.smallest), *self.paces()])]

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return the runs by MLflow experiment, without others that claims read."""
        found = {
            f"l1m3n2009/{variant}": self.models([c for K in self.used for c in self.crosses(K, variant)])
            for variant in self.variants()
        }
        found["l1m3n2009/ocr"] = self.models([self.ocr(words) for words in self.words])
        for stem, cross in (("first", self.first), ("ocr100", self.smallest)):
            others = [(way, self.grid_of(way, cross.kind)) for way in OTHER_M3NS]
            specs = [spec for way, grid in others for spec in self.all_of(way, cross, grid)]
            found[f"l1m3n2009/{stem}-path"] = self.all_methods(cross) + specs
        return found

    def said(self) -> dict[str, str]:
        """Return what captions say of the data."""
        folds = sorted(self.used.items(), reverse=True)
        return {
            "sets": _sets(self.crfs),
            "iid_sets": _sets(self.iid),
            "used": ", ".join(f"{some} of {K}" if some < K else f"all {K}" for K, some in folds),
            "folds": str(len(self.first.data)),
            "ocr_folds": str(max(self.words.values())),
            "smallest": str(self.smallest.size),
        }


def _sets(used: int) -> str:
    return f"{used} of ten data sets" if used < 10 else "ten data sets"


def task(scale: str) -> Task:
    """Return the task of a scale: ``tiny``, ``quick`` or ``paper``."""
    said = SAID["tasks"][scale]
    counts = {name: {int(K): some for K, some in said[name].items()} for name in ("used", "words")}
    made = Task(**said | counts)
    return replace(made, ems=EMS, laps=LAPS) if scale == "paper" else made
