"""Inference on semi-Markov chains: marginals, best outputs, and operations on clique marginals.

Cliques are segments (candidates, K) and boundaries (T - 1, K, K). A segmentation is a path. It goes into a segment
by the label that begins at a boundary, and out of it by the label that ends at the next one. Of all distributions
with these marginals, the Markov chain along such paths has the most entropy. H = sum of the segments' and the
boundaries' entropies - those of the labels that end, and of those that begin, at each inner boundary. ``shape`` is
that of ``semi_markov``.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures.cliques import add_pairs, blocked, log_share
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.segments import semi_markov
from structbench.algorithms.structures.segments.k_best import add_segmentation, best_segmentations
from structbench.algorithms.structures.segments.model import Segments
from structbench.algorithms.structures.segments.views import shape_of, split, split_cliques


@implements(Segments)
def marginals(c, i, s, mu):
    segments, transitions = split(c, i, s)
    mu_segments, mu_transitions = split(c, i, mu)
    no_pairs = np.empty((0, c.num_labels, c.num_labels))
    return semi_markov.marginals(segments, transitions, shape_of(c, i), mu_segments, mu_transitions, no_pairs)


@implements(Segments)
def argmax(c, i, s, y):
    segments, transitions = split(c, i, s)
    y_segments, y_transitions = split(c, i, y)
    no_edges = np.empty((0, c.num_labels, c.num_labels))
    return semi_markov.viterbi(segments, transitions, no_edges, shape_of(c, i), y_segments, y_transitions)


@implements(Segments)
def k_best(c, i, s, Y, values):
    segments, transitions = split(c, i, s)
    found, origin, tails, carried = best_segmentations(segments, transitions, shape_of(c, i), Y.shape[0], values)
    Y[:] = 0.0
    for r in range(found):
        add_segmentation(origin, tails, carried, r, Y[r])
    return found


@implements(Segments)
def num_cliques(c, i):
    K = c.num_labels
    return (c.row_starts[i + 1] - c.row_starts[i] + (c.starts[i + 1] - c.starts[i] - 1) * K) * K


@implements(Segments)
def clique_marginals(c, i, s, b):
    segments, transitions = split(c, i, s)
    b_segments, b_pairs = split_cliques(c, i, b)
    tied = np.empty_like(transitions)
    return semi_markov.marginals(segments, transitions, shape_of(c, i), b_segments, tied, b_pairs)


@implements(Segments)
def cliques_of_output(c, i, y, b):
    segments, _ = split(c, i, y)
    b_segments, b_pairs = split_cliques(c, i, b)
    copy_to(segments, b_segments)
    b_pairs[:] = 0.0
    found = _boundaries(segments, shape_of(c, i))
    for t in range(found.shape[0]):
        if found[t] >= 0:
            b_pairs[t, found[t] // c.num_labels, found[t] % c.num_labels] = 1.0


@implements(Segments)
def parts_of_cliques(c, i, b, mu):
    b_segments, b_pairs = split_cliques(c, i, b)
    segments, transitions = split(c, i, mu)
    copy_to(b_segments, segments)
    add_pairs(b_pairs, transitions)


@implements(Segments)
def separators(c, i, b, out):
    """The labels that end, and the labels that begin, at each inner boundary."""
    _, pairs = split_cliques(c, i, b)
    count = 2 * pairs.shape[0] * c.num_labels
    ends = out[:count].reshape((2, pairs.shape[0], c.num_labels))
    _sum_ends(pairs, ends[0], ends[1])
    return 0, count


@implements(Segments)
def argmin_in_support(c, i, s, b, floor, y):
    segments, transitions = split(c, i, s)
    b_segments, b_pairs = split_cliques(c, i, b)
    y_segments, y_transitions = split(c, i, y)
    within, pairs = blocked(segments, transitions, b_pairs[:0], b_segments, b_pairs, floor)
    none = np.zeros_like(transitions)
    value = -semi_markov.viterbi(within, none, pairs, shape_of(c, i), y_segments, y_transitions)
    if value == np.inf:
        y[:] = 0.0
    return value


@implements(Segments)
def log_conditionals(c, i, b, s):
    """Scores of the chain whose boundaries depend on the label before them by tied factors only.

    A segment's score is the logarithm of its probability given the boundary before it. A transition's score is the
    logarithm of the boundaries' total over the total without dependence between the labels on both sides.
    """
    b_segments, b_pairs = split_cliques(c, i, b)
    segments, transitions = split(c, i, s)
    K, (length, max_length, outside) = c.num_labels, shape_of(c, i)
    ended, begun = np.empty(b_pairs.shape[:2]), np.empty(b_pairs.shape[:2])
    _sum_ends(b_pairs, ended, begun)
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


@kernel
def _sum_ends(pairs, ended, begun):
    """The label that ends at each inner boundary, and the label that begins there: both (T - 1, K)."""
    ended[:] = 0.0
    begun[:] = 0.0
    for t in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            for k in range(pairs.shape[2]):
                ended[t, j] += pairs[t, j, k]
                begun[t, k] += pairs[t, j, k]


@kernel
def _boundaries(y, shape):
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
