"""The hypergraph of a field's labellings: variable elimination, bucket by bucket (``elimination``).

The p-th *bucket* is the p-th node v in the order of elimination with its separator S. Its hypernodes stand for
"the labels of S are a, and those of v and of all that hangs on it are chosen"; the edges into one are v's
labels k, and each carries the scores of v, k and of the graph's edges between v and S. A bucket hangs on that
of the first node of its separator, or, without one, on the last bucket, whose one hypernode is the goal. Where
several buckets hang on one, their hypernodes are put together two by two on the way: an edge has two tails at
most.

Labellings of S and of the bucket are numbered with v's label as the last digit, before it the last node's of S.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.field.model import split

NONE = -1


@kernel
def buckets(c, i):
    """Of each bucket: labellings of its separator, and of it; the bucket it hangs on; how many hang on it.

    Also its first hypernode and edge, those that put others together included; and their totals at the end.
    """
    first, T = c.starts[i], c.starts[i + 1] - c.starts[i]
    rank = np.empty(T, np.int64)
    for p in range(T):
        rank[c.order[first + p]] = p
    of_separator, sizes = np.ones(T, np.int64), np.empty(T, np.int64)
    above, children = np.full(T, T - 1), np.zeros(T, np.int64)
    for p in range(T):
        begin, end = c.separator_starts[first + p], c.separator_starts[first + p + 1]
        for q in range(begin, end):
            of_separator[p] *= c.counts[first + c.separators[q]]
        if end > begin:
            above[p] = rank[c.separators[begin]]
        sizes[p] = of_separator[p] * c.counts[first + c.order[first + p]]
        if p < T - 1:
            children[above[p]] += 1
    nodes, edges = np.zeros(T + 1, np.int64), np.zeros(T + 1, np.int64)
    for p in range(T):
        joins = max(children[p] - 2, 0) * sizes[p]
        nodes[p + 1] = nodes[p] + joins + of_separator[p]
        edges[p + 1] = edges[p] + joins + sizes[p]
    return of_separator, sizes, above, children, nodes, edges


@kernel
def advance(c, i, p, chosen):
    """From one labelling of bucket p's node and its separator, in ``chosen``, to the next; from the last to 0."""
    first = c.starts[i]
    v = c.order[first + p]
    chosen[v] += 1
    if chosen[v] < c.counts[first + v]:
        return
    chosen[v] = 0
    for q in range(c.separator_starts[first + p + 1] - 1, c.separator_starts[first + p] - 1, -1):
        u = c.separators[q]
        chosen[u] += 1
        if chosen[u] < c.counts[first + u]:
            return
        chosen[u] = 0


@kernel
def separator_index(c, i, p, chosen):
    """The number of the labelling of bucket p's separator."""
    first, index = c.starts[i], 0
    for q in range(c.separator_starts[first + p], c.separator_starts[first + p + 1]):
        u = c.separators[q]
        index = index * c.counts[first + u] + chosen[u]
    return index


@kernel
def num_edges(c, i):
    """How many edges the hypergraph has."""
    return buckets(c, i)[5][-1]


@kernel
def hypergraph_of(c, i):
    """``first`` and ``tails`` of ``hypergraph``, and the first edge of each bucket's own, (T,)."""
    T = c.starts[i + 1] - c.starts[i]
    of_separator, sizes, above, children, nodes, edges = buckets(c, i)
    first, tails = np.empty(nodes[-1] + 1, np.int64), np.full((edges[-1], 2), NONE, np.int32)
    own, chosen = np.empty(T, np.int64), np.zeros(T, np.int64)
    hanging, begin = np.empty(T, np.int64), np.zeros(T + 1, np.int64)  # the buckets on each one, in their order
    for p in range(T):
        begin[p + 1] = begin[p] + children[p]
    place = begin[:-1].copy()
    for p in range(T - 1):
        hanging[place[above[p]]] = p
        place[above[p]] += 1
    for p in range(T):
        joins = max(children[p] - 2, 0)
        own[p] = edges[p] + joins * sizes[p]
        labels = sizes[p] // of_separator[p]
        for r in range(joins * sizes[p]):
            first[nodes[p] + r] = edges[p] + r
        for a in range(of_separator[p]):
            first[nodes[p] + joins * sizes[p] + a] = own[p] + a * labels
        for index in range(sizes[p]):
            so_far = NONE
            for d in range(children[p]):
                q = hanging[begin[p] + d]
                tail = nodes[q] + max(children[q] - 2, 0) * sizes[q] + separator_index(c, i, q, chosen)
                if d == 0:
                    so_far = tail
                elif d < children[p] - 1:  # put together, in a hypernode of its own
                    join = (d - 1) * sizes[p] + index
                    tails[edges[p] + join, 0], tails[edges[p] + join, 1] = so_far, tail
                    so_far = nodes[p] + join
                else:
                    tails[own[p] + index, 1] = tail
            tails[own[p] + index, 0] = so_far
            advance(c, i, p, chosen)
    first[nodes[-1]] = edges[-1]
    return first, tails, own


