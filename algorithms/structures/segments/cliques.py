"""Distributions over segmentations as marginals of their segments (candidates, K) and boundaries (T - 1, K, K).

A segmentation is a path. It goes into a segment by the label that begins at a boundary, and out of it by the label
that ends at the next one. Of all distributions with these marginals, the Markov chain along such paths has the
most entropy. H = sum of the segments' and the boundaries' entropies - those of the labels that end, and of those
that begin, at each inner boundary. ``shape`` is that of ``semi_markov``.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.cliques import log_share


@kernel
def sum_ends(pairs, ended, begun):
    """The label that ends at each inner boundary, and the label that begins there: both (T - 1, K)."""
    ended[:] = 0.0
    begun[:] = 0.0
    for t in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            for k in range(pairs.shape[2]):
                ended[t, j] += pairs[t, j, k]
                begun[t, k] += pairs[t, j, k]


@kernel
def boundaries(y, shape):
    """j K + k of the labels j and k on both sides of each inner boundary (length - 1,) of a segmentation y.

    ``y``: parts of its segments (candidates, K). -1 where no segment ends or none begins.
    """
    K, (length, max_length, _) = y.shape[1], shape
    ended, begun = np.full(length + 1, -1), np.full(length + 1, -1)
    row = 0
    for t in range(length):
        for n in range(min(max_length, length - t)):
            for k in range(K):
                if y[row, k] > 0.5:
                    begun[t] = k
                    ended[t + n + 1] = k
            row += 1
    found = np.full(length - 1, -1)
    for t in range(1, length):
        if ended[t] >= 0 and begun[t] >= 0:
            found[t - 1] = ended[t] * K + begun[t]
    return found


@kernel
def log_conditionals(b_segments, b_pairs, segments, transitions, shape):
    """Scores of the chain whose boundaries depend on the label before them by tied factors only.

    A segment's score is the logarithm of its probability given the boundary before it. A transition's score is the
    logarithm of the boundaries' total over the total without dependence between the labels on both sides.
    """
    K, (length, max_length, outside) = transitions.shape[0], shape
    ended, begun = np.empty(b_pairs.shape[:2]), np.empty(b_pairs.shape[:2])
    sum_ends(b_pairs, ended, begun)
    row = 0
    for t in range(length):
        here = ended[t - 1].sum() if t > 0 else 1.0
        for n in range(min(max_length, length - t)):
            for k in range(K):
                segments[row, k] = log_share(b_segments[row, k], here) if n == 0 or k != outside else 0.0
            row += 1
    transitions[:] = 0.0
    if length == 1:
        return
    for j in range(K):
        for k in range(K):
            together = apart = 0.0
            for t in range(length - 1):
                together += b_pairs[t, j, k]
                if ended[t, j] > 0.0:
                    apart += ended[t, j] * begun[t, k] / ended[t].sum()
            transitions[j, k] = log_share(together, apart)
