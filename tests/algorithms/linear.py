"""Optima of small cases under other penalties, all outputs written out: linear programs and smooth solvers."""

from typing import NamedTuple

import numpy as np
import scipy.optimize as so

from structbench.algorithms.learning import penalties
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import Case


class Optimum(NamedTuple):
    """value: min P. w: where. u: for a linear program, its dual variables, a distribution for each example."""

    value: float
    w: np.ndarray
    u: list[np.ndarray]


def hinge(small: Case, penalty: str, C: float) -> Optimum:
    """min sum_i xi_i + C Omega(w) with xi_i >= e_i(y) - w . (f(x_i, y_i) - f(x_i, y)) for all outputs y."""
    if penalty == "l1":
        return _program(small, C / 2, None)
    if penalty == "l1-ball":
        return _program(small, 0.0, 1 / C)
    if penalty == "l1-squared":  # the best of the balls

        def value(radius: float) -> float:
            return _program(small, 0.0, radius).value + C * radius**2 / 2

        highest = np.sqrt(2 * sum(e.losses.max() for e in small.examples) / C)
        found = so.minimize_scalar(value, bounds=(0, highest), method="bounded", options={"xatol": 1e-10})
        return Optimum(found.fun, _program(small, 0.0, found.x).w, [])
    raise ValueError(penalty)


def smooth_hinge(small: Case, penalty: str, C: float) -> float:
    """min P for the hinge and a penalty that is smooth, by sequential quadratic programming."""
    n, m = len(small.examples), parts.num_weights(small.split)
    given = penalties.get(penalty)
    rows, margins = [], []
    for i, e in enumerate(small.examples):
        for y, cost in zip(e.outputs, e.losses, strict=True):
            rows.append(np.concatenate([(e.gold - y) @ e.features, np.eye(n)[i]]))
            margins.append(cost)
    A, b = np.array(rows), np.array(margins)
    slack = np.array([e.losses.max() for e in small.examples])
    found = so.minimize(
        lambda v: given.value(v[:m], C) + v[m:].sum(),
        np.concatenate([np.zeros(m), slack]),
        jac=lambda v: np.concatenate([given.subgradient(v[:m], C), np.ones(n)]),
        constraints={"type": "ineq", "fun": lambda v: A @ v - b, "jac": lambda v: A},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 2000},
    )
    assert found.success, found.message
    return float(found.fun)


def _program(small: Case, price: float, radius: float | None) -> Optimum:
    n, m = len(small.examples), parts.num_weights(small.split)
    rows, margins, owner = [], [], []
    for i, e in enumerate(small.examples):
        for y, cost in zip(e.outputs, e.losses, strict=True):
            change = (e.gold - y) @ e.features
            rows.append(np.concatenate([change, -change, np.eye(n)[i]]))
            margins.append(cost)
            owner.append(i)
    A, b = -np.array(rows), -np.array(margins)
    if radius is not None:
        A = np.vstack([A, np.concatenate([np.ones(2 * m), np.zeros(n)])])
        b = np.append(b, radius)
    costs = np.concatenate([np.full(2 * m, price), np.ones(n)])
    bounds = [(0, None)] * (2 * m) + [(None, None)] * n
    found = so.linprog(costs, A, b, bounds=bounds, method="highs-ds")
    assert found.status == 0, found.message
    u = -found.ineqlin.marginals[: len(owner)]
    return Optimum(found.fun, found.x[:m] - found.x[m : 2 * m], [u[np.array(owner) == i] for i in range(n)])


def smooth(small: Case, C: float) -> Optimum:
    """The log loss with the l1 penalty: w = a - b with a, b >= 0 makes it smooth."""
    m = parts.num_weights(small.split)

    def value(v: np.ndarray) -> tuple[float, np.ndarray]:
        w, gradient, total = v[:m] - v[m:], np.zeros(m), 0.0
        for e in small.examples:
            s = e.features @ w
            total += e.log_z(s) - e.gold @ s
            gradient += (e.distribution(s) @ e.outputs - e.gold) @ e.features
        return total + C / 2 * v.sum(), np.concatenate([gradient, -gradient]) + C / 2

    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 20000, "maxcor": 30}
    found = so.minimize(value, np.zeros(2 * m), jac=True, bounds=[(0, None)] * (2 * m), options=options)
    return Optimum(found.fun, found.x[:m] - found.x[m:], [])


def conjugate_and_weights(small: Case, u: list[np.ndarray], loss: str) -> tuple[float, np.ndarray]:
    """conj(u) and w(u)."""
    conjugate, dual = 0.0, np.zeros(parts.num_weights(small.split))
    for e, u_i in zip(small.examples, u, strict=True):
        conjugate += e.dual_term(u_i, loss)
        dual += (e.gold - u_i @ e.outputs) @ e.features
    return float(conjugate), dual
