"""Inference on chains, over parts and over cliques.

Cliques are nodes (T, K) and pairs (T - 1, K, K). Of all distributions with these marginals, the Markov chain has
the most entropy (the junction tree of Taskar, Guestrin and Koller 2003, section 4): H = sum of the pairs'
entropies - the inner nodes' entropies.
"""

import numpy as np

from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures.chain.forward_backward import forward_backward, viterbi
from structbench.algorithms.structures.chain.k_best import best_labellings
from structbench.algorithms.structures.chain.model import Chain
from structbench.algorithms.structures.cliques import add_pairs, blocked, log_share
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled.views import split, split_cliques


@implements(Chain)
def marginals(c, i, s, mu):
    nodes, transitions, edges = split(c, i, s)
    mu_nodes, mu_transitions, mu_edges = split(c, i, mu)
    return forward_backward(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)


@implements(Chain)
def argmax(c, i, s, y):
    nodes, transitions, edges = split(c, i, s)
    y_nodes, y_transitions, y_edges = split(c, i, y)
    return viterbi(nodes, transitions, edges, y_nodes, y_transitions, y_edges)


@implements(Chain)
def k_best(c, i, s, Y, values):
    nodes, transitions, edges = split(c, i, s)
    found, labellings = best_labellings(nodes, transitions, edges, Y.shape[0], values)
    Y[:] = 0.0
    for r in range(found):
        y_nodes, y_transitions, y_edges = split(c, i, Y[r])
        for t in range(nodes.shape[0]):
            label = labellings[r, t]
            y_nodes[t, label] = 1.0
            if t > 0:
                before = labellings[r, t - 1]
                y_transitions[before, label] += 1.0
                if edges.shape[0] > 0:
                    y_edges[t - 1, before, label] = 1.0
    return found


# ---- cliques: the nodes, then the pairs of neighbours, position by position -------------------------


@implements(Chain)
def num_cliques(c, i):
    length = c.starts[i + 1] - c.starts[i]
    return length * c.num_labels + (length - 1) * c.num_labels * c.num_labels


@implements(Chain)
def parts_of_cliques(c, i, b, mu):
    b_nodes, b_pairs = split_cliques(c, i, b)
    nodes, transitions, edges = split(c, i, mu)
    copy_to(b_nodes, nodes)
    add_pairs(b_pairs, transitions)
    if edges.shape[0] > 0:
        copy_to(b_pairs, edges)


@implements(Chain)
def clique_marginals(c, i, s, b):
    nodes, transitions, edges = split(c, i, s)
    b_nodes, b_pairs = split_cliques(c, i, b)
    return forward_backward(nodes, transitions, edges, b_nodes, np.empty_like(transitions), b_pairs)


@implements(Chain)
def cliques_of_output(c, i, y, b):
    K = c.num_labels
    b[:] = 0.0
    nodes, pairs = split_cliques(c, i, b)
    before = -1
    for t in range(nodes.shape[0]):
        label = 0
        for k in range(K):
            if y[t * K + k] > 0.5:
                label = k
        nodes[t, label] = 1.0
        if t > 0:
            pairs[t - 1, before, label] = 1.0
        before = label


@implements(Chain)
def separators(c, i, b, out):
    """The inner nodes. Pairs say all that nodes say, except of a single node."""
    nodes, _ = split_cliques(c, i, b)
    T = nodes.shape[0]
    if T == 1:
        return 0, 0
    inner = b[c.num_labels : (T - 1) * c.num_labels]
    copy_to(inner, out[: inner.shape[0]])
    return nodes.size, inner.shape[0]


@implements(Chain)
def argmin_in_support(c, i, s, b, floor, y):
    s_nodes, s_transitions, s_edges = split(c, i, s)
    b_nodes, b_pairs = split_cliques(c, i, b)
    y_nodes, y_transitions, y_edges = split(c, i, y)
    blocked_nodes, blocked_pairs = blocked(s_nodes, s_transitions, s_edges, b_nodes, b_pairs, floor)
    none = np.zeros_like(s_transitions)
    spare = np.empty_like(blocked_pairs)
    value = -viterbi(blocked_nodes, none, blocked_pairs, y_nodes, y_transitions, spare)
    if value == np.inf:
        y[:] = 0.0
    elif y_edges.shape[0] > 0:
        copy_to(spare, y_edges)
    return value


@implements(Chain)
def log_conditionals(c, i, b, s):
    """Scores of the Markov chain: log p(first), then log p(label | label before) (eg2004, section 5).

    Tied transitions get the logarithm of the pairs' total over the product of the nodes' totals.
    """
    b_nodes, b_pairs = split_cliques(c, i, b)
    nodes, transitions, edges = split(c, i, s)
    T, K = b_nodes.shape
    observed = edges.shape[0] > 0
    for t in range(T):
        for k in range(K):
            nodes[t, k] = np.log(b_nodes[t, k]) if t == 0 or not observed else 0.0
    transitions[:] = 0.0
    for t in range(edges.shape[0]):
        for j in range(K):
            for k in range(K):
                edges[t, j, k] = log_share(b_pairs[t, j, k], b_nodes[t, j])
    if observed or T == 1:
        return
    for j in range(K):
        for k in range(K):
            together = apart = 0.0
            for t in range(T - 1):
                together += b_pairs[t, j, k]
                apart += b_nodes[t, j] * b_nodes[t + 1, k]
            transitions[j, k] = log_share(together, apart)
