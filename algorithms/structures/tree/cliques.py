"""Distributions over the labellings of a tree as marginals of its nodes (T, K) and edges (T - 1, K, K).

Of all distributions with these marginals the one of most entropy is the Markov tree (the junction tree of Taskar,
Guestrin and Koller 2003, section 4): H = sum of the edges' entropies - sum over nodes of (degree - 1) the node's.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.cliques import entropy_of, log_share, slopes_of


@kernel
def _inner(parents):
    """Of each node its degree less 1."""
    found = np.full(parents.shape[0], -1)
    for t in range(1, parents.shape[0]):
        found[t] += 1
        found[parents[t]] += 1
    return found


@kernel
def entropy(parents, nodes, pairs):
    """H of the Markov tree."""
    count = _inner(parents)
    total = entropy_of(pairs)
    for t in range(nodes.shape[0]):
        if count[t] != 0:
            total -= count[t] * entropy_of(nodes[t])
    return total


@kernel
def entropy_slopes(parents, nodes, pairs, d_nodes, d_pairs):
    """First and second derivative of ``entropy`` along d."""
    if nodes.shape[0] == 1:
        return slopes_of(nodes, d_nodes)
    count = _inner(parents)
    first, second = slopes_of(pairs, d_pairs)
    if first == np.inf:
        return first, second
    for t in range(nodes.shape[0]):
        if count[t] != 0:
            of_node, bend = slopes_of(nodes[t], d_nodes[t])
            first -= count[t] * of_node
            second -= count[t] * bend
    return first, second


@kernel
def labels_of(nodes):
    """The labels of a labelling, (T, K)."""
    found = np.zeros(nodes.shape[0], np.int64)
    for t in range(nodes.shape[0]):
        for k in range(nodes.shape[1]):
            if nodes[t, k] > 0.5:
                found[t] = k
    return found


@kernel
def smallest(parents, nodes, pairs, y, other):
    """The least marginal over the cliques of a labelling, labels (T,), that the ``other`` one does not share."""
    least = np.inf
    if nodes.shape[0] == 1 and y[0] != other[0]:
        least = nodes[0, y[0]]
    for t in range(1, nodes.shape[0]):
        p = parents[t]
        if y[t] != other[t] or y[p] != other[p]:
            least = min(least, pairs[t - 1, y[p], y[t]])
    return least


@kernel
def log_conditionals(parents, b_nodes, b_pairs, nodes, transitions, edges):
    """Scores of the Markov tree: log p(root), then log p(label | the parent's label) (eg2004, section 5).

    Tied transitions get the logarithm of the pairs' total over the total of the products of their nodes'.
    """
    T, K = b_nodes.shape
    observed = edges.shape[0] > 0
    for t in range(T):
        for k in range(K):
            nodes[t, k] = np.log(b_nodes[t, k]) if t == 0 or not observed else 0.0
    transitions[:] = 0.0
    for t in range(edges.shape[0]):
        for j in range(K):
            for k in range(K):
                edges[t, j, k] = log_share(b_pairs[t, j, k], b_nodes[parents[t + 1], j])
    if observed or T == 1:
        return
    for j in range(K):
        for k in range(K):
            together = apart = 0.0
            for t in range(T - 1):
                together += b_pairs[t, j, k]
                apart += b_nodes[parents[t + 1], j] * b_nodes[t + 1, k]
            transitions[j, k] = log_share(together, apart)
