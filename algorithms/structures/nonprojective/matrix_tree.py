"""Sums over all spanning trees: the matrix-tree theorem, by elimination without subtraction (Koo et al. 2007).

The determinant of the Laplacian of the weights W[h, m] is the sum over trees. Eliminating token k, the last first,
turns its heads into heads of its modifiers. With d_k = sum_{h < k} W[h, k],

    W[h, m] <- W[h, m] + W[h, k] W[k, m] / d_k,   for h, m < k and h != m,   and   Z = prod_k d_k.

No two numbers are subtracted. So Z has all its digits however far weights lie apart, which LAPACK's factorisation
does not grant (Grassmann, Taksar and Heyman 1985). If the root may have one child only, its arcs count in d_1
alone. Z is then the part that is linear in them. ``wide_tree`` takes over if weights underflow, or if another d_k
is 0 without the root's arcs. Tests on five tokens use scores of up to 1e4, with any arcs forbidden. They find log
Z right to 1e-12 of itself and probabilities to 1e-11.

Derivatives go back through the elimination, k = 1 .. T. With A[h, m] that of log Z with respect to W[h, m] and
q_k = sum_m A[k, m] W[k, m],

    A[k, m] = sum_{h < k, h != m} A[h, m] W[h, k] / d_k,
    A[h, k] = (1 - q_k + sum_{m < k, m != h} A[h, m] W[k, m]) / d_k,

with 1 - q_k only if the arc counts in d_k. W[h, k] and W[k, m] are their values when k was eliminated; nothing
changes them afterwards. The probability of an arc is A[h, m] times its first weight. As W[h, k] <= d_k, its
rounding error is at most some T units in the last place of 1. Time: T^3 / 3 and 2 T^3 / 3 multiplications.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

LOWEST = -310.0  # log of the least share of all choices of heads that trees may be: weights below e^-354 are 0
LEAST = 1e-290  # of a d_k; derivatives by less could overflow


@kernel
def log_of_choices(W):
    """log of the sum over all ways to give each token a head, trees or not."""
    total = 0.0
    for m in range(1, W.shape[0]):
        here = 0.0
        for h in range(W.shape[0]):
            here += W[h, m] if h != m else 0.0
        total += np.log(here)
    return total


@kernel
def eliminate(W, single_root):
    """Eliminate all tokens in W, whose diagonal becomes d_k. Returns log Z, NaN if a d_k is near 0."""
    log_z = 0.0
    for k in range(W.shape[0] - 1, 0, -1):
        d = 0.0
        for h in range(1 if single_root and k > 1 else 0, k):
            d += W[h, k]
        if not d > LEAST:
            return np.nan
        W[k, k] = d
        log_z += np.log(d)
        for h in range(k):
            share = W[h, k] / d
            if share > 0.0:
                for m in range(1, k):
                    W[h, m] += share * W[k, m]
    return log_z


@kernel
def derive(W, single_root, A):
    """A[h, m] for all arcs, from what ``eliminate`` left in W."""
    n = W.shape[0]
    A[:] = 0.0
    for k in range(1, n):
        d, q = W[k, k], 0.0
        for h in range(k):
            share = W[h, k] / d
            for m in range(1, k):
                if h != m:
                    A[k, m] += A[h, m] * share
        for m in range(1, k):
            q += A[k, m] * W[k, m]
        for h in range(k):
            total = 0.0 if single_root and k > 1 and h == 0 else 1.0 - q
            for m in range(1, k):
                if h != m:
                    total += A[h, m] * W[k, m]
            A[h, k] = max(total, 0.0) / d
