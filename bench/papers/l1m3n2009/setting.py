"""The models of l1m3n2009, how each is trained, and the constants that are tried."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from structbench.bench.papers import ways
from structbench.bench.papers.claim_rows import tables, tuples

SAID: dict[str, Any] = tuples(tables(Path(__file__).with_name("scales.toml")))
SYNTHETIC, OCR = "synthetic", "ocr"
SEQUENCES = 1000  # of a synthetic data set


@dataclass(frozen=True)
class Way(ways.Way):
    """A model and how it is trained."""

    model: str = ""
    limits: dict[str, float] = field(default_factory=dict, hash=False)  # the stopping rule, on either kind of data
    on_ocr: dict[str, Any] = field(default_factory=dict, hash=False)  # parameters for OCR only
    weight: float = 1.0  # C' of EM's losses, by which the constants of its path are divided


WAYS, GROUPS = ways.ways(Path(__file__).with_name("ways.toml"), Way)
CRF, L2_CRF, L1_CRF, M3N, LAP_M3N, EM = MODELS = GROUPS["models"]  # Figures 2, 3 and 4
SUBGRADIENT, CUTTING_PLANE, _ = METHODS = GROUPS["methods"]  # Table 1, Figure 5
CUTTING_WARM, EM_RETURN, PROXIMAL, ONLINE = OURS = GROUPS["ours"]
OTHER_M3NS, EMS = GROUPS["others"], GROUPS["ems"]

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
