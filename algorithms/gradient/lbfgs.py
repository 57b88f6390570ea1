"""L-BFGS on the primal, for the log loss (eg2008, section 7.1.4).

The direction is -H g with the two-loop recursion (Nocedal 1980) run on coefficients: it needs nothing of the
pairs (s_j, y_j) but their inner products, so that an iteration reads them twice, once for the products with the
new gradient and once for the direction. The pairs are kept in single precision, which bends the direction by
1e-7 of itself and halves the traffic that an iteration consists of; products are summed in double precision.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from algorithms.learning.inference import dot
from algorithms.learning.objective import BLOCK, Iterate, Objective, Value, num_blocks
from algorithms.runtime import parallel
from algorithms.runtime.kernel import kernel
from algorithms.structures import interface as parts

LOSSES = ("log",)
PENALTIES = ("l2", "none")
NEEDS = ("parts", "marginals")
LABEL = "L-BFGS"
DRAWS = False
CONTENDS = ({},)
SUFFICIENT, CURVATURE = 1e-4, 0.9  # of Wolfe's two conditions
TRIALS = 40
ROUNDING = 1e-14  # of the objective


def solve(
    problem: Any, objective: Objective, rng: np.random.Generator, *, memory: Annotated[int, ">= 1"] = 10
) -> Iterator[Iterate]:
    """Run L-BFGS from w = 0; yields after each iteration and counts every evaluation of its line search.

    Args:
        memory: pairs of vectors kept (the paper's number).
    """
    n = parts.num_examples(objective.split)
    w = np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 1.0, 0, None, {})
    history = History(len(w), memory)
    g, w_new, g_new, direction = (np.empty_like(w) for _ in range(4))
    value, evaluations = objective.value_and_gradient(w, g), 1
    while True:
        slope = history.direct(g, direction)
        if not slope < 0:
            return

        trial = partial(_trial, objective, w, direction, w_new, g_new)
        accepted, trials = wolfe(trial, value, slope, 1.0 if history.rows else 1 / np.sqrt(-slope))
        evaluations += trials
        if accepted is None or not accepted < value:  # rounding hides any further progress
            return
        value = accepted
        history.append(w, w_new, g, g_new)
        w, w_new, g, g_new = w_new, w, g_new, g
        known = partial(value_found, objective, value, objective.conjugate, w, g)
        yield Iterate(w, 1.0, evaluations * n, None, {"evaluations": evaluations}, value=known)


def value_found(objective: Objective, primal: float, conjugate: float, w: np.ndarray, g: np.ndarray) -> Value:
    """P(w) and the dual value of u_i = p(. | x_i; w), whose -w(u) is the gradient of the losses.

    ``g`` is the gradient of P, with the penalty l1 that of the losses alone.
    """
    return Value(primal, objective.bound(conjugate, g - objective.C * w if objective.penalty == "l2" else g))


def _trial(objective: Objective, w, direction, w_new, g_new, step: float) -> tuple[float, float]:
    """Value and slope after a step along the direction; fills w_new and g_new."""
    parallel.for_each(_move, len(w), w, step, direction, w_new)
    value = objective.value_and_gradient(w_new, g_new)
    shares = np.empty(num_blocks(len(w)))
    parallel.for_each(_dots, len(shares), g_new, direction, shares)
    return value, float(shares.sum())


def wolfe(
    trial: Callable[[float], tuple[float, float]], value: float, slope: float, step: float
) -> tuple[float | None, int]:
    """Find a step that satisfies Wolfe's weak conditions, by secants on the slope, safeguarded by bisection.

    Args:
        trial: step -> value and slope of the function there; the last call made is the step accepted.
        value, slope: those at step 0; the slope is negative.
        step: the first to try.

    Returns:
        The value at the step accepted, None where there is none in ``TRIALS`` trials; and the trials made.
    """
    low, high = 0.0, np.inf
    for trials in range(1, TRIALS + 1):
        there, slope_there = trial(step)
        if not there <= value + SUFFICIENT * step * slope + ROUNDING * abs(value):
            high = step
        elif slope_there < CURVATURE * slope:
            low = step
        else:
            return there, trials
        secant = step * slope / (slope - slope_there) if slope_there > slope else np.inf
        if np.isfinite(high):
            margin = 0.1 * (high - low)
            middle = (low + high) / 2
            step = min(max(secant, low + margin), high - margin) if np.isfinite(secant) else middle
        else:
            step = min(max(secant, 2 * step), 10 * step)
    return None, TRIALS


class History:
    """The last pairs s = change of w, y = change of the gradient, and the inner products that they need."""

    def __init__(self, size: int, memory: int) -> None:
        self.S, self.Y = np.zeros((2, memory, size), np.float32)
        self.sy, self.yy = np.zeros((2, memory, memory))  # s_i . y_j, y_i . y_j
        self.sg, self.yg = np.zeros((2, memory))  # with the newest gradient
        self.rows: list[int] = []  # in use, the oldest first
        self.blocks = num_blocks(size)

    def append(self, w: np.ndarray, w_new: np.ndarray, g: np.ndarray, g_new: np.ndarray) -> None:
        """Add the pair of the step from w to w_new, forgetting the oldest one where all rows are in use."""
        new = self.rows.pop(0) if len(self.rows) == len(self.S) else len(self.rows)
        own = np.empty((self.blocks, 4))
        parallel.for_each(_store, self.blocks, w, w_new, g, g_new, self.S[new], self.Y[new], own)
        used = np.array(self.rows, np.int64)
        shares = np.empty((self.blocks, 3, len(used)))
        parallel.for_each(_products, self.blocks, self.S, self.Y, used, g_new, self.S[new], shares)
        sg, yg, ys = shares.sum(axis=0)
        # y_new = g_new - g turns old products with g into those with y_new
        self.sy[used, new], self.sy[new, used] = sg - self.sg[used], ys
        self.yy[used, new] = self.yy[new, used] = yg - self.yg[used]
        self.sg[used], self.yg[used] = sg, yg
        self.sy[new, new], self.yy[new, new], self.sg[new], self.yg[new] = own.sum(axis=0)
        if self.sy[new, new] > 0:
            self.rows.append(new)
        else:  # a step below what single precision resolves
            self.rows.clear()

    def products(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s_j . g and y_j . g of another vector than the newest gradient, for ``direct``."""
        used = np.array(self.rows, np.int64)
        shares = np.empty((self.blocks, 3, len(used)))
        parallel.for_each(_products, self.blocks, self.S, self.Y, used, g, self.S[0], shares)
        found = np.zeros((2, len(self.S)))
        found[:, used] = shares.sum(axis=0)[:2]
        return found[0], found[1]

    def direct(
        self, g: np.ndarray, direction: np.ndarray, products: tuple[np.ndarray, np.ndarray] | None = None
    ) -> float:
        """direction = -H g for the newest gradient g, or any with its ``products``; returns g . direction.

        The two-loop recursion on the coefficients a of the s_j, b of the y_j and c of g in its vector.
        """
        sg, yg = products or (self.sg, self.yg)
        a, b, c = np.zeros(len(self.S)), np.zeros(len(self.S)), -1.0
        step = {}
        for i in reversed(self.rows):
            step[i] = (self.sy[i] @ b + c * sg[i]) / self.sy[i, i]
            b[i] -= step[i]
        if self.rows:
            newest = self.rows[-1]
            shrink = self.sy[newest, newest] / self.yy[newest, newest]
            b, c = b * shrink, c * shrink
        for i in self.rows:
            a[i] += step[i] - (a @ self.sy[:, i] + b @ self.yy[i] + c * yg[i]) / self.sy[i, i]
        used = np.array(self.rows, np.int64)
        shares = np.empty(self.blocks)
        parallel.for_each(_combine, self.blocks, self.S, self.Y, used, a, b, c, g, direction, shares)
        return float(shares.sum())


@kernel
def _move(first, last, w, step, direction, w_new):
    for k in range(first, last):
        w_new[k] = w[k] + step * direction[k]


@kernel
def _store(first, last, w, w_new, g, g_new, s, y, dots):
    """s = w_new - w, y = g_new - g; dots of a block: s . y, y . y, s . g_new, y . g_new."""
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(w))
        for k in range(begin, end):
            s[k] = w_new[k] - w[k]
            y[k] = g_new[k] - g[k]
        dots[block, 0] = dot(s[begin:end], y[begin:end])
        dots[block, 1] = dot(y[begin:end], y[begin:end])
        dots[block, 2] = dot(s[begin:end], g_new[begin:end])
        dots[block, 3] = dot(y[begin:end], g_new[begin:end])


@kernel
def _products(first, last, S, Y, rows, g, s, dots):
    """dots of a block: of g with the s_j and with the y_j, and of s with the y_j, for these rows j."""
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(g))
        for j in range(len(rows)):
            y = Y[rows[j], begin:end]
            dots[block, 0, j] = dot(S[rows[j], begin:end], g[begin:end])
            dots[block, 1, j] = dot(y, g[begin:end])
            dots[block, 2, j] = dot(y, s[begin:end])


@kernel
def _combine(first, last, S, Y, rows, a, b, c, g, direction, dots):
    """direction = sum_j a_j s_j + b_j y_j + c g; dots of a block: direction . g."""
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(g))
        d = direction[begin:end]
        for k in range(begin, end):
            direction[k] = c * g[k]
        for j in rows:
            s, y, a_j, b_j = S[j, begin:end], Y[j, begin:end], a[j], b[j]
            for k in range(len(d)):
                d[k] += a_j * s[k] + b_j * y[k]
        dots[block] = dot(d, g[begin:end])


@kernel
def _dots(first, last, u, v, dots):
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(u))
        dots[block] = dot(u[begin:end], v[begin:end])
