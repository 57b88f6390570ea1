"""Inference on trees that may cross."""

import numpy as np

from algorithms.structures.compiled import implements
from algorithms.structures.dependency import semirings
from algorithms.structures.dependency.arcs import part
from algorithms.structures.nonprojective import matrix_tree
from algorithms.structures.nonprojective.model import NonProjective
from algorithms.structures.nonprojective.spanning_tree import best_tree


@implements(NonProjective)
def marginals(c, i, s, mu):
    length = c.starts[i + 1] - c.starts[i]
    n = length + 1
    W, A = np.zeros((n, n)), np.empty((n, n))
    top = semirings.plain_weights(length, s, W)
    first = W.copy()
    choices = matrix_tree.log_of_choices(W)
    log_z = matrix_tree.eliminate(W, c.single_root)
    plain = np.isfinite(top) and log_z - choices > matrix_tree.LOWEST
    if plain:
        matrix_tree.derive(W, c.single_root, A)
    else:
        top = 0.0
        semirings.log_weights(length, s, W)
        first[:] = W
        log_z = matrix_tree.eliminate_logs(W, c.single_root)
        matrix_tree.derive_logs(W, c.single_root, A)
    for m in range(1, n):
        for h in range(n):
            if h != m:
                mu[part(length, h, m)] = A[h, m] * first[h, m] if plain else np.exp(A[h, m] + first[h, m])
    return log_z + top


@implements(NonProjective)
def argmax(c, i, s, y):
    length = c.starts[i + 1] - c.starts[i]
    heads = np.empty(length + 1, np.int64)
    best_tree(length, s, c.single_root, heads)
    y[:] = 0.0
    value = 0.0
    for m in range(1, length + 1):
        r = part(length, heads[m], m)
        y[r] = 1.0
        value += s[r]
    return value
