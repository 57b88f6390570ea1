"""Generalised iterative scaling, for the log loss and features of 0 or more.

Source: klein2011, "Unconstrained Optimization" (J. Darroch, D. Ratcliff, Generalized iterative scaling for
log-linear models, Annals of Mathematical Statistics 1972). Without a slack feature: J. Curran, S. Clark,
Investigating GIS and smoothing for maximum entropy taggers, 2003. With the l2 penalty: S. Chen, R. Rosenfeld, A
survey of smoothing techniques for ME models, 2000. With M the largest sum_k f_k(x_i, y) of any output, a sum of
functions of single coordinates bounds P(w + delta) - P(w) from above. Each is least where

    E_k exp(M delta_k) + C (w_k + delta_k) = sum_i f_k(x_i, y_i),   E_k = sum_i E_{p(.|x_i; w)} f_k(x_i, .).

With C = 0 the update is delta_k = log(observed / expected) / M; else Newton's method solves the equation. P falls
in every iteration.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from structbench.algorithms.learning.declaration import Promises, algorithm
from structbench.algorithms.learning.gold_outputs import observed
from structbench.algorithms.learning.non_negative import require_non_negative
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

NEAR = 0.5  # a root this close to 0 needs a few steps from the tangent at 0
STEPS = 50  # of Newton's method, which takes some 10 at most
LAST = 1e-8  # relative to x: Newton's error after a step is at most half the step's square


@algorithm(
    label="Iterative scaling",
    loss="log",
    needs=("parts", "argmax", "marginals"),
    random=False,
    non_negative=True,
    promises=Promises(linear=False),
)
def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Run GIS from w = 0. The search for M is a visit to each example, and each iteration one more.

    Notes: ``M``.

    Raises:
        UserError: a feature is negative.
    """
    split, C, n = objective.split, objective.C, parts.num_examples(objective.split)
    require_non_negative(split, "iterative-scaling")
    w, gradient = np.zeros((2, parts.num_weights(split)))
    yield Iterate(w, 0)
    sums = np.empty(n)
    parallel.for_each(_largest_sums, n, split, np.ones_like(w), sums)
    M = float(sums.max())
    right = observed(split)
    for iteration in count(2) if M > 0 else ():  # else there are no features at all
        objective.loss_and_gradient(w, gradient)
        expected = np.maximum(gradient + right, 0.0)
        w += change(expected, right - C * w, C, M)
        yield Iterate(w, iteration * n, notes={"M": M})


def change(expected: np.ndarray, right: np.ndarray, C: float, M: float) -> np.ndarray:
    """delta with expected exp(M delta) + C delta = right, (weights,); expected >= 0, C > 0.

    The relative error of delta is at most 1e-12, even if ``expected`` is close to ``right`` or C is tiny.
    """
    delta = np.empty_like(expected)
    parallel.for_each(_solve, len(delta), expected, right, C / M, delta)
    return np.divide(delta, M, out=delta)


@kernel
def _solve(first, last, expected, right, c, out):
    """out[k] = x with E exp(x) + c x = r, E of ``expected`` and r of ``right``, for these k."""
    for k in range(first, last):
        out[k] = _root(expected[k], right[k], c)


@kernel
def _root(E, r, c):
    """x with E exp(x) + c x = r, by Newton's method from above. The function is convex: x falls and stays above.

    The first x is the root of the tangent at 0, or log((r - c x') / E) with an x' below the root, whichever is
    lower. The residual is written so that no term is much larger than its slope times x.
    """
    if E == 0.0:
        return r / c
    x = (r - E) / (c + E)
    if abs(x) > NEAR:
        most = max(r, 0.0) + c * np.log1p(E / c)
        x = min(x, np.log(most) - np.log(E)) if most > 0.0 else x
    for _ in range(STEPS):
        if abs(x) <= 1.0:
            grown = E * np.expm1(x)
            residual, slope = grown + c * x - (r - E), grown + E + c
        else:
            half = np.exp(x / 2.0)  # its square may be too large, if E is tiny
            grown = half * E * half
            residual, slope = grown + c * x - r, grown + c
        step = residual / slope
        x -= step
        if abs(step) <= LAST * abs(x):
            break
    return x


@kernel
def _largest_sums(first, last, split, ones, sums):
    for i in range(first, last):
        s = np.empty(parts.num_parts(split, i))
        parts.scores(split, i, ones, s)
        sums[i] = parts.argmax(split, i, s, np.empty_like(s))
