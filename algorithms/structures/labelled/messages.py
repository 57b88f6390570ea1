"""Helpers of message passing along edges: the spread of scores, and scores of cliques that are ruled out."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

MAX_SCORE_RANGE = 300.0  # scores that differ by more than this need the logarithmic recursions
BLOCKED = -np.inf


@kernel
def range_of(block):
    """Largest minus smallest entry; infinite if an entry is NaN or infinite."""
    low = high = block[0]
    wild = 0
    for k in range(block.shape[0]):
        low = min(low, block[k])
        high = max(high, block[k])
        wild += 0 if abs(block[k]) < np.inf else 1
    return high - low if wild == 0 else np.inf


@kernel
def blocked(nodes, transitions, edges, b_nodes, b_pairs, floor):
    """Negated scores of nodes and pairs, minus infinity where the clique has no probability above ``floor``."""
    out_nodes = np.empty_like(b_nodes)
    out_pairs = np.empty_like(b_pairs)
    T, K = b_nodes.shape
    for t in range(T):
        for k in range(K):
            out_nodes[t, k] = -nodes[t, k] if b_nodes[t, k] > floor else BLOCKED
    for t in range(T - 1):
        for j in range(K):
            for k in range(K):
                score = transitions[j, k] + (edges[t, j, k] if edges.shape[0] > 0 else 0.0)
                out_pairs[t, j, k] = -score if b_pairs[t, j, k] > floor else BLOCKED
    return out_nodes, out_pairs
