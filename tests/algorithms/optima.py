"""Optima of small cases by scipy, all outputs written out, so that no code of ours has a part in them."""

from functools import cache
from typing import Any

import numpy as np
import scipy.optimize as so

from structbench.algorithms.learning import penalties
from structbench.algorithms.structures import interface as parts
from tests.algorithms import linear
from tests.algorithms.oracle import Case, case


@cache
def optimum(name: str, loss: str, C: float, penalty: str = "l2", **shape: Any) -> float:
    """min P on the case of that name and shape."""
    return optimum_of(case(name, **shape), loss, C, penalty)


def optimum_of(small: Case, loss: str, C: float, penalty: str) -> float:
    """min P; for the log loss the penalty is l2, l1 or elastic, for other smooth ones l2 or elastic."""
    if penalty.startswith("elastic"):
        return elastic(small, loss, C, penalty).value
    if penalty == "l2":
        return linear.hinge_optimum(small, C) if loss == "hinge" else _smooth_optimum(small, loss, C)
    if loss == "log":
        return linear.smooth(small, C).value
    if penalty.startswith("laplace"):
        return linear.smooth_hinge(small, penalty, C)
    return linear.hinge(small, penalty, C).value


def elastic(small: Case, loss: str, C: float, penalty: str) -> linear.Optimum:
    """The optimum with the penalty elastic-A, and its weights."""
    if loss == "hinge":
        return linear.elastic_hinge(small, *penalties.strengths(penalty, C))
    return linear.smooth(small, C, loss, penalty)


def _smooth_optimum(small: Case, loss: str, C: float) -> float:
    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        total, gradient = float(C * (w @ w) / 2), C * w
        for e in small.examples:
            s = e.features @ w
            top, u = e.loss(s, loss)
            total += float(top - e.gold @ s)
            gradient = gradient + (u @ e.outputs - e.gold) @ e.features
        return total, gradient

    start = np.zeros(parts.num_weights(small.split))
    found = so.minimize(value, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    return float(found.fun)
