"""Inference on Markov fields, over parts and over cliques: that of the hypergraph of elimination."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.cliques import log_share
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.field import graph
from structbench.algorithms.structures.field.model import Field, split


@kernel
def _scored(c, i, s):
    """``hypergraph_of`` the example, and theta."""
    first, tails, own = graph.hypergraph_of(c, i)
    theta = np.empty(tails.shape[0])
    graph.scores(c, i, own, s, theta)
    return first, tails, own, theta


@implements(Field)
def marginals(c, i, s, mu):
    first, tails, own, theta = _scored(c, i, s)
    b = np.empty(theta.shape[0])
    log_z = hypergraph.marginals(first, tails, theta, b)
    graph.sum_over_parts(c, i, own, b, mu)
    return log_z


@implements(Field)
def argmax(c, i, s, y):
    first, tails, own, theta = _scored(c, i, s)
    b = np.empty(theta.shape[0])
    top = hypergraph.best(first, tails, theta, b)
    graph.sum_over_parts(c, i, own, b, y)
    return top


@implements(Field)
def k_best(c, i, s, Y, values):
    first, tails, own, theta = _scored(c, i, s)
    B = np.empty((Y.shape[0], theta.shape[0]))
    count = hypergraph.k_best(first, tails, theta, Y.shape[0], B, values)
    for r in range(Y.shape[0]):
        graph.sum_over_parts(c, i, own, B[r], Y[r])
    return count


# ---- cliques: the edges of the hypergraph ------------------------------------------------------------


@implements(Field)
def num_cliques(c, i):
    return graph.num_edges(c, i)


@implements(Field)
def clique_marginals(c, i, s, b):
    first, tails, _, theta = _scored(c, i, s)
    return hypergraph.marginals(first, tails, theta, b)


@kernel
def _labels_of(c, i, y):
    T, K = c.starts[i + 1] - c.starts[i], c.num_labels
    chosen = np.zeros(T, np.int64)
    for t in range(T):
        for k in range(K):
            if y[t * K + k] > 0.5:
                chosen[t] = k
    return chosen


@implements(Field)
def cliques_of_output(c, i, y, b):
    graph.of_labelling(c, i, _labels_of(c, i, y), b)


@implements(Field)
def parts_of_cliques(c, i, b, mu):
    graph.sum_over_parts(c, i, graph.hypergraph_of(c, i)[2], b, mu)


@implements(Field)
def entropy(c, i, b):
    first, tails, _ = graph.hypergraph_of(c, i)
    return hypergraph.entropy(first, tails, b)


@implements(Field)
def entropy_slopes(c, i, b, d):
    first, tails, _ = graph.hypergraph_of(c, i)
    return hypergraph.entropy_slopes(first, tails, b, d)


@implements(Field)
def argmin_in_support(c, i, s, b, floor, y):
    first, tails, own, theta = _scored(c, i, s)
    found = np.empty(theta.shape[0])
    value = hypergraph.argmin_in_support(first, tails, theta, b, floor, found)
    graph.sum_over_parts(c, i, own, found, y)
    return value


@implements(Field)
def min_clique_mass(c, i, b, y, other):
    mine, others = np.empty(b.shape[0]), np.empty(b.shape[0])
    graph.of_labelling(c, i, _labels_of(c, i, y), mine)
    graph.of_labelling(c, i, _labels_of(c, i, other), others)
    return hypergraph.smallest(b, mine, others)


@implements(Field)
def log_conditionals(c, i, b, s):
    """The scores of Bethe's approximation, exact on trees whose edges are observed.

    log b_uv of an observed edge and (1 - degree) log b_v of a node; tied transitions as those of a chain.
    """
    K = c.num_labels
    pairs = np.zeros((c.edge_starts[i + 1] - c.edge_starts[i], K, K))
    graph.sum_over_pairs(c, i, graph.hypergraph_of(c, i)[2], b, pairs)
    parts.parts_of_cliques(c, i, b, s)
    nodes, transitions, blocks = split(c, i, s)
    degrees = np.zeros(nodes.shape[0])
    apart = np.zeros(transitions.shape)
    for e in range(pairs.shape[0]):
        at = c.edge_starts[i] + e
        u, v = c.ends[at, 0], c.ends[at, 1]
        degrees[u] += 1.0
        degrees[v] += 1.0
        for j in range(K):
            for k in range(K):
                apart[c.kinds[at], j, k] += nodes[u, j] * nodes[v, k]
                if blocks.shape[0] > 0:
                    blocks[e, j, k] = log_share(pairs[e, j, k], 1.0)
    for t in range(nodes.shape[0]):
        for k in range(K):
            power = 1.0 - degrees[t] if blocks.shape[0] > 0 else 1.0
            nodes[t, k] = power * np.log(nodes[t, k]) if nodes[t, k] > 0.0 else -np.inf
    for r in range(transitions.shape[0]):
        for j in range(K):
            for k in range(K):
                tied = log_share(transitions[r, j, k], apart[r, j, k])
                transitions[r, j, k] = tied if blocks.shape[0] == 0 else 0.0
