"""Inference on structures that label the nodes of graphs of small width, over parts and over cliques.

Parts are those of ``labelled.operations``. The cliques are the cells of all tables of the structure's field
``cliques``.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.arrays import ranges
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.clique_tree import best, edges, layout, sums
from structbench.algorithms.structures.cliques import log_share
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled.operations import Labelled
from structbench.algorithms.structures.layouts import extended

Graph = extended("Graph", Labelled, cliques=layout.CliqueTree)


def cliques_taken(c: Any, examples: np.ndarray) -> dict[str, layout.CliqueTree]:
    """For ``take``."""
    return {"cliques": layout.taken(c.cliques, ranges(c.starts, examples))}


@kernel
def clique_tree(c, i):
    """The clique tree of example i."""
    return layout.part(c.cliques, c.starts[i], c.starts[i + 1])


@kernel
def split(c, i, v):
    """Views of a part vector: nodes (T, K), transitions (R, K, K), edges (E or 0, K, K)."""
    K, a, b = c.num_labels, c.starts[i], c.starts[i + 1]
    first, observed = (b - a) * K, 0
    if c.num_edge_features > 0:
        observed = c.cliques.nodes[b, layout.EDGE] - c.cliques.nodes[a, layout.EDGE]
    last = v.shape[0] - observed * K * K
    kinds = (last - first) // (K * K)
    return v[:first].reshape((b - a, K)), v[first:last].reshape((kinds, K, K)), v[last:].reshape((observed, K, K))


@implements(Graph)
def marginals(c, i, s, mu):
    t = clique_tree(c, i)
    nodes, transitions, blocks = split(c, i, s)
    cells, shares = np.empty(layout.num_cells(t)), np.empty(nodes.shape)
    log_z = sums.marginals(t, nodes, transitions, blocks, cells, shares)
    nodes, transitions, blocks = split(c, i, mu)
    edges.sum_over_parts(t, cells, nodes, transitions, blocks)
    return log_z


@kernel
def _set_parts(c, i, t, labels, y):
    """y = the parts of a labelling, labels (T,) in the order of elimination; a node whose label is -1 has none."""
    T, K = layout.size(t), c.num_labels
    tied, observed = T * K, c.num_edge_features > 0
    blocks = y.shape[0] - (t.nodes[T, layout.EDGE] - t.nodes[0, layout.EDGE] if observed else 0) * K * K
    kinds = (blocks - tied) // (K * K)
    y[:] = 0.0
    for p in range(T):
        if labels[p] < 0:
            continue
        y[t.nodes[p, layout.ORDER] * K + labels[p]] = 1.0
        for e in range(t.nodes[p, layout.EDGE], t.nodes[p + 1, layout.EDGE]):
            j, k, kind = labels[t.edges[e, layout.END]], labels[p], t.edges[e, layout.KIND]
            if j < 0:
                continue
            if kind >= kinds:
                j, k, kind = k, j, kind - kinds
            y[tied + (kind * K + j) * K + k] += 1.0
            if observed:
                y[blocks + (t.edges[e, layout.BLOCK] * K + j) * K + k] = 1.0


@implements(Graph)
def gold(c, i, y):
    t = clique_tree(c, i)
    labels = np.empty(layout.size(t), np.int64)
    for p in range(labels.shape[0]):
        labels[p] = c.y[c.starts[i] + t.nodes[p, layout.ORDER]]
    _set_parts(c, i, t, labels, y)


@implements(Graph)
def argmax(c, i, s, y):
    t = clique_tree(c, i)
    nodes, transitions, blocks = split(c, i, s)
    labels = np.empty(nodes.shape[0], np.int64)
    top = best.best(t, nodes, transitions, blocks, s[:0], 0.0, labels)
    _set_parts(c, i, t, labels, y)
    if top == -np.inf:
        y[:] = 0.0
    return top


@implements(Graph)
def k_best(c, i, s, Y, values):
    t = clique_tree(c, i)
    nodes, transitions, blocks = split(c, i, s)
    labels = np.empty((Y.shape[0], nodes.shape[0]), np.int64)
    count = best.k_best(t, nodes, transitions, blocks, labels, values)
    for r in range(count):
        _set_parts(c, i, t, labels[r], Y[r])
    Y[count:] = 0.0
    return count


# ---- cliques: the cells of all tables ----------------------------------------------------------------


@implements(Graph)
def num_cliques(c, i):
    cells = c.cliques.nodes[:, layout.CELL]
    return cells[c.starts[i + 1]] - cells[c.starts[i]]


@implements(Graph)
def clique_marginals(c, i, s, b):
    nodes, transitions, blocks = split(c, i, s)
    return sums.marginals(clique_tree(c, i), nodes, transitions, blocks, b, np.empty(nodes.shape))


@kernel(fastmath={"reassoc"})
def _labels_of(c, t, y):
    """The labels of an output in the order of elimination; of none, 0."""
    labels, K = np.empty(layout.size(t), np.int64), np.uint64(c.num_labels)
    for p in range(labels.shape[0]):
        first, label = np.uint64(t.nodes[p, layout.ORDER]) * K, 0.0
        for k in range(K):
            label += k * y[first + k]  # all of which are 0 but one
        labels[p] = int(label)
    return labels


@implements(Graph)
def cliques_of_output(c, i, y, b):
    t = clique_tree(c, i)
    labels = _labels_of(c, t, y)
    b[:] = 0.0
    for p in range(labels.shape[0]):
        b[layout.cell_of(t, p, labels)] = 1.0


@implements(Graph)
def parts_of_cliques(c, i, b, mu):
    t = clique_tree(c, i)
    nodes, transitions, blocks = split(c, i, mu)
    edges.sum_over_parts(t, b, nodes, transitions, blocks)


@implements(Graph)
def separators(c, i, b, out):
    """The sums of the rows of all tables (Cowell, Dawid, Lauritzen and Spiegelhalter 1999, section 6.4)."""
    t = clique_tree(c, i)
    _sum_rows(t, b, out)
    return 0, layout.num_rows(t)


@kernel(fastmath={"reassoc"})
def _sum_rows(t, b, out):
    for p in range(layout.size(t)):
        first, at, n = layout.first_row(t, p), layout.first_cell(t, p), np.uint64(t.nodes[p, layout.COUNT])
        for row in range(first, layout.first_row(t, p + 1)):
            total = 0.0
            for k in range(n):
                total += b[at + k]
            out[row] = total
            at += n


@implements(Graph)
def argmin_in_support(c, i, s, b, floor, y):
    t = clique_tree(c, i)
    nodes, transitions, blocks = split(c, i, -s)
    labels = np.empty(nodes.shape[0], np.int64)
    value = -best.best(t, nodes, transitions, blocks, b, floor, labels)
    _set_parts(c, i, t, labels, y)
    if value == np.inf:
        y[:] = 0.0
    return value


@implements(Graph)
def log_conditionals(c, i, b, s):
    """The scores of Bethe's approximation, exact on trees whose edges are observed.

    log b_uv of an observed edge and (1 - degree) log b_v of a node; tied transitions as those of a chain.
    """
    t = clique_tree(c, i)
    nodes, transitions, blocks = split(c, i, s)
    edges.sum_over_parts(t, b, nodes, transitions, blocks)
    K, degrees, apart = c.num_labels, np.zeros(nodes.shape[0]), np.zeros(transitions.shape)
    for p in range(layout.size(t)):
        for e in range(t.nodes[p, layout.EDGE], t.nodes[p + 1, layout.EDGE]):
            u, v = t.nodes[t.edges[e, layout.END], layout.ORDER], t.nodes[p, layout.ORDER]
            degrees[u] += 1.0
            degrees[v] += 1.0
            kind = t.edges[e, layout.KIND]
            if kind >= transitions.shape[0]:
                u, v, kind = v, u, kind - transitions.shape[0]
            for j in range(K):
                for k in range(K):
                    apart[kind, j, k] += nodes[u, j] * nodes[v, k]
    observed = blocks.shape[0] > 0
    for e in range(blocks.shape[0]):
        for j in range(K):
            for k in range(K):
                blocks[e, j, k] = log_share(blocks[e, j, k], 1.0)
    for v in range(nodes.shape[0]):
        power = 1.0 - degrees[v] if observed else 1.0
        for k in range(K):
            nodes[v, k] = power * np.log(nodes[v, k]) if nodes[v, k] > 0.0 else -np.inf
    for r in range(transitions.shape[0]):
        for j in range(K):
            for k in range(K):
                transitions[r, j, k] = 0.0 if observed else log_share(transitions[r, j, k], apart[r, j, k])
