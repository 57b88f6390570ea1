"""The hinge objective on a small case as one quadratic program with a constraint for every output."""

import numpy as np
from scipy.optimize import minimize

from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import Case


def hinge_optimum(small: Case, C: float) -> float:
    """min C ||w||^2 / 2 + sum_i xi_i with xi_i >= e_i(y) - w . (f(x_i, y_i) - f(x_i, y)) for all outputs y."""
    n, m = len(small.examples), parts.num_weights(small.split)
    rows, margins = [], []
    for i, e in enumerate(small.examples):
        for y, cost in zip(e.outputs, e.losses, strict=True):
            rows.append(np.concatenate([(e.gold - y) @ e.features, np.eye(n)[i]]))
            margins.append(cost)
    A, b = np.array(rows), np.array(margins)
    slack = np.array([e.losses.max() for e in small.examples])
    solution = minimize(
        lambda v: C * v[:m] @ v[:m] / 2 + v[m:].sum(),
        np.concatenate([np.zeros(m), slack]),
        jac=lambda v: np.concatenate([C * v[:m], np.ones(n)]),
        constraints={"type": "ineq", "fun": lambda v: A @ v - b, "jac": lambda v: A},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert solution.success
    return float(solution.fun)


def hard_margin(small: Case) -> tuple[np.ndarray, float]:
    """w and the value of min ||w||^2 / 2 with w . (f(x_i, y_i) - f(x_i, y)) >= e_i(y) for all outputs y."""
    A = np.concatenate([(e.gold - e.outputs) @ e.features for e in small.examples])
    b = np.concatenate([e.losses for e in small.examples])
    solution = minimize(
        lambda w: w @ w / 2,
        np.zeros(A.shape[1]),
        jac=lambda w: w,
        constraints={"type": "ineq", "fun": lambda w: A @ w - b, "jac": lambda w: A},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert solution.success, solution.message
    return solution.x, float(solution.fun)
