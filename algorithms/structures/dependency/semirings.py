"""The semirings that ``eisner`` computes with: plain numbers, logarithms and maxima; and weights of arcs.

Plain weights are exp(s - the largest score of the arcs into the same token). A tree has one arc into each token,
so that all trees lose the same score, and no sum is above the number of trees. Sums underflow only if no tree has
arcs nearly as good as the best ones (``enough``). They overflow in sentences of several hundred tokens.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import exp

LOWEST = -354.0  # the least that ``exp`` takes; weights below e^LOWEST count as 0
GROWTH = 0.83  # log10 of 27 / 4: there are fewer than (27 / 4)^T projective trees of T tokens
LOST = 139.0  # trees with weights below e^LOWEST = 10^-153.7 add up to at most 1e-14 of the total
LEAST = 1e-290


@kernel
def plain_weights(length, s, W):
    """W[h, m] from the scores of all arcs; returns the sum of the largest ones, NaN if a score is NaN."""
    total = 0.0
    for m in range(1, length + 1):
        row = s[(m - 1) * length : m * length]
        top = row[0]
        for k in range(length):
            if not (row[k] <= top or np.isnan(top)):  # NaN comes to the top, and stays there
                top = row[k]
        total += top
        for k in range(length):
            x = row[k] - top
            W[k + (1 if k >= m else 0), m] = exp(x) if x >= LOWEST else 0.0
    return total


@kernel
def log_weights(length, s, W):
    """W[h, m] = s of the arc."""
    for m in range(1, length + 1):
        for k in range(length):
            W[k + (1 if k >= m else 0), m] = s[(m - 1) * length + k]


@kernel
def enough(total, length):
    """Whether the total is so large that nothing of weight underflowed; false for NaN."""
    return total < np.inf and total > max(10.0 ** (GROWTH * length - LOST), LEAST)


@kernel
def share(a, b, total, logs):
    """The probability of a sum: the sum times its derivative over the total. With logarithms it is b itself."""
    return b if logs else a * b / total


@kernel
def times(a, b):
    return a * b


@kernel
def plus(a, b):
    """Also the product of two numbers by their logarithms."""
    return a + b


@kernel(fastmath={"reassoc", "contract"})
def dot(a, b):
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@kernel(fastmath={"contract"})
def spread(c, a, b, to_a, to_b):
    for k in range(a.shape[0]):
        to_a[k] += c * b[k]
        to_b[k] += c * a[k]


@kernel
def best_dot(a, b):
    """For the best tree: the largest a[k] + b[k] in place of the sum; NaN if one of them is."""
    top = -np.inf
    for k in range(a.shape[0]):
        if not (a[k] + b[k] <= top or np.isnan(top)):
            top = a[k] + b[k]
    return top


@kernel
def _exp(x):
    """exp(x) of x up to 0, and 0 where it is below e^LOWEST; for loops without a branch."""
    found = exp(x if x > LOWEST else LOWEST)
    return found if x > LOWEST else 0.0


@kernel(fastmath={"reassoc"})
def _sum_of_exp(a, b, top):
    total = 0.0
    for k in range(a.shape[0]):
        total += _exp(a[k] + b[k] - top)
    return total


@kernel
def log_dot(a, b):
    top = best_dot(a, b)
    return top if top == -np.inf else top + np.log(_sum_of_exp(a, b, top))


@kernel
def same(w, share):
    """Replaces a product: a sum times a weight has the same probability as the sum."""
    return share


@kernel
def log_spread(c, a, b, to_a, to_b):
    """Divide c, the probability of the sum of a and b, among their terms; no logarithms on the way down."""
    top = best_dot(a, b)
    unit = c / _sum_of_exp(a, b, top)
    for k in range(a.shape[0]):
        share = unit * _exp(a[k] + b[k] - top)
        to_a[k] += share
        to_b[k] += share


@kernel
def best_spread(c, a, b, to_a, to_b):
    """All of c goes to the first of the largest terms: the leftmost split."""
    top, at = best_dot(a, b), 0
    while at < a.shape[0] - 1 and a[at] + b[at] != top:
        at += 1
    to_a[at] += c
    to_b[at] += c
