"""The ways to train in laso2005, and their beams."""

from dataclasses import dataclass, field
from typing import Any

Beam = int | str
OWN_DATA = ("conll2000",)
CHUNKING, JOINT = "segments", "joint"
BEAMS: dict[str, tuple[Beam, ...]] = {CHUNKING: (1, 5, 10, 25, "inf"), JOINT: (1, 5, 10, 25, 50)}
TABLE_1 = (1, 5, 25, "inf")  # the beams of its rows
LARGE = (25, "inf")  # its "larger beam sizes"
MATRIX_PASSES = 3.0  # of Table 3, "typically two or three"
COMPARED = 10  # the beam at which section 5 compares updates
SEPARABLE = (1, 5)  # the beams of Theorem 4's experiment; the paper's is 5
ALPHAS = (0.5, 0.7, 0.95)  # besides 0.9, with ``ALPHA_BEAM``
ALPHA_BEAM = 5


@dataclass(frozen=True)
class Way:
    """A way to train: an algorithm with parameters, and several C if one is to be chosen.

    Attributes:
        tuned_by: The way whose held-out scores choose for this one, if not its own.
    """

    name: str
    algorithm: str
    params: dict[str, Any] = field(hash=False, default_factory=dict)
    loss: str | None = None
    Cs: tuple[float | None, ...] = (None,)
    tuned_by: "Way | None" = None


SEMI_CRF = Way("SemiCRF", "eg", {}, "log", (1.0, 2.0, 4.0, 8.0, 16.0))
SEMI_CRF_LBFGS = Way("SemiCRF, L-BFGS", "lbfgs", {}, "log", SEMI_CRF.Cs, SEMI_CRF)
SEMI_CRFS = (SEMI_CRF, SEMI_CRF_LBFGS)  # the paper does not say which: a claim must hold for both
SEMI_M3N = Way("SemiM3N", "eg", {}, "hinge", (4.0, 16.0))  # ours
PERCEPTRON = Way("Perceptron", "perceptron")
STANDARD = Way("standard update", "perceptron", {"beam": COMPARED})
EARLY = Way("early update", "early-update", {"beam": COMPARED})
MAX_VIOLATION = Way("max-violation", "max-violation", {"beam": COMPARED})  # later than the paper


def laso(update: str, beam: Beam) -> Way:
    """Return LaSO with a beam, named as in the paper: p for perceptron, a for alma, and the beam."""
    sign = {"perceptron": "p", "alma": "a"}[update]
    return Way(f"LaSO{sign}{'∞' if beam == 'inf' else beam}", "laso", {"update": update, "beam": beam})


def with_alpha(alpha: float) -> Way:
    """Return large margin updates with another alpha, for as many passes as with 0.9."""
    usual = laso("alma", ALPHA_BEAM)
    return Way(f"{usual.name}, alpha {alpha:g}", usual.algorithm, usual.params | {"alpha": alpha}, tuned_by=usual)


UPDATES = (STANDARD, EARLY, MAX_VIOLATION, laso("perceptron", COMPARED))  # section 5's, and a later one


def ways(kind: str) -> list[Way]:
    """Return all ways of Table 1 or 2, those that section 5 compares with them, and ours."""
    found = [laso(update, beam) for update in ("perceptron", "alma") for beam in BEAMS[kind]]
    if kind == JOINT:
        return [*UPDATES[:-1], *found]
    alphas = map(with_alpha, ALPHAS)
    return [SEMI_CRF, SEMI_CRF_LBFGS, SEMI_M3N, PERCEPTRON, STANDARD, EARLY, *found, *alphas]
