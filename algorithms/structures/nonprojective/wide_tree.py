"""Sums over all spanning trees (``matrix_tree``) for weights that no float holds and arcs at minus infinity.

If the root may have one child only, its arcs are scaled by 2^(-512 R), less than any ratio of other weights. A
tree with two of them then adds nothing to trees with one. So these arcs count in every d_k, and no d_k is 0 as
long as there is a tree.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.nonprojective import wide_numbers as wide


@kernel
def of_root(n):
    """R, and the largest exponent of weights such that 2 n of them add up to R / 2; n counts the root."""
    R = 2**60 // n
    return R, R // (4 * n)


@kernel
def weights(length, s, single_root, M, E):
    """exp of scores less the largest into their token, [h, m]. Whether any was too far below, and left out.

    In sentences of up to 100 tokens only differences of over 1e16 are too far.
    """
    M[:], E[:] = 0.0, wide.OF_ZERO
    R, most = of_root(length + 1)
    beyond, least = False, -most * wide.UNIT
    for m in range(1, length + 1):
        row = s[(m - 1) * length : m * length]
        top = row.max()
        for k in range(length):
            h = k + (1 if k >= m else 0)
            if row[k] - top >= least:
                M[h, m], E[h, m] = wide.exponential(row[k] - top)
                E[h, m] -= R if single_root and h == 0 else 0
            elif row[k] > -np.inf:
                beyond = True
    return beyond


@kernel
def eliminate(M, E, single_root):
    """``matrix_tree.eliminate``; minus infinity if there is no tree."""
    log_z, exponent = 0.0, 0
    for k in range(M.shape[0] - 1, 0, -1):
        d, e = 0.0, wide.OF_ZERO
        for h in range(k):
            d, e = wide.plus(d, e, M[h, k], E[h, k])
        M[k, k], E[k, k] = d, e
        if d == 0.0:
            return -np.inf
        log_z += np.log(d)
        exponent += e
        for h in range(k):
            if M[h, k] > 0.0:
                share, p = wide.over(M[h, k], E[h, k], d, e)
                for m in range(1, k):
                    if h != m and M[k, m] > 0.0:
                        through, q = wide.times(share, p, M[k, m], E[k, m])
                        M[h, m], E[h, m] = wide.plus(M[h, m], E[h, m], through, q)
    R, _ = of_root(M.shape[0])
    exponent += R if single_root else 0
    return log_z + exponent * wide.UNIT if exponent > -(R // 2) else -np.inf


@kernel
def derive(M, E, A, F):
    """``matrix_tree.derive``: A 2^(512 F)."""
    n = M.shape[0]
    A[:], F[:] = 0.0, wide.OF_ZERO
    for k in range(1, n):
        d, e = M[k, k], E[k, k]
        q, p = 0.0, wide.OF_ZERO
        for h in range(k):
            if M[h, k] > 0.0:
                share, exponent = wide.over(M[h, k], E[h, k], d, e)
                for m in range(1, k):
                    if h != m:
                        a, f = wide.times(A[h, m], F[h, m], share, exponent)
                        A[k, m], F[k, m] = wide.plus(A[k, m], F[k, m], a, f)
        for m in range(1, k):
            a, f = wide.times(A[k, m], F[k, m], M[k, m], E[k, m])
            q, p = wide.plus(q, p, a, f)
        for h in range(k):
            gained, exponent = 1.0, 0
            for m in range(1, k):
                if h != m:
                    a, f = wide.times(A[h, m], F[h, m], M[k, m], E[k, m])
                    gained, exponent = wide.plus(gained, exponent, a, f)
            gained, exponent = wide.minus(gained, exponent, q, p)
            A[h, k], F[h, k] = wide.over(gained, exponent, d, e)
