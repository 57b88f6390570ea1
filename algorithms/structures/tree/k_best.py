"""The k best labellings of a tree, through its hypergraph (docs/hypergraphs.md).

Node (t, j) stands for "the parent of t has label j, and t and all below it are labelled"; the root has one such
node, the goal. The edges into it are t's labels k, whose tails are the nodes (c, k) of t's children c; those of
more than two children are put together two by two on the way.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled.views import split
from structbench.algorithms.structures.tree.model import Tree

NONE = -1


@kernel
def hypergraph_of(parents, K):
    """``first`` and ``tails`` of ``hypergraph``, and of each node of the tree the first edge of its own, (T,)."""
    T = parents.shape[0]
    children = np.zeros(T, np.int64)
    for t in range(1, T):
        children[parents[t]] += 1
    joins = 0
    for t in range(T):
        joins += max(children[t] - 2, 0) * K
    cells = (T - 1) * K + 1
    first, tails = np.empty(cells + joins + 1, np.int64), np.empty((cells * K + joins, 2), np.int32)
    own, below = np.empty(T, np.int64), np.full((T, K, 2), NONE, np.int32)  # the tails of a label's edges, so far
    children[:] = 0
    node = edge = 0
    for t in range(T - 1, -1, -1):
        own[t], cell = edge, node
        for _ in range(K if t > 0 else 1):
            first[node] = edge
            copy_to(below[t], tails[edge : edge + K])
            node += 1
            edge += K
        if t == 0:
            break
        above = parents[t]
        for k in range(K):
            if children[above] > 1:
                first[node] = edge
                tails[edge] = below[above, k]
                below[above, k, 0] = node
                node += 1
                edge += 1
            below[above, k, min(children[above], 1)] = cell + k
        children[above] += 1
    first[node] = edge
    return first, tails, own


@kernel
def _scored(parents, nodes, transitions, edges, own, theta):
    """theta = the scores of all edges."""
    T, K = nodes.shape
    theta[:] = 0.0
    for t in range(T):
        for j in range(K if t > 0 else 1):
            for k in range(K):
                score = nodes[t, k]
                if t > 0:
                    score += transitions[j, k] + (edges[t - 1, j, k] if edges.shape[0] > 0 else 0.0)
                theta[own[t] + j * K + k] = score


@implements(Tree)
def k_best(c, i, s, Y, values):
    nodes, transitions, edges = split(c, i, s)
    T, K = nodes.shape
    parents = c.parents[c.starts[i] : c.starts[i + 1]]
    first, tails, own = hypergraph_of(parents, K)
    theta, derivation = np.empty(tails.shape[0]), np.empty(tails.shape[0])
    _scored(parents, nodes, transitions, edges, own, theta)
    found, origin = hypergraph.k_best_origins(first, tails, theta, Y.shape[0], values)
    chosen = np.zeros(T, np.int64)
    Y[:] = 0.0
    for r in range(found):
        derivation[:] = 0.0
        hypergraph.add_derivation(tails, origin, r, derivation)
        y_nodes, y_transitions, y_edges = split(c, i, Y[r])
        for t in range(T):
            above = chosen[parents[t]] if t > 0 else 0
            for k in range(K):
                if derivation[own[t] + above * K + k] > 0.5:
                    chosen[t] = k
            y_nodes[t, chosen[t]] = 1.0
            if t > 0:
                y_transitions[above, chosen[t]] += 1.0
                if edges.shape[0] > 0:
                    y_edges[t - 1, above, chosen[t]] = 1.0
    return found
