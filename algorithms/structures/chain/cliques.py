"""Distributions over the labellings of a chain as marginals of its nodes (T, K) and pairs (T - 1, K, K).

Of all distributions with these marginals, the Markov chain has the most entropy (the junction tree of Taskar,
Guestrin and Koller 2003, section 4): H = sum of the pairs' entropies - the inner nodes' entropies.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.cliques import entropy_of, log_share, slopes_of


@kernel
def entropy(nodes, pairs):
    """H of the Markov chain."""
    T = nodes.shape[0]
    if T == 1:
        return entropy_of(nodes)
    return entropy_of(pairs) - entropy_of(nodes[1 : T - 1])


@kernel
def entropy_slopes(nodes, pairs, d_nodes, d_pairs):
    """First and second derivative of ``entropy`` along d."""
    T = nodes.shape[0]
    if T == 1:
        return slopes_of(nodes, d_nodes)
    first, second = slopes_of(pairs, d_pairs)
    if first == np.inf:
        return first, second
    inner_first, inner_second = slopes_of(nodes[1 : T - 1], d_nodes[1 : T - 1])
    return first - inner_first, second - inner_second


@kernel
def smallest(nodes, pairs, y, other):
    """The least marginal over the cliques of labelling y (T, K) that labelling ``other`` does not share."""
    T, K = nodes.shape
    if T == 1:
        return _smallest_node(nodes, y, other)
    least = np.inf
    before = other_before = -1
    for t in range(T):
        label = other_label = 0
        for k in range(K):
            if y[t, k] > 0.5:
                label = k
            if other[t, k] > 0.5:
                other_label = k
        if t > 0 and (label != other_label or before != other_before):
            least = min(least, pairs[t - 1, before, label])
        before, other_before = label, other_label
    return least


@kernel
def _smallest_node(nodes, y, other):
    for k in range(nodes.shape[1]):
        if y[0, k] > 0.5 and not other[0, k] > 0.5:
            return nodes[0, k]
    return np.inf


@kernel
def log_conditionals(b_nodes, b_pairs, nodes, transitions, edges):
    """Scores of the Markov chain: log p(first), then log p(label | label before) (eg2004, section 5).

    Tied transitions get the logarithm of the pairs' total over the product of the nodes' totals.
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
