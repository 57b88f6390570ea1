"""Optima of small cases, all outputs written out: linear and quadratic programs, and smooth solvers."""

from collections.abc import Callable
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
    """min P for the hinge and a penalty that is smooth."""
    given = penalties.get(penalty)
    return _constrained(small, lambda w: given.value(w, C), lambda w: given.subgradient(w, C), soft=True).value


def hinge_optimum(small: Case, C: float) -> float:
    """min P for the hinge with the l2 penalty."""
    return _constrained(small, lambda w: C * w @ w / 2, lambda w: C * w, soft=True).value


def hard_margin(small: Case) -> tuple[np.ndarray, float]:
    """w and the value of min ||w||^2 / 2 with w . (f(x_i, y_i) - f(x_i, y)) >= e_i(y) for all outputs y."""
    value, w, _ = _constrained(small, lambda w: w @ w / 2, lambda w: w, soft=False)
    return w, value


def _constrained(small: Case, value: Callable, slope: Callable, soft: bool) -> Optimum:
    """min value(w), ``soft``: + sum_i xi_i, over the constraints, by sequential quadratic programming."""
    D, b, owners = _constraints(small)
    m, slacks = D.shape[1], [e.losses.max() for e in small.examples] if soft else []
    A = np.hstack([D, owners[:, : len(slacks)]])
    found = so.minimize(
        lambda v: value(v[:m]) + v[m:].sum(),
        np.concatenate([np.zeros(m), slacks]),
        jac=lambda v: np.concatenate([slope(v[:m]), np.ones(len(slacks))]),
        constraints={"type": "ineq", "fun": lambda v: A @ v - b, "jac": lambda v: A},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 2000},
    )
    assert found.success, found.message
    return Optimum(float(found.fun), found.x[:m], [])


def _constraints(small: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f(x_i, y_i) - f(x_i, y) and e_i(y) of all outputs, and for each example a column of ones where it is."""
    D = np.vstack([(e.gold - e.outputs) @ e.features for e in small.examples])
    owners = np.repeat(np.eye(len(small.examples)), [len(e.outputs) for e in small.examples], axis=0)
    return D, np.concatenate([e.losses for e in small.examples]), owners


def _program(small: Case, price: float, radius: float | None) -> Optimum:
    D, margins, owners = _constraints(small)
    (m, n), (A, b) = (D.shape[1], owners.shape[1]), (-np.hstack([D, -D, owners]), -margins)
    if radius is not None:
        A = np.vstack([A, np.concatenate([np.ones(2 * m), np.zeros(n)])])
        b = np.append(b, radius)
    costs = np.concatenate([np.full(2 * m, price), np.ones(n)])
    bounds = [(0, None)] * (2 * m) + [(None, None)] * n
    found = so.linprog(costs, A, b, bounds=bounds, method="highs-ds")
    assert found.status == 0, found.message
    u = -found.ineqlin.marginals[: len(owners)]
    return Optimum(found.fun, found.x[:m] - found.x[m : 2 * m], [u[column > 0] for column in owners.T])


def log_loss(small: Case, w: np.ndarray) -> tuple[float, np.ndarray]:
    """sum_i loss_i(w) and its gradient."""
    gradient = np.zeros_like(w)
    for e in small.examples:
        gradient += (e.distribution(e.features @ w) @ e.outputs - e.gold) @ e.features
    return sum(small.losses(w, "log")), gradient


def smooth(small: Case, C: float, loss: str = "log", penalty: str = "l1") -> Optimum:
    """A smooth loss with the l1 penalty, alone or beside l2: w = a - b with a, b >= 0 makes it smooth."""
    m, strengths = parts.num_weights(small.split), penalties.strengths(penalty, C)

    def value(v: np.ndarray) -> tuple[float, np.ndarray]:
        w = v[:m] - v[m:]
        total, gradient = strengths.C * (w @ w) / 2 + strengths.A * v.sum(), strengths.C * w
        for e in small.examples:
            s = e.features @ w
            top, u = e.loss(s, loss)
            total, gradient = total + float(top - e.gold @ s), gradient + (u @ e.outputs - e.gold) @ e.features
        return total, np.concatenate([gradient, -gradient]) + strengths.A

    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 20000, "maxcor": 30}
    found = so.minimize(value, np.zeros(2 * m), jac=True, bounds=[(0, None)] * (2 * m), options=options)
    return Optimum(found.fun, found.x[:m] - found.x[m:], [])


def elastic_hinge(small: Case, C: float, A: float) -> Optimum:
    """The hinge with C ||w||^2 / 2 + A ||w||_1, by sequential quadratic programming: w = a - b with a, b >= 0."""
    D, margins, owners = _constraints(small)
    m, slacks = D.shape[1], np.array([e.losses.max() for e in small.examples])
    rows, prices = np.hstack([D, -D, owners]), np.concatenate([np.full(2 * m, A), np.ones(len(slacks))])

    def slope(v: np.ndarray) -> np.ndarray:
        w = C * (v[:m] - v[m : 2 * m])
        return prices + np.concatenate([w, -w, np.zeros(len(slacks))])

    found = so.minimize(
        lambda v: prices @ v + C * ((v[:m] - v[m : 2 * m]) ** 2).sum() / 2,
        np.concatenate([np.zeros(2 * m), slacks]),
        jac=slope,
        bounds=[(0, None)] * (2 * m) + [(None, None)] * len(slacks),
        constraints={"type": "ineq", "fun": lambda v: rows @ v - margins, "jac": lambda v: rows},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 2000},
    )
    assert found.success, found.message
    return Optimum(float(found.fun), found.x[:m] - found.x[m : 2 * m], [])


def conjugate_and_weights(small: Case, u: list[np.ndarray], loss: str) -> tuple[float, np.ndarray]:
    """conj(u) and w(u)."""
    conjugate, dual = 0.0, np.zeros(parts.num_weights(small.split))
    for e, u_i in zip(small.examples, u, strict=True):
        conjugate += e.dual_term(u_i, loss)
        dual += (e.gold - u_i @ e.outputs) @ e.features
    return float(conjugate), dual
