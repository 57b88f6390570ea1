"""Generalised iterative scaling, for the log loss and features of 0 or more.

klein2011, "Unconstrained Optimization" (Darroch and Ratcliff 1972). Without a slack feature: Curran and Clark
2003. With the l2 penalty: Chen and Rosenfeld 2000. With M the largest sum_k f_k(x_i, y) of any output, a sum of
functions of single coordinates bounds P(w + delta) - P(w) from above. Each is least where

    E_k exp(M delta_k) + C (w_k + delta_k) = sum_i f_k(x_i, y_i),   E_k = sum_i E_{p(.|x_i; w)} f_k(x_i, .).

With C = 0 the update is delta_k = log(observed / expected) / M; else Wright's omega function gives it. P falls in
every iteration.
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

POLISHED = 3  # steps of Newton's method


@algorithm(
    label="Iterative scaling",
    loss="log",
    needs=("parts", "argmax", "marginals"),
    random=False,
    non_negative=True,
    promises=Promises(linear=False),
    references=("darroch1972", "curran2003", "chen2000"),
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
    from scipy.special import wrightomega  # slow to load, and a config of runs loads this file

    c = C / M
    with np.errstate(all="ignore"):
        log_ratio = np.log(expected / c)
        omega = wrightomega(log_ratio + right / c)  # expected exp(x) / c
        x = np.where(omega < 1.0, right / c - omega, np.log(omega) - log_ratio)
        for _ in range(POLISHED):  # near 0 both differences cancel: Newton's method on what does not
            grown = expected * np.expm1(x)
            step = (grown + c * x - (right - expected)) / (grown + expected + c)
            x = np.where(abs(x) <= 1.0, x - step, x)
    return np.where(expected > 0.0, x, right / c) / M


@kernel
def _largest_sums(first, last, split, ones, sums):
    for i in range(first, last):
        s = np.empty(parts.num_parts(split, i))
        parts.scores(split, i, ones, s)
        sums[i] = parts.argmax(split, i, s, np.empty_like(s))
