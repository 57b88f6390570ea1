"""Optima of small cases by scipy, all outputs written out, so that no code of ours has a part in them."""

from functools import cache

import numpy as np
import scipy.optimize as so

from algorithms.structures import interface as parts
from tests.algorithms.oracle import Case, case
from tests.algorithms.quadratic import hinge_optimum


@cache
def optimum(name: str, loss: str, C: float) -> float:
    """min P on the case of that name, with the l2 penalty."""
    small = case(name)
    return hinge_optimum(small, C) if loss == "hinge" else _log_optimum(small, C)


def _log_optimum(small: Case, C: float) -> float:
    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        total, gradient = C * (w @ w) / 2, C * w
        for e in small.examples:
            s = e.features @ w
            total += e.log_z(s) - e.gold @ s
            gradient = gradient + (e.distribution(s) @ e.outputs - e.gold) @ e.features
        return total, gradient

    start = np.zeros(parts.num_weights(small.split))
    found = so.minimize(value, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    return float(found.fun)
