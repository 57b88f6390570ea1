"""The models of l1m3n2009, how each is trained, and the constants that are tried."""

from dataclasses import dataclass, field, replace
from typing import Any

SYNTHETIC, OCR = "synthetic", "ocr"
SEQUENCES = 1000  # of a synthetic data set


@dataclass(frozen=True)
class Way:
    """A model and how it is trained.

    Attributes:
        limits: The stopping rule, on either kind of data.
        on_ocr: Parameters for OCR only.
        weight: C' of EM's losses, by which the constants of its path are divided.
    """

    model: str
    name: str
    loss: str
    algorithm: str
    penalty: str
    params: dict[str, Any] = field(default_factory=dict, hash=False)
    limits: dict[str, float] = field(default_factory=dict, hash=False)
    on_ocr: dict[str, Any] = field(default_factory=dict, hash=False)
    weight: float = 1.0


# Algorithms 1, 2 and 3 as in the paper; eta has the best objective on the first fold (docs/l1m3n2009.md).
PLANES = {"inward": 0.0, "pruning": 0}
BATCH = {"mode": "batch", "average": "none", "eta": 0.1}
EM_FOR_GOOD = {"revive": False}
ETA_ON_OCR = {"eta": 0.01}
FAR = {"passes": 1000.0, "gap": 1e-3}

CRF = Way("CRF", "CRF", "log", "lbfgs", "none", {}, {"passes": 100.0})
L2_CRF = Way("L2-CRF", "L2-CRF", "log", "lbfgs", "l2", {}, {"passes": 200.0, "gap": 1e-3})
L1_CRF = Way("L1-CRF", "L1-CRF", "log", "owl-qn", "l1", {}, {"passes": 300.0, "gap": 1e-3})
M3N = Way("M3N", "M3N", "hinge", "smo", "l2", {}, {"passes": 200.0, "gap": 1e-3})
LAP_M3N = Way("LapM3N", "LapM3N", "hinge", "lapm3n", "laplace-1000", {}, {"passes": 300.0, "gap": 1e-3})
EM = Way("L1-M3N", "EM", "hinge", "l1m3n-em", "l1-squared", EM_FOR_GOOD, FAR)
CUTTING_PLANE = Way("L1-M3N", "cutting plane", "hinge", "l1m3n-cutting-plane", "l1", PLANES, FAR)
SUBGRADIENT = Way(
    "L1-M3N", "projected subgradient", "hinge", "l1m3n-subgradient", "l1-ball", BATCH, FAR, ETA_ON_OCR
)
EM_RETURN = Way("L1-M3N", "EM, features return (ours)", "hinge", "l1m3n-em", "l1-squared", {}, FAR)
CUTTING_WARM = Way(
    "L1-M3N",
    "cutting plane (ours)",
    "hinge",
    "l1m3n-cutting-plane",
    "l1",
    {},
    {"passes": 10000.0, "gap": 1e-3},
    {"warm": 2500},
)
PROXIMAL = Way("L1-M3N", "proximal (ours)", "hinge", "l1m3n-proximal", "l1", {}, {"passes": 3000.0, "gap": 1e-3})
ONLINE = Way("L1-M3N", "online subgradient (ours)", "hinge", "l1m3n-subgradient", "l1-ball", {}, FAR, ETA_ON_OCR)
M3N_ONLINE = Way(
    "M3N", "M3N, online subgradient", "hinge", "subgradient", "l2", {}, {"passes": 100.0, "gap": 1e-3}
)
M3N_BATCH = Way(
    "M3N",
    "M3N, batch subgradient",
    "hinge",
    "subgradient",
    "l2",
    {"mode": "batch"},
    {"passes": 100.0, "gap": 1e-3},
)
# EM's C' is "fixed"; the paper does not say at what value. Ours is 1, and half and twice that.
EMS = (EM, *(replace(EM, name=f"EM, C' = {weight:g}", weight=weight) for weight in (0.5, 2.0)))
MODELS = (CRF, L2_CRF, L1_CRF, M3N, LAP_M3N, EM)  # Figures 2, 3 and 4
METHODS = (SUBGRADIENT, CUTTING_PLANE, EM)  # Table 1, Figure 5
OURS = (CUTTING_WARM, EM_RETURN, PROXIMAL, ONLINE)
OTHER_M3NS = (M3N_ONLINE, M3N_BATCH)

