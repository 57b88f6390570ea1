"""Forward-backward and Viterbi on the scores of one sequence (eg2008, section 4.2).

Scores and results are blocks: nodes (T, K), transitions (K, K), tied over all positions, and edges
(T - 1, K, K), or (0, K, K) where none are observed. Results are written in place.
"""

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.runtime.vector_math import copy_to, exp, exp_or_zero, log_sum_exp, normalise
from algorithms.structures.labelled.messages import WIDE, range_of


@kernel
def forward_backward(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """Marginals of the parts; returns log Z. Without ``edges``, ``mu_edges`` may still be asked for: all pairs."""
    if _spread(nodes, transitions, edges) < WIDE:
        return _scaled_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)
    return _log_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)


@kernel
def _spread(nodes, transitions, edges):
    """A bound on how far apart the messages to the labels of one position can be, in logarithms.

    Every forward message has at least the share exp(-spread) / K of its position's largest one, at any
    length, so that below ``WIDE`` the recursions with exponentials cannot underflow. It is infinite where a score
    is NaN or infinite, of which ``exp`` knows nothing.
    """
    widest = 0.0
    for t in range(nodes.shape[0]):
        widest = max(widest, range_of(nodes[t]))
    K = transitions.shape[0]
    steepest = 0.0
    for t in range(edges.shape[0]):
        steepest = max(steepest, range_of(edges[t].reshape(K * K)))
    return widest + steepest + range_of(transitions.reshape(K * K))


@kernel
def _scaled_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """Forward-backward with normalised messages: two K x K products and one outer product a position."""
    T, K = nodes.shape
    observed, pairs = edges.shape[0] > 0, mu_edges.shape[0] > 0
    step = 1 if observed else 0
    factors = np.empty((max(edges.shape[0], 1), K, K))  # exp(transition + edge - its largest)
    transposed = np.empty((max(edges.shape[0], 1), K, K))
    log_z = 0.0
    for t in range(factors.shape[0]):
        top = -np.inf
        for j in range(K):
            for k in range(K):
                factors[t, j, k] = transitions[j, k] + (edges[t, j, k] if observed else 0.0)
                top = max(top, factors[t, j, k])
        for j in range(K):
            for k in range(K):
                factors[t, j, k] = exp(factors[t, j, k] - top)
                transposed[t, k, j] = factors[t, j, k]
        log_z += top if observed else top * (T - 1)

    potentials = np.empty((T, K))  # exp(node - its position's largest)
    alpha = np.empty((T, K))
    norms = np.empty(T)
    for t in range(T):
        top = nodes[t, 0]
        for k in range(1, K):
            top = max(top, nodes[t, k])
        for k in range(K):
            potentials[t, k] = exp(nodes[t, k] - top)
        row = alpha[t]
        if t == 0:
            for k in range(K):
                row[k] = potentials[t, k]
        else:
            row[:] = 0.0
            A = factors[(t - 1) * step]
            for j in range(K):
                before = alpha[t - 1, j]
                for k in range(K):
                    row[k] += before * A[j, k]
            for k in range(K):
                row[k] *= potentials[t, k]
        total = 0.0
        for k in range(K):
            total += row[k]
        for k in range(K):
            row[k] /= total
        norms[t] = total
        log_z += top + np.log(total)

    mu_transitions[:] = 0.0
    beta = np.ones(K)
    after = np.empty(K)  # potential * beta / norm of the position that follows
    for t in range(T - 1, -1, -1):
        for k in range(K):
            mu_nodes[t, k] = alpha[t, k] * beta[k]
        if t == 0:
            break
        for k in range(K):
            after[k] = potentials[t, k] * beta[k] / norms[t]
        A = factors[(t - 1) * step]
        for j in range(K):
            before = alpha[t - 1, j]
            if pairs:
                for k in range(K):
                    mu_edges[t - 1, j, k] = before * A[j, k] * after[k]
                    mu_transitions[j, k] += mu_edges[t - 1, j, k]
            else:
                for k in range(K):
                    mu_transitions[j, k] += before * after[k]
        A = transposed[(t - 1) * step]
        beta[:] = 0.0
        for k in range(K):
            for j in range(K):
                beta[j] += A[k, j] * after[k]
    if not pairs:
        for j in range(K):
            for k in range(K):
                mu_transitions[j, k] *= factors[0, j, k]
    return log_z


@kernel
def _log_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """The same for scores of any spread: logarithms on the way forward, probabilities on the way back.

    The way forward leaves ``given``, the probability of each label before, given the label at a position: with
    these, no further exponential is needed, and all marginals add up however large the scores are.
    """
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    given = np.empty((max(T - 1, 0), K, K))  # given[t, j, k] of label j at t, given label k at t + 1
    alpha = nodes[0].copy()
    top, total = np.empty(K), np.empty(K)
    for t in range(T - 1):
        terms = given[t]
        top[:] = -np.inf
        for j in range(K):
            for k in range(K):
                terms[j, k] = alpha[j] + transitions[j, k] + (edges[t, j, k] if observed else 0.0)
                top[k] = max(top[k], terms[j, k])
        total[:] = 0.0
        for j in range(K):
            for k in range(K):
                terms[j, k] = exp_or_zero(terms[j, k] - top[k])
                total[k] += terms[j, k]
        for k in range(K):
            alpha[k] = nodes[t + 1, k] + (top[k] + np.log(total[k]))
            total[k] = 1.0 / total[k]
        for j in range(K):
            for k in range(K):
                terms[j, k] *= total[k]
    mu_transitions[:] = 0.0
    log_z = log_sum_exp(alpha)
    copy_to(alpha, mu_nodes[T - 1])
    normalise(mu_nodes[T - 1])
    for t in range(T - 2, -1, -1):
        after = mu_nodes[t + 1]
        for j in range(K):
            before = 0.0
            for k in range(K):
                pair = given[t, j, k] * after[k]
                given[t, j, k] = pair
                mu_transitions[j, k] += pair
                before += pair
            mu_nodes[t, j] = before
        if mu_edges.shape[0] > 0:
            copy_to(given[t], mu_edges[t])
    return log_z


@kernel
def viterbi(nodes, transitions, edges, y_nodes, y_transitions, y_edges):
    """The best labelling as counts of parts; returns its score.

    Backwards first, so that ties go to the smallest labels from the first token on.
    """
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    following = np.zeros((T, K), np.int64)
    value = np.zeros(K)  # of the best completion after position t, by the label at t
    gain = np.empty(K)
    leaving = transitions.T.copy()
    for t in range(T - 2, -1, -1):
        for k in range(K):
            gain[k] = value[k] + nodes[t + 1, k]
        value[:] = -np.inf
        best = following[t]
        if observed:
            for j in range(K):
                for k in range(K):
                    total = gain[k] + transitions[j, k] + edges[t, j, k]
                    if total > value[j]:
                        best[j] = k
                        value[j] = total
        else:  # all labels at t beside each other, without a branch: vectors
            for k in range(K):
                for j in range(K):
                    total = gain[k] + leaving[k, j]
                    better = total > value[j]
                    best[j] = k if better else best[j]
                    value[j] = total if better else value[j]
    label = 0
    top = -np.inf
    for k in range(K):
        if value[k] + nodes[0, k] > top:
            label = k
            top = value[k] + nodes[0, k]
    y_nodes[:] = 0.0
    y_transitions[:] = 0.0
    y_edges[:] = 0.0
    for t in range(T):
        y_nodes[t, label] = 1.0
        if t < T - 1:
            after = following[t, label]
            y_transitions[label, after] += 1.0
            if observed:
                y_edges[t, label, after] = 1.0
            label = after
    return top
