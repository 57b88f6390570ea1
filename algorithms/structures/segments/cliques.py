"""Distributions over segmentations as marginals of their segments (candidates, K) and boundaries (T - 1, K, K).

A segmentation is a path. It goes into a segment by the label that begins at a boundary, and out of it by the label
that ends at the next one. Of all distributions with these marginals, the Markov chain along such paths has the
most entropy. H = sum of the segments' and the boundaries' entropies - those of the labels that end, and of those
that begin, at each inner boundary. ``shape`` is that of ``semi_markov``.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.cliques import entropy_of, log_share, slopes_of
from structbench.algorithms.structures.labelled.messages import BLOCKED


@kernel
def _ends(pairs):
    """The label that ends at each inner boundary, and the label that begins there: both (T - 1, K)."""
    ended, begun = np.zeros(pairs.shape[:2]), np.zeros(pairs.shape[:2])
    for t in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            for k in range(pairs.shape[2]):
                ended[t, j] += pairs[t, j, k]
                begun[t, k] += pairs[t, j, k]
    return ended, begun


@kernel
def entropy(segments, pairs):
    """H of the Markov chain."""
    ended, begun = _ends(pairs)
    return entropy_of(segments) + entropy_of(pairs) - entropy_of(ended) - entropy_of(begun)


@kernel
def entropy_slopes(segments, pairs, d_segments, d_pairs):
    """First and second derivative of ``entropy`` along d.

    ``slopes_of`` wants a d that sums to 0. The segments' d and the boundaries' d do not, since their numbers may
    change. What it omits cancels, since a path has one segment more than boundaries.
    """
    first, second = slopes_of(segments, d_segments)
    pairs_first, pairs_second = slopes_of(pairs, d_pairs)
    if first == np.inf or pairs_first == np.inf:
        return np.inf, -np.inf
    ended, begun = _ends(pairs)
    d_ended, d_begun = _ends(d_pairs)
    ended_first, ended_second = slopes_of(ended, d_ended)
    begun_first, begun_second = slopes_of(begun, d_begun)
    return first + pairs_first - ended_first - begun_first, second + pairs_second - ended_second - begun_second


@kernel
def blocked(segments, transitions, b_segments, b_pairs, floor):
    """Negated scores of segments and boundaries, minus infinity where the clique has no more than ``floor``."""
    out_segments, out_pairs = np.empty_like(b_segments), np.empty_like(b_pairs)
    K = transitions.shape[0]
    for r in range(b_segments.shape[0]):
        for k in range(K):
            out_segments[r, k] = -segments[r, k] if b_segments[r, k] > floor else BLOCKED
    for t in range(b_pairs.shape[0]):
        for j in range(K):
            for k in range(K):
                out_pairs[t, j, k] = -transitions[j, k] if b_pairs[t, j, k] > floor else BLOCKED
    return out_segments, out_pairs


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
def smallest(segments, pairs, y, other, shape):
    """The least marginal over the cliques of segmentation y (candidates, K) that segmentation ``other`` lacks."""
    K = segments.shape[1]
    least = np.inf
    for r in range(segments.shape[0]):
        for k in range(K):
            if y[r, k] > 0.5 and not other[r, k] > 0.5:
                least = min(least, segments[r, k])
    own, others = boundaries(y, shape), boundaries(other, shape)
    for t in range(own.shape[0]):
        if own[t] >= 0 and own[t] != others[t]:
            least = min(least, pairs[t, own[t] // K, own[t] % K])
    return least


@kernel
def log_conditionals(b_segments, b_pairs, segments, transitions, shape):
    """Scores of the chain whose boundaries depend on the label before them by tied factors only.

    A segment's score is the logarithm of its probability given the boundary before it. A transition's score is the
    logarithm of the boundaries' total over the total without dependence between the labels on both sides.
    """
    K, (length, max_length, outside) = transitions.shape[0], shape
    ended, begun = _ends(b_pairs)
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
