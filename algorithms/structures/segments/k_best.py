"""The k best segmentations of one sequence, from a hypergraph whose edge order breaks ties as Viterbi does.

From the last token back, there are two kinds of nodes: what begins at token t with label k, and what follows
boundary t after label j. There are two of the latter, one for labels up to j and one for those above. The reason
is ties: which of two lengths has the smaller tags depends on the label that follows (``semi_markov.viterbi``). So
edges into a beginning are in this order. First comes every length with a label up to k after it, the shortest
first. Then the one that ends the sequence. Then every length with a label above, the longest first.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.segments.rows import rows_before

NONE = -1


@kernel
def best_segmentations(segments, transitions, shape, k, values):
    """How many there are, at most k, ``values`` their scores, and what ``add_segmentation`` needs to read them.

    Scores as in ``semi_markov.viterbi``, whose segmentation is the first.
    """
    first, tails, carried = _hypergraph(transitions.shape[0], shape)
    theta, size = np.zeros(carried.shape[0]), segments.size
    kinds, pairs = segments.reshape(size), transitions.reshape(transitions.size)
    for e in range(carried.shape[0]):
        if carried[e] != NONE:
            theta[e] = kinds[carried[e]] if carried[e] < size else pairs[carried[e] - size]
    found, origin = hypergraph.k_best_origins(first, tails, theta, k, values)
    return found, origin, tails, carried


@kernel
def add_segmentation(origin, tails, carried, r, y):
    """y[part] += how often the segmentation of rank r has the part."""
    chosen = np.zeros(carried.shape[0])
    hypergraph.add_derivation(tails, origin, r, chosen)
    for e in range(carried.shape[0]):
        if carried[e] != NONE and chosen[e] > 0.0:
            y[carried[e]] += chosen[e]


@kernel
def _hypergraph(K, shape):
    """``first`` and ``tails`` of ``hypergraph``, and the part that each edge carries, or ``NONE``."""
    length, max_length, outside = shape
    tied = rows_before(length, length, max_length) * K
    most = length * K * (2 * min(max_length, length) + K) + K
    first, tails = np.zeros(3 * length * K + 2, np.int64), np.full((most, 2), NONE, np.int32)
    carried = np.full(most, NONE)
    begun, low, high = np.empty(K, np.int64), np.full((length + 1, K), NONE), np.full((length + 1, K), NONE)
    node = e = 0
    for t in range(length - 1, -1, -1):
        row = rows_before(t, length, max_length)
        for k in range(K):
            lengths = 1 if k == outside else min(max_length, length - t)
            for way in range(2 * lengths):
                n = way if way < lengths else 2 * lengths - 1 - way
                if t + n + 1 == length and way >= lengths:
                    continue
                carried[e] = (row + n) * K + k
                tails[e, 0] = low[t + n + 1, k] if way < lengths else high[t + n + 1, k]
                e += 1
            begun[k] = node
            node += 1
            first[node] = e
        for above in range(2 if t > 0 else 0):
            for j in range(K):
                for k in range(j + 1, K) if above else range(j + 1):
                    carried[e], tails[e, 0] = tied + j * K + k, begun[k]
                    e += 1
                if above:
                    high[t, j] = node
                else:
                    low[t, j] = node
                node += 1
                first[node] = e
    for k in range(K):
        tails[e, 0] = begun[k]
        e += 1
    first[node + 1] = e
    return first[: node + 2], tails[:e], carried[:e]
