"""Plain numbers and logarithms, as ``eisner`` computes with them, and weights of arcs in both.

Plain weights are exp(s - the largest score of the arcs into the same token): a tree has one arc into each token,
so that all trees lose the same score, and no sum is above the number of trees. Sums underflow only where no tree
has arcs nearly as good as the best ones (``enough``), and overflow in sentences of several hundred tokens.
"""

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.runtime.vector_math import exp

LOWEST = -354.0  # the least that ``exp`` takes; weights below e^LOWEST count as 0
GROWTH = 0.83  # log10 of 27 / 4: there are fewer than (27 / 4)^T projective trees of T tokens
LOST = 139.0  # what trees with weights below e^LOWEST = 10^-153.7 may sum up to is at most 1e-14 of the total
LEAST = 1e-290


@kernel
def plain_weights(length, s, W):
    """W[h, m] from the scores of all arcs; returns the sum of the largest ones, NaN where there are no numbers."""
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
    """Whether so much is left that nothing worth mentioning was lost; false for NaN."""
    return total < np.inf and total > max(10.0 ** (GROWTH * length - LOST), LEAST)


@kernel
def share(a, b, total, logs):
    """The share of the total that the product of a sum and its derivative is; of numbers or their logarithms."""
    return np.exp(a + b - total) if logs else a * b / total


@kernel
def times(a, b):
    return a * b


@kernel
def plus(a, b):
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
def log_times(a, b):
    return a + b


@kernel
def log_plus(a, b):
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))


@kernel
def log_dot(a, b):
    top = -np.inf
    for k in range(a.shape[0]):
        if not (a[k] + b[k] <= top or np.isnan(top)):
            top = a[k] + b[k]
    if top == -np.inf:
        return top
    total = 0.0
    for k in range(a.shape[0]):
        total += np.exp(a[k] + b[k] - top)
    return top + np.log(total)


@kernel
def log_spread(c, a, b, to_a, to_b):
    for k in range(a.shape[0]):
        to_a[k] = log_plus(to_a[k], c + b[k])
        to_b[k] = log_plus(to_b[k], c + a[k])
