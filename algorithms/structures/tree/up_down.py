"""Messages up and down a rooted tree (Pearl 1988), on the scores of one example.

Scores and results are blocks: nodes (T, K), transitions (K, K), tied over all edges, and edges (T - 1, K, K), that
of the edge into node 1 first, or (0, K, K) where none are observed. ``parents``, (T,), are before their children.
Results are written in place.

The message of a node to its parent is m_t(j) = sum_k A_t(j, k) b_t(k), where b_t has the node's own score and the
messages to it, and A_t is exp of transition and edge. Messages are added up in logarithms, as a node may have any
number of children, and multiplied by A_t as plain numbers; what a node hears from above is its parent's belief
without the node's own message.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import exp_or_zero, finite_top, log_sum_exp, normalise
from structbench.algorithms.structures.labelled.messages import MAX_SCORE_RANGE, range_of


@kernel
def marginals(parents, nodes, transitions, edges, mu_nodes, mu_transitions, mu_pairs):
    """Probabilities of labels (T, K), of pairs summed over edges (K, K), and, maybe, of pairs; returns log Z."""
    K = transitions.shape[0]
    steepest = 0.0
    for t in range(edges.shape[0]):
        steepest = max(steepest, range_of(edges[t].reshape(K * K)))
    plain = steepest + range_of(transitions.reshape(K * K)) < MAX_SCORE_RANGE
    T = nodes.shape[0]
    beliefs, messages = np.empty((T, K)), np.empty((T, K))  # in logarithms
    for t in range(T):
        for k in range(K):
            beliefs[t, k] = nodes[t, k]
    scores, factors, tops = _factors(transitions, edges, plain)
    log_z = _upwards(parents, scores, factors, tops, plain, beliefs, messages)
    if log_z == -np.inf:  # there is no labelling
        mu_nodes[:] = 0.0
        mu_transitions[:] = 0.0
        mu_pairs[:] = 0.0
        return log_z
    _downwards(parents, scores, factors, plain, beliefs, messages, mu_nodes, mu_transitions, mu_pairs)
    return log_z


@kernel
def _factors(transitions, edges, plain):
    """Scores of pairs, one block for each edge or one for all, less their largest; exp of them, if ``plain``."""
    K, blocks = transitions.shape[0], max(edges.shape[0], 1)
    scores, tops = np.empty((blocks, K, K)), np.zeros(blocks)
    factors = np.empty((blocks if plain else 0, K, K))
    for e in range(blocks):
        top = -np.inf
        for j in range(K):
            for k in range(K):
                scores[e, j, k] = transitions[j, k] + (edges[e, j, k] if edges.shape[0] > 0 else 0.0)
                top = max(top, scores[e, j, k])
        if plain:
            tops[e] = top
            for j in range(K):
                for k in range(K):
                    factors[e, j, k] = exp_or_zero(scores[e, j, k] - top)
    return scores, factors, tops


@kernel
def _upwards(parents, scores, factors, tops, plain, beliefs, messages):
    """Adds each node's message to its parent's belief; returns log Z."""
    T, K = beliefs.shape
    own, terms = np.empty(K), np.empty(K)
    for t in range(T - 1, 0, -1):
        e = t - 1 if scores.shape[0] > 1 else 0
        top = finite_top(beliefs[t])
        if plain:
            for k in range(K):
                own[k] = exp_or_zero(beliefs[t, k] - top)
        for j in range(K):
            if plain:
                total = 0.0
                for k in range(K):
                    total += factors[e, j, k] * own[k]
                messages[t, j] = top + tops[e] + np.log(total)
            else:
                for k in range(K):
                    terms[k] = scores[e, j, k] + beliefs[t, k]
                messages[t, j] = log_sum_exp(terms)
            beliefs[parents[t], j] += messages[t, j]
    return log_sum_exp(beliefs[0])


@kernel
def _downwards(parents, scores, factors, plain, beliefs, messages, mu_nodes, mu_transitions, mu_pairs):
    """Turns beliefs from below into those from all sides, and these into probabilities."""
    T, K = beliefs.shape
    above, own, terms, pairs = np.empty(K), np.empty(K), np.empty(K), np.empty((K, K))
    mu_transitions[:] = 0.0
    _probabilities(beliefs[0], mu_nodes[0])
    for t in range(1, T):
        e, p = t - 1 if scores.shape[0] > 1 else 0, parents[t]
        for j in range(K):  # a label that the message rules out has no pairs here, whatever comes from above
            above[j] = beliefs[p, j] - messages[t, j] if beliefs[p, j] > -np.inf else beliefs[p, j]
        if plain:
            top, top_own = finite_top(above), finite_top(beliefs[t])
            for k in range(K):
                above[k], own[k] = exp_or_zero(above[k] - top), exp_or_zero(beliefs[t, k] - top_own)
            total = 0.0
            for j in range(K):
                for k in range(K):
                    pairs[j, k] = above[j] * factors[e, j, k]
                    total += pairs[j, k] * own[k]
            for k in range(K):
                reached = 0.0
                for j in range(K):
                    reached += pairs[j, k]
                    pairs[j, k] *= own[k] / total
                beliefs[t, k] += np.log(reached)
        else:
            for k in range(K):
                for j in range(K):
                    terms[j] = above[j] + scores[e, j, k]
                    pairs[j, k] = terms[j] + beliefs[t, k]
                beliefs[t, k] += log_sum_exp(terms)
            normalise(pairs.reshape(K * K))
        for k in range(K):
            mu_nodes[t, k] = 0.0
        for j in range(K):
            for k in range(K):
                mu_nodes[t, k] += pairs[j, k]
                mu_transitions[j, k] += pairs[j, k]
                if mu_pairs.shape[0] > 0:
                    mu_pairs[t - 1, j, k] = pairs[j, k]


@kernel
def _probabilities(v, out):
    """out = exp(v) / sum exp(v)."""
    for k in range(v.shape[0]):
        out[k] = v[k]
    normalise(out)


@kernel
def best(parents, nodes, transitions, edges, y_nodes, y_transitions, y_edges):
    """The best labelling as counts of parts; returns its score, minus infinity (counts of 0) without one.

    Ties: the smallest labels, from the root on.
    """
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    value = np.empty((T, K))  # of the best labelling of what is below a node, by its own label
    following = np.zeros((T, K), np.int32)  # a node's best label by that of its parent
    for t in range(T):
        for k in range(K):
            value[t, k] = nodes[t, k]
    for t in range(T - 1, 0, -1):
        for j in range(K):
            top, label = -np.inf, 0
            for k in range(K):
                total = value[t, k] + (transitions[j, k] + (edges[t - 1, j, k] if observed else 0.0))
                if total > top:
                    top, label = total, k
            following[t, j] = label
            value[parents[t], j] += top
    y_nodes[:] = 0.0
    y_transitions[:] = 0.0
    y_edges[:] = 0.0
    top, label = -np.inf, 0
    for k in range(K):
        if value[0, k] > top:
            top, label = value[0, k], k
    if top == -np.inf:
        return top
    chosen = following[:, 0].copy()
    chosen[0] = label
    y_nodes[0, label] = 1.0
    for t in range(1, T):
        above = chosen[parents[t]]
        chosen[t] = following[t, above]
        y_nodes[t, chosen[t]] = 1.0
        y_transitions[above, chosen[t]] += 1.0
        if observed:
            y_edges[t - 1, above, chosen[t]] = 1.0
    return top
