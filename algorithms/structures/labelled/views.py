"""Splits flat vectors of a linear chain into array views: part vectors, weights and clique marginals."""

from structbench.algorithms.runtime.kernel import kernel


@kernel
def split(c, i, v):
    """Views of a part vector: nodes (T, K), transitions (K, K), edges (T - 1 or 0, K, K)."""
    K = c.num_labels
    length = c.starts[i + 1] - c.starts[i]
    nodes = v[: length * K].reshape((length, K))
    transitions = v[length * K : length * K + K * K].reshape((K, K))
    observed = length - 1 if c.num_edge_features > 0 else 0
    edges = v[length * K + K * K : length * K + K * K + observed * K * K].reshape((observed, K, K))
    return nodes, transitions, edges


@kernel
def split_weights(c, w):
    """Views of the weights: nodes (columns, K), transitions (K, K), edges (edge columns, K * K)."""
    K = c.num_labels
    a = c.num_node_features * K
    b = a + K * K
    return w[:a].reshape((-1, K)), w[a:b].reshape((K, K)), w[b:].reshape((-1, K * K))


@kernel
def split_cliques(c, i, b):
    """Views of clique marginals: nodes (T, K), pairs (T - 1, K, K)."""
    K = c.num_labels
    length = c.starts[i + 1] - c.starts[i]
    return b[: length * K].reshape((length, K)), b[length * K :].reshape((length - 1, K, K))
