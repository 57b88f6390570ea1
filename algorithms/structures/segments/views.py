"""Splits flat vectors of a semi-Markov chain into array views: part vectors, weights and clique marginals."""

from structbench.algorithms.runtime.kernel import kernel


@kernel
def split(c, i, v):
    """Views of a part vector: segments (N, K), transitions (K, K)."""
    K = c.num_labels
    size = (c.row_starts[i + 1] - c.row_starts[i]) * K
    return v[:size].reshape((-1, K)), v[size : size + K * K].reshape((K, K))


@kernel
def split_weights(c, w):
    """Views of the weights: segments (columns, K), transitions (K, K)."""
    K = c.num_labels
    size = c.num_features * K
    return w[:size].reshape((-1, K)), w[size:].reshape((K, K))


@kernel
def split_cliques(c, i, b):
    """Views of clique marginals: segments (N, K), boundaries (T - 1, K, K)."""
    K = c.num_labels
    size = (c.row_starts[i + 1] - c.row_starts[i]) * K
    return b[:size].reshape((-1, K)), b[size:].reshape((-1, K, K))


@kernel
def shape_of(c, i):
    """Length, longest segment and outside label, as ``semi_markov`` takes them."""
    return c.starts[i + 1] - c.starts[i], c.max_length, c.outside