@kernel
def scores(c, i, own, s, theta):
    """theta = the scores of all edges from those of the parts."""
    nodes, transitions, blocks = split(c, i, s)
    _, sizes, _, _, _, _ = buckets(c, i)
    first, chosen = c.starts[i], np.zeros(nodes.shape[0], np.int64)
    theta[:] = 0.0
    for p in range(nodes.shape[0]):
        v = c.order[first + p]
        for index in range(sizes[p]):
            total = nodes[v, chosen[v]]
            for at in range(c.edges_of[first + p], c.edges_of[first + p + 1]):
                j, k = chosen[c.ends[at, 0]], chosen[c.ends[at, 1]]
                total += transitions[c.kinds[at], j, k]
                if blocks.shape[0] > 0:
                    total += blocks[at - c.edge_starts[i], j, k]
            theta[own[p] + index] = total
            advance(c, i, p, chosen)


@kernel
def sum_over_parts(c, i, own, b, mu):
    """mu = the probabilities, or counts, of parts from those of edges."""
    nodes, transitions, blocks = split(c, i, mu)
    _, sizes, _, _, _, _ = buckets(c, i)
    first, chosen = c.starts[i], np.zeros(nodes.shape[0], np.int64)
    mu[:] = 0.0
    for p in range(nodes.shape[0]):
        v = c.order[first + p]
        for index in range(sizes[p]):
            mass = b[own[p] + index]
            if mass != 0.0:
                nodes[v, chosen[v]] += mass
                for at in range(c.edges_of[first + p], c.edges_of[first + p + 1]):
                    j, k = chosen[c.ends[at, 0]], chosen[c.ends[at, 1]]
                    transitions[c.kinds[at], j, k] += mass
                    if blocks.shape[0] > 0:
                        blocks[at - c.edge_starts[i], j, k] += mass
            advance(c, i, p, chosen)


@kernel
def sum_over_pairs(c, i, own, b, pairs):
    """pairs (E, K, K) = the probabilities of the labels of each of the graph's edges from those of edges here."""
    _, sizes, _, _, _, _ = buckets(c, i)
    first, chosen = c.starts[i], np.zeros(c.starts[i + 1] - c.starts[i], np.int64)
    pairs[:] = 0.0
    for p in range(chosen.shape[0]):
        for index in range(sizes[p]):
            for at in range(c.edges_of[first + p], c.edges_of[first + p + 1]):
                pairs[at - c.edge_starts[i], chosen[c.ends[at, 0]], chosen[c.ends[at, 1]]] += b[own[p] + index]
            advance(c, i, p, chosen)


@kernel
def of_labelling(c, i, chosen, b):
    """b = the edges of the derivation that is one labelling, labels (T,)."""
    of_separator, sizes, _, children, _, edges = buckets(c, i)
    b[:] = 0.0
    for p in range(chosen.shape[0]):
        joins, v = max(children[p] - 2, 0), c.order[c.starts[i] + p]
        index = separator_index(c, i, p, chosen) * (sizes[p] // of_separator[p]) + chosen[v]
        for d in range(joins + 1):  # those that put others together, and the bucket's own
            b[edges[p] + d * sizes[p] + index] = 1.0
