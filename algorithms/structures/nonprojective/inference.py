"""Marginals and argmax for non-projective dependency trees, whose arcs may cross."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.dependency import semirings
from structbench.algorithms.structures.dependency.arcs import part
from structbench.algorithms.structures.nonprojective import matrix_tree, wide_tree
from structbench.algorithms.structures.nonprojective.model import NonProjective
from structbench.algorithms.structures.nonprojective.spanning_tree import best_tree
from structbench.algorithms.structures.nonprojective.wide_numbers import float_of, times


@implements(NonProjective)
def marginals(c, i, s, mu):
    length = c.starts[i + 1] - c.starts[i]
    n = length + 1
    W, A = np.zeros((n, n)), np.empty((n, n))
    top = semirings.plain_weights(length, s, W)
    if not np.isfinite(top):  # a token without a head, or no numbers
        mu[:] = 0.0 if top == -np.inf else np.nan
        return top if top == -np.inf else np.nan
    first = W.copy()
    choices = matrix_tree.log_of_choices(W)
    log_z = matrix_tree.eliminate(W, c.single_root)
    if not (log_z - choices > matrix_tree.LOWEST and log_z < np.inf):
        return top + _wide_marginals(length, s, c.single_root, mu)
    matrix_tree.derive(W, c.single_root, A)
    for m in range(1, n):
        for h in range(n):
            if h != m:
                mu[part(length, h, m)] = A[h, m] * first[h, m]
    return log_z + top


@kernel
def _wide_marginals(length, s, single_root, mu):
    """``mu`` and log Z, with scores shifted so that the largest of the arcs into each token is 0."""
    n = length + 1
    M, E = np.empty((n, n)), np.empty((n, n), np.int64)
    beyond = wide_tree.weights(length, s, single_root, M, E)
    first, exponents = M.copy(), E.copy()
    log_z = wide_tree.eliminate(M, E, single_root)
    if log_z == -np.inf:
        mu[:] = np.nan if beyond else 0.0
        return np.nan if beyond else log_z
    A, F = np.empty((n, n)), np.empty((n, n), np.int64)
    wide_tree.derive(M, E, A, F)
    for m in range(1, n):
        for h in range(n):
            if h != m:
                share, e = times(A[h, m], F[h, m], first[h, m], exponents[h, m])
                mu[part(length, h, m)] = float_of(share, e)
    return log_z


@implements(NonProjective)
def argmax(c, i, s, y):
    length = c.starts[i + 1] - c.starts[i]
    heads = np.empty(length + 1, np.int64)
    value = best_tree(length, s, c.single_root, heads)
    y[:] = 0.0
    for m in range(1, length + 1 if value != -np.inf else 1):
        y[part(length, heads[m], m)] = 1.0
    return value
