"""The models of l1m3n2009, how each is trained, and the constants that are tried."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import tables, tuples

SAID: dict[str, Any] = tuples(tables(Path(__file__).with_name("scales.toml")))
SYNTHETIC, OCR = "synthetic", "ocr"
SEQUENCES = 1000  # of a synthetic data set


@dataclass(frozen=True)
class Way:
    """A model and how it is trained."""

    model: str
    name: str
    loss: str
    algorithm: str
    penalty: str
    params: dict[str, Any] = field(default_factory=dict, hash=False)
    limits: dict[str, float] = field(default_factory=dict, hash=False)  # the stopping rule, on either kind of data
    on_ocr: dict[str, Any] = field(default_factory=dict, hash=False)  # parameters for OCR only
    weight: float = 1.0  # C' of EM's losses, by which the constants of its path are divided


def _to(passes: float) -> dict[str, float]:
    return {"passes": passes, "gap": 1e-3}


# Algorithms 1, 2 and 3 as in the paper; eta is best on the first fold (docs/reference/l1m3n2009.md).
PLANES = {"inward": 0.0, "pruning": 0}
BATCH = {"mode": "batch", "average": "none", "eta": 0.1}
ETA_ON_OCR = {"eta": 0.01}
FAR = _to(1000.0)

CRF = Way("CRF", "CRF", "log", "lbfgs", "none", {}, {"passes": 100.0})
L2_CRF = Way("L2-CRF", "L2-CRF", "log", "lbfgs", "l2", {}, _to(200.0))
L1_CRF = Way("L1-CRF", "L1-CRF", "log", "owl-qn", "l1", {}, _to(300.0))
M3N = Way("M3N", "M3N", "hinge", "smo", "l2", {}, _to(200.0))
LAP_M3N = Way("LapM3N", "LapM3N", "hinge", "lapm3n", "laplace-1000", {}, _to(300.0))
EM_RETURN = Way("L1-M3N", "EM, features return (ours)", "hinge", "l1m3n-em", "l1-squared", {}, FAR)
EM = replace(EM_RETURN, name="EM", params={"revive": False})
CUTTING_PLANE = Way("L1-M3N", "cutting plane", "hinge", "l1m3n-cutting-plane", "l1", PLANES, FAR)
CUTTING_WARM = replace(
    CUTTING_PLANE, name="cutting plane (ours)", params={}, limits=_to(10000.0), on_ocr={"warm": 2500}
)
ONLINE = Way("L1-M3N", "online subgradient (ours)", "hinge", "l1m3n-subgradient", "l1-ball", {}, FAR, ETA_ON_OCR)
SUBGRADIENT = replace(ONLINE, name="projected subgradient", params=BATCH)
PROXIMAL = Way("L1-M3N", "proximal (ours)", "hinge", "l1m3n-proximal", "l1", {}, _to(3000.0))
M3N_ONLINE = Way("M3N", "M3N, online subgradient", "hinge", "subgradient", "l2", {}, _to(100.0))
M3N_BATCH = replace(M3N_ONLINE, name="M3N, batch subgradient", params={"mode": "batch"})
# EM's C' is "fixed"; the paper does not say at what value. Ours is 1, and half and twice that.
EMS = (EM, *(replace(EM, name=f"EM, C' = {weight:g}", weight=weight) for weight in (0.5, 2.0)))
MODELS = (CRF, L2_CRF, L1_CRF, M3N, LAP_M3N, EM)  # Figures 2, 3 and 4
METHODS = (SUBGRADIENT, CUTTING_PLANE, EM)  # Table 1, Figure 5
OURS = (CUTTING_WARM, EM_RETURN, PROXIMAL, ONLINE)
OTHER_M3NS = (M3N_ONLINE, M3N_BATCH)

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
