"""The penalties of P(w) = sum_i loss_i(w) + C Omega(w), and the dual value that each allows.

With conj(u) = sum_i H(u_i), or sum_i E_{u_i}[e_i] for the hinge, and w(u) = sum_i f(x_i, y_i) - E_{u_i} f(x_i, .),
Fenchel's inequality gives P(w) >= D(u) for all w and all distributions u:

    l2           ||w||_2^2 / 2               D = conj(u) - ||w(u)||_2^2 / (2 C)
    elastic-A    ||w||_2^2 / 2 + A / C ||w||_1    D = conj(u) - ||soft(w(u), A)||_2^2 / (2 C)
    l1           ||w||_1 / 2                 D = conj(u) if ||w(u)||_inf <= C / 2, else there is none
    l1-ball      0, infinite if ||w||_1 > 1 / C    D = conj(u) - ||w(u)||_inf / C
    l1-squared   ||w||_1^2 / 2               D = conj(u) - ||w(u)||_inf^2 / (2 C)
    laplace-L    sum_k n_L(w_k) / 2          D = conj(u) + C / (2 sqrt(L)) sum_k log(1 - (2 w(u)_k / C)^2)
    none         0                           no D

l2, elastic-A, l1 and none are one family with two numbers (``Strengths``): C ||w||_2^2 / 2 + A ||w||_1. soft(v, A)
shrinks each number of v by A towards 0. For C > 0 the penalty's conjugate is ||soft(v, A)||^2 / (2 C), and its
gradient soft(v, A) / C. So a method that keeps w(u) reads its weights as soft(w(u), A) / C, and stores no others.

l1, l1-ball and l1-squared are problems P1, P1' and P4 of l1m3n2009. laplace-L is the KL norm of Zhu, Xing and
Zhang, Laplace maximum margin Markov networks, ICML 2008, over sqrt(L). Its term n_L(x) is sqrt(x^2 + 1 / L) -
log((sqrt(L x^2 + 1) + 1) / 2) / sqrt(L), less its value at 0, 1 / sqrt(L). Its conjugate is the log of the moment
generating function L / (L - eta^2) of the Laplace prior.

A mixture of u with the gold outputs, with the share s of u, is a distribution, too. Its w(u) is s w(u), and its
conj(u) at least s conj(u). (For the hinge exactly; for the entropy by concavity.) The bound is that of the best s,
except for l2.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning.declaration import NUMBERED, numberless
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.long_vectors import inner

BISECTIONS = 60
OUTSIDE = 1e-9  # relative: what rounding may add to a norm that an l1 ball bounds


class Strengths(NamedTuple):
    """C ||w||^2 / 2 + A ||w||_1."""

    C: float
    A: float


class Penalty(NamedTuple):
    """``value(w, C)``: C Omega(w). ``subgradient(w, C)``: the one of C Omega at w of least norm, shape of w.

    ``bound(conjugate, dual_weights, C, mixed)``: a lower bound on the optimum from conj(u) and w(u), or NaN
    without one. If ``mixed``, it is that of the best mixture with the gold outputs, else that of u itself.
    """

    value: Callable[[np.ndarray, float], float]
    subgradient: Callable[[np.ndarray, float], np.ndarray]
    dual_value: Callable[[float, np.ndarray, float, bool], float]


def get(name: str) -> Penalty:
    """The penalty of this name.

    Raises:
        UserError: there is none, or the number of ``elastic-A`` or ``laplace-LAMBDA`` is not above 0.
    """
    if numberless(name) == "laplace-LAMBDA":
        return _laplace(penalty_number(name))
    if numberless(name) == "elastic-A":
        return _elastic(penalty_number(name))
    if name not in _PENALTIES:
        raise UserError(f"unknown penalty {name!r}: choose {', '.join([*_PENALTIES, *NUMBERED.values()])}")
    return _PENALTIES[name]


def penalty_number(name: str) -> float:
    """lambda of ``laplace-LAMBDA``, A of ``elastic-A``; raises as ``get`` does."""
    try:
        number = float(name.partition("-")[2])
    except ValueError:
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        usual = {"laplace": "laplace-100", "elastic": "elastic-0.1; elastic-0 would be l2"}[name.partition("-")[0]]
        raise UserError(f"penalty {name!r}: {numberless(name)} needs a number above 0, such as {usual}")
    return number


def strengths(name: str, C: float) -> Strengths:
    """The two numbers of the penalty of this name with the strength C; both 0 if it is not of this family."""
    if numberless(name) == "elastic-A":
        return Strengths(C, penalty_number(name))
    return {"l2": Strengths(C, 0.0), "l1": Strengths(0.0, C / 2)}.get(name, Strengths(0.0, 0.0))


def soft(v: np.ndarray, A: float) -> np.ndarray:
    """v shrunk towards 0 by A; v itself if A is 0."""
    return v - np.clip(v, -A, A) if A else v


def _norm_1(w: np.ndarray) -> float:
    return float(np.abs(w).sum())


def _largest(w: np.ndarray) -> float:
    return float(np.abs(w).max(initial=0.0))


def _bound_l1(conjugate: float, dual_weights: np.ndarray, C: float, mixed: bool) -> float:
    largest = _largest(dual_weights)
    if largest <= C / 2:
        return conjugate
    return conjugate * (C / 2 / largest) if mixed else math.nan


def _bound_ball(conjugate: float, dual_weights: np.ndarray, C: float, mixed: bool) -> float:
    own = conjugate - _largest(dual_weights) / C
    return max(own, 0.0) if mixed else own


def _bound_squared(conjugate: float, dual_weights: np.ndarray, C: float, mixed: bool) -> float:
    squared = _largest(dual_weights) ** 2 / C
    share = min(1.0, conjugate / squared) if mixed and squared > 0 else 1.0
    return share * conjugate - share**2 * squared / 2


def _elastic(A: float) -> Penalty:
    def bound(conjugate: float, dual_weights: np.ndarray, C: float, mixed: bool) -> float:
        z = np.abs(dual_weights)
        z = z[z > A]  # the others are 0 for every share

        def slope(share: float) -> float:
            return conjugate - float(z @ np.maximum(share * z - A, 0.0)) / C

        share = 1.0 if not mixed or slope(1.0) >= 0 else _zero_of(slope, 1.0)
        return share * conjugate - float((np.maximum(share * z - A, 0.0) ** 2).sum()) / (2 * C)

    return Penalty(lambda w, C: C * inner(w, w) / 2 + A * _norm_1(w), lambda w, C: C * w + A * np.sign(w), bound)


def _zero_of(slope: Callable[[float], float], high: float) -> float:
    """The largest share up to ``high`` at which a falling slope is not negative, nearly."""
    low = 0.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) >= 0 else (low, middle)
    return low


def _laplace(scale: float) -> Penalty:
    root = math.sqrt(scale)

    def value(w: np.ndarray, C: float) -> float:
        r = np.sqrt(scale * w * w + 1)
        return float(C / (2 * root) * ((r - 1) - np.log((r + 1) / 2)).sum())

    def subgradient(w: np.ndarray, C: float) -> np.ndarray:
        return C / 2 * root * w / (np.sqrt(scale * w * w + 1) + 1)

    def bound(conjugate: float, dual_weights: np.ndarray, C: float, mixed: bool) -> float:
        z = np.abs(2 * dual_weights / C)
        largest = z.max(initial=0.0)
        if not mixed and largest >= 1:
            return math.nan

        def slope(share: float) -> float:
            return conjugate - C / root * float((share * z * z / (1 - (share * z) ** 2)).sum())

        mixes = mixed and (largest >= 1 or slope(1.0) < 0)
        share = _zero_of(slope, 1.0 if largest < 1 else (1 - 1e-15) / largest) if mixes else 1.0
        return share * conjugate + C / (2 * root) * float(np.log1p(-((share * z) ** 2)).sum())

    return Penalty(value, subgradient, bound)


_PENALTIES = {
    "l2": Penalty(
        lambda w, C: C * inner(w, w) / 2, lambda w, C: C * w, lambda c, v, C, _: c - inner(v, v) / (2 * C)
    ),
    "l1": Penalty(lambda w, C: C * _norm_1(w) / 2, lambda w, C: C / 2 * np.sign(w), _bound_l1),
    "l1-ball": Penalty(
        lambda w, C: 0.0 if _norm_1(w) <= (1 + OUTSIDE) / C else math.inf,
        lambda w, C: np.zeros_like(w),
        _bound_ball,
    ),
    "l1-squared": Penalty(
        lambda w, C: C * _norm_1(w) ** 2 / 2, lambda w, C: C * _norm_1(w) * np.sign(w), _bound_squared
    ),
    "none": Penalty(lambda w, C: 0.0, lambda w, C: np.zeros_like(w), lambda *_: math.nan),
}
