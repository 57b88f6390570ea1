"""Distributions over the labellings of a chain as marginals of its nodes (T, K) and pairs (T - 1, K, K).

Of all distributions with these marginals, the Markov chain has the most entropy (the junction tree of Taskar,
Guestrin and Koller 2003, section 4): H = sum of the pairs' entropies - the inner nodes' entropies.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.cliques import log_share


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