# Our C for Figures 2 to 4, by kind of data, from the strongest; the paper gives none. Steps of 2, and of 3.2 where
# the error is flat over decades.
GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    SYNTHETIC: {
        "CRF": (1.0,),
        "L2-CRF": (160000.0, 50000.0, 16000.0, 5000.0, 1600.0, 500.0, 160.0),
        "L1-CRF": (160.0, 80.0, 40.0, 20.0, 10.0, 5.0),
        "M3N": (160000.0, 50000.0, 16000.0, 5000.0, 1600.0, 500.0, 160.0),
        "LapM3N": (640.0, 320.0, 160.0, 80.0, 40.0, 20.0),
        "EM": (35.0, 18.0, 9.0, 4.5, 2.2, 1.1),
    },
    OCR: {
        "CRF": (1.0,),
        "L2-CRF": (8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.12),
        "L1-CRF": (8.0, 4.0, 2.0, 1.0, 0.5, 0.25),
        "M3N": (40.0, 20.0, 10.0, 5.0, 2.5),
        "LapM3N": (16.0, 8.0, 4.0, 2.0, 1.0),
        "EM": (0.03, 0.015, 0.008, 0.004, 0.002),
    },
}
# The one constant of smaller scales.
USUAL = {
    SYNTHETIC: {"CRF": 1.0, "L2-CRF": 10000.0, "L1-CRF": 40.0, "M3N": 10000.0, "LapM3N": 160.0, "EM": 10.0},
    OCR: {"CRF": 1.0, "L2-CRF": 1.0, "L1-CRF": 1.0, "M3N": 10.0, "LapM3N": 4.0, "EM": 0.01},
}
# The paper's constants, Table 1 and the axes of Figures 5 and 6: roots of its C' and of its radii, lambda / 14000.
ROOTS = (0.5, 0.7, 0.87, 1.0, 1.41, 1.73, 2.0, 3.0, 4.0)
SHARES_OF_14000 = (0.93, 0.78, 0.64, 0.5, 0.35, 0.21, 0.14, 0.069, 0.036)
OCR_BALL_ROOTS, OCR_EM_ROOTS = (12.0, 14.0, 17.0, 19.0, 22.0), (10.0, 8.0, 6.0, 4.0, 2.0)
FEATURES = {SYNTHETIC: 204, OCR: 4004}


def _cutting_plane(weight: float) -> float:
    """Return our C for losses of weight C' / N, N = 100 training sequences, as in SVM-struct."""
    return rounded(100 / weight)


def _em(strength: float, kind: str) -> float:
    """Return our C for the paper's lambda: 2 lambda / (K C'), at C' = 1."""
    return rounded(2 * strength / FEATURES[kind])


def rounded(C: float) -> float:
    return float(f"{C:.4g}")


PATHS: dict[str, dict[str, tuple[float, ...]]] = {
    SYNTHETIC: {
        "l1": tuple(_cutting_plane(root**2) for root in ROOTS),
        "l1-ball": tuple(rounded(1 / root**2) for root in ROOTS),
        "l1-squared": tuple(_em(14000 * share, SYNTHETIC) for share in SHARES_OF_14000),
    },
    OCR: {
        "l1": (8.0, 6.0, 4.0, 3.0, 2.0),  # ours: the paper gives none
        "l1-ball": tuple(rounded(1 / root**2) for root in OCR_BALL_ROOTS),
        "l1-squared": tuple(_em(root**2, OCR) for root in OCR_EM_ROOTS),
    },
}
