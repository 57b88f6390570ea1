"""Viterbi and forward-backward on the scores of one sequence's segments (Sarawagi and Cohen 2004, section 3).

Scores and results are blocks: segments (candidates, K), in the order of ``segment_rows``, and transitions (K, K),
tied over all inner boundaries. Boundary t lies before token t. Only segments of one token may have the label
``outside``: longer ones are ignored in the blocks, and become 0. Results are written in place. ``shape`` is
(length, max_length, outside), the length that of the sequence.

One recursion backwards sums over continuations. It gives the conditional probabilities p(label | label before) and
p(length | label), through which one recursion forwards computes the marginals. They add up to 1 whatever the
scores: nothing is the difference of two large numbers.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, exp, log_sum_exp, normalise
from structbench.algorithms.structures.segments.rows import rows_before

MAX_TRANSITION_RANGE = 150.0  # transitions that differ by more need the logarithmic recursion
OVERFLOW_SCORE = 1e290  # scores whose sums may overflow
LEAST = -354.0  # the least that ``exp`` takes; less is negligible among segments that begin at the same token


@kernel
def marginals(segments, transitions, shape, mu_segments, mu_transitions, mu_pairs):
    """Marginals of the parts and, if ``mu_pairs`` is (length - 1, K, K), of the boundaries; returns log Z."""
    blocks = segments, transitions, shape, mu_segments, mu_transitions, mu_pairs
    return _scaled_marginals(*blocks) if _tame(segments, transitions) else _log_marginals(*blocks)


@kernel
def _tame(segments, transitions):
    """Whether the sums of scores are finite, and transitions near enough to each other for exponentials."""
    low, high, wild = np.inf, -np.inf, 0
    K = transitions.shape[0]
    for j in range(K):
        for k in range(K):
            low, high = min(low, transitions[j, k]), max(high, transitions[j, k])
            wild += 0 if abs(transitions[j, k]) < OVERFLOW_SCORE else 1
    for r in range(segments.shape[0]):
        for k in range(K):
            wild += 0 if abs(segments[r, k]) < OVERFLOW_SCORE else 1
    return wild == 0 and high - low < MAX_TRANSITION_RANGE


@kernel
def _scaled_marginals(segments, transitions, shape, mu_segments, mu_transitions, mu_pairs):  # noqa: C901 - if it changes, so do the hashes of published runs
    """Messages are scaled at each boundary: the largest is 1, the least exp(-MAX_TRANSITION_RANGE)."""
    K, (length, max_length, outside) = transitions.shape[0], shape
    factors, transposed = np.empty((K, K)), np.empty((K, K))
    steepest = transitions[0, 0]
    for j in range(K):
        for k in range(K):
            steepest = max(steepest, transitions[j, k])
    for j in range(K):
        for k in range(K):
            factors[j, k] = exp(transitions[j, k] - steepest)
            transposed[k, j] = factors[j, k]

    after = np.ones((length + 1, K))  # what may follow boundary t, by the label before it, over exp(scale[t])
    scale = np.zeros(length + 1)
    norms = np.empty(length)
    begun = np.zeros((length, K))  # what may begin at token t, by its label, over exp(high)
    log_z = 0.0
    row = segments.shape[0]
    for t in range(length - 1, -1, -1):
        most = min(max_length, length - t)
        row -= most
        high = -np.inf
        for n in range(most):
            for k in range(K):
                if n == 0 or k != outside:
                    high = max(high, segments[row + n, k] + scale[t + n + 1])
        for n in range(most):
            mu, shift = mu_segments[row + n], scale[t + n + 1] - high
            for k in range(K):
                mu[k] = exp(min(max(segments[row + n, k] + shift, LEAST), 0.0)) * after[t + n + 1, k]
            if n > 0 and outside >= 0:
                mu[outside] = 0.0
            for k in range(K):
                begun[t, k] += mu[k]
        if t == 0:
            norms[0] = begun[0].sum()
            log_z = high + np.log(norms[0])
            break
        before = after[t]
        before[:] = 0.0
        for k in range(K):
            for j in range(K):
                before[j] += transposed[k, j] * begun[t, k]
        norms[t] = before.max()
        for j in range(K):
            before[j] /= norms[t]
        scale[t] = high + steepest + np.log(norms[t])

    ended = np.zeros((length + 1, K))  # the probability that a segment with label k ends before token t
    share = np.empty(K)  # the probability that one begins at token t, over begun
    mu_transitions[:] = 0.0
    for t in range(length):
        if t == 0:
            share[:] = 1.0 / norms[0]
        else:
            share[:] = 0.0
            for j in range(K):
                ratio = ended[t, j] / (after[t, j] * norms[t])
                for k in range(K):
                    share[k] += ratio * factors[j, k]
                    mu_transitions[j, k] += ratio * begun[t, k]
                if mu_pairs.shape[0] > 0:
                    for k in range(K):
                        mu_pairs[t - 1, j, k] = ratio * factors[j, k] * begun[t, k]
        for n in range(min(max_length, length - t)):
            for k in range(K):
                mu_segments[row, k] *= share[k]
                ended[t + n + 1, k] += mu_segments[row, k]
            row += 1
    for j in range(K):
        for k in range(K):
            mu_transitions[j, k] *= factors[j, k]
    return log_z


@kernel
def _log_marginals(segments, transitions, shape, mu_segments, mu_transitions, mu_pairs):
    """The same in logarithms, for scores of any spread, also minus infinity."""
    K, (length, max_length, outside) = transitions.shape[0], shape
    after, begun = np.zeros((length + 1, K)), np.empty((length, K))
    terms, by_length = np.empty(K), np.empty(max_length)
    row = segments.shape[0]
    for t in range(length - 1, -1, -1):
        most = min(max_length, length - t)
        row -= most
        for k in range(K):
            lengths = 1 if k == outside else most
            for n in range(lengths):
                by_length[n] = segments[row + n, k] + after[t + n + 1, k]
            begun[t, k] = log_sum_exp(by_length[:lengths])
        for j in range(K):
            for k in range(K):
                terms[k] = transitions[j, k] + begun[t, k]
            after[t, j] = log_sum_exp(terms)

    mu_segments[:] = 0.0
    mu_transitions[:] = 0.0
    ended, first = np.zeros((length + 1, K)), np.empty(K)
    for t in range(length):
        if t == 0:
            copy_to(begun[0], first)
            normalise(first)
        else:
            first[:] = 0.0
            for j in range(K):
                for k in range(K):
                    terms[k] = transitions[j, k] + begun[t, k]
                normalise(terms)
                for k in range(K):
                    pair = ended[t, j] * terms[k]
                    first[k] += pair
                    mu_transitions[j, k] += pair
                    if mu_pairs.shape[0] > 0:
                        mu_pairs[t - 1, j, k] = pair
        most = min(max_length, length - t)
        for k in range(K):
            lengths = 1 if k == outside else most
            for n in range(lengths):
                by_length[n] = segments[row + n, k] + after[t + n + 1, k]
            normalise(by_length[:lengths])
            for n in range(lengths):
                mu_segments[row + n, k] = first[k] * by_length[n]
                ended[t + n + 1, k] += mu_segments[row + n, k]
        row += most
    return log_sum_exp(begun[0])


@kernel
def viterbi(segments, transitions, edges, shape, y_segments, y_transitions):
    """The best segmentation as counts of parts; returns its score, minus infinity (counts of 0) without one.

    ``edges``: scores of the labels at each boundary, (length - 1, K, K), or (0, K, K). It works backwards first,
    so that ties go to the smallest tags from the first token on. Of two lengths that tie, the longer one has the
    tag 2 k + 1 where the shorter one has the tag of the label that follows it.
    """
    K, (length, max_length, outside) = transitions.shape[0], shape
    observed = edges.shape[0] > 0
    following = np.zeros((length, K), np.int32)  # the label that begins at token t, by the one before
    lengths = np.ones((length, K), np.int32)  # of a segment that begins at token t, by its label
    value = np.zeros((length + 1, K))  # of the best completion from boundary t on, by the label before
    gain = np.empty(K)  # of the best completion from token t on, by the label that begins there
    row = segments.shape[0]
    for t in range(length - 1, -1, -1):
        most = min(max_length, length - t)
        row -= most
        for k in range(K):
            total = segments[row, k] + value[t + 1, k]
            gain[k] = total if total > -np.inf else -np.inf  # NaN stays out of the way of longer segments
        for n in range(1, most):
            for k in range(K):
                total = segments[row + n, k] + value[t + n + 1, k]
                if k == outside or total < gain[k]:
                    continue
                if total > gain[k] or (total == gain[k] and following[t + lengths[t, k], k] > k):
                    gain[k] = total
                    lengths[t, k] = n + 1
        if t > 0:
            for j in range(K):
                top = -np.inf
                for k in range(K):
                    total = gain[k] + transitions[j, k] + (edges[t - 1, j, k] if observed else 0.0)
                    if total > top:
                        following[t, j] = k
                        top = total
                value[t, j] = top
    label = 0
    for k in range(1, K):
        if gain[k] > gain[label]:
            label = k
    top = gain[label]
    y_segments[:] = 0.0
    y_transitions[:] = 0.0
    t = 0
    while t < length and top > -np.inf:
        row = rows_before(t, length, max_length)
        y_segments[row + lengths[t, label] - 1, label] = 1.0
        t += lengths[t, label]
        if t < length:
            after = following[t, label]
            y_transitions[label, after] += 1.0
            label = after
    return top
