"""Generalised iterative scaling, for the log loss and features of 0 or more.

klein2011, "Unconstrained Optimization" (J. Darroch, D. Ratcliff, Generalized iterative scaling for log-linear
models, Annals of Mathematical Statistics 1972; without a slack feature: J. Curran, S. Clark, Investigating GIS and
smoothing for maximum entropy taggers, 2003; with the l2 penalty: S. Chen, R. Rosenfeld, A survey of smoothing
techniques for ME models, 2000). With M the largest sum_k f_k(x_i, y) of any output, P(w + delta) - P(w) is at
most a sum of functions of single coordinates, each of which is least where

    E_k exp(M delta_k) + C (w_k + delta_k) = sum_i f_k(x_i, y_i),   E_k = sum_i E_{p(.|x_i; w)} f_k(x_i, .).

With C = 0 that is the update delta_k = log(observed / expected) / M; else the equation's solution is known in
terms of Wright's omega function, omega + log omega = z. P falls in every iteration.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
from scipy.special import wrightomega

from algorithms.learning.non_negative import require_non_negative
from algorithms.learning.objective import Iterate, Objective
from algorithms.learning.right_outputs import observed
from algorithms.runtime import parallel
from algorithms.runtime.kernel import kernel
from algorithms.structures import interface as parts

LOSSES = ("log",)
NEEDS = ("parts", "argmax", "marginals")
LABEL = "Iterative scaling"
DRAWS = False
LINEAR = False
NON_NEGATIVE = True


def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Run GIS from w = 0; the search for M is a visit to each example, and each iteration one more.

    Notes: ``M``.

    Raises:
        UserError: a feature is negative.
    """
    split, C, n = objective.split, objective.C, parts.num_examples(objective.split)
    require_non_negative(split, "iterative-scaling")
    w, gradient = np.zeros((2, parts.num_weights(split)))
    yield Iterate(w, 1.0, 0, None, {})
    sums = np.empty(n)
    parallel.for_each(_largest_sums, n, split, np.ones_like(w), sums)
    M = float(sums.max())
    right = observed(split)
    for iteration in count(2) if M > 0 else ():  # else there are no features at all
        objective.loss_and_gradient(w, gradient)
        expected = np.maximum(gradient + right, 0.0)
        w += change(expected, right - C * w, C, M)
        yield Iterate(w, 1.0, iteration * n, None, {"M": M})


def change(expected: np.ndarray, right: np.ndarray, C: float, M: float) -> np.ndarray:
    """delta with expected exp(M delta) + C delta = right, (weights,); C > 0.

    omega(z) / M = right / C - delta, where z = log(M expected / C) + M right / C.
    """
    with np.errstate(divide="ignore"):
        return right / C - wrightomega(np.log(M * expected / C) + M * right / C) / M


@kernel
def _largest_sums(first, last, split, ones, sums):
    for i in range(first, last):
        s = np.empty(parts.num_parts(split, i))
        parts.scores(split, i, ones, s)
        sums[i] = parts.argmax(split, i, s, np.empty_like(s))
