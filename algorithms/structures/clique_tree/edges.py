"""Edges of clique trees: scores, transposed to fit the elimination order, and sums of marginals over parts.

Where edges are observed, each has a block. Else each kind has two: for its edges whose first node is in the
separator, and, transposed, for the others. Transitions are (kinds, K, K), blocks of observed edges (E or 0, K, K).
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures.clique_tree import layout as ct


@kernel(inline=True)
def block_of(t, e, observed):
    """The number of the block of edge e."""
    return t.edges[e, ct.BLOCK] if observed else t.edges[e, ct.KIND]


class Scores(NamedTuple):
    """tied: of kinds, twice; blocks: of observed edges, if there are any, what is tied not included."""

    tied: np.ndarray
    blocks: np.ndarray


@kernel
def oriented(t, transitions, blocks):
    """The scores of edges; those that are given, if none is to be turned."""
    kinds, K, any_turned = transitions.shape[0], transitions.shape[1], False
    for e in range(t.nodes[0, ct.EDGE], t.nodes[ct.size(t), ct.EDGE]):
        any_turned |= t.edges[e, ct.KIND] >= kinds
    if not any_turned:
        return Scores(transitions, blocks)
    tied, out = np.empty((2 * kinds, K, K)), np.empty(blocks.shape)
    for r in range(kinds):
        copy_to(transitions[r], tied[r])
        _turn(transitions[r], tied[kinds + r])
    for e in range(t.nodes[0, ct.EDGE], t.nodes[ct.size(t), ct.EDGE] if blocks.shape[0] > 0 else 0):
        if t.edges[e, ct.KIND] < kinds:
            copy_to(blocks[t.edges[e, ct.BLOCK]], out[t.edges[e, ct.BLOCK]])
        else:
            _turn(blocks[t.edges[e, ct.BLOCK]], out[t.edges[e, ct.BLOCK]])
    return Scores(tied, out)


@kernel(inline=True)
def _turn(block, out):
    for j in range(block.shape[0]):
        for k in range(block.shape[0]):
            out[k, j] = block[j, k]


@kernel
def sum_over_parts(t, cells, nodes, transitions, blocks):
    """Probabilities of parts from those of the cells of all tables."""
    K, kinds, observed = nodes.shape[1], transitions.shape[0], blocks.shape[0] > 0
    pairs = blocks if observed else np.empty((2 * kinds, K, K))
    flat = pairs.reshape((pairs.shape[0], K * K))
    if not observed:
        flat[:] = 0.0
    nodes[:] = 0.0
    transitions[:] = 0.0
    for p in range(ct.size(t)):
        first, last, n = ct.first_cell(t, p), ct.first_cell(t, p + 1), np.uint64(t.nodes[p, ct.COUNT])
        _add_rows(cells, first, last, n, t.nodes[p, ct.ORDER], nodes)
        for e in range(t.nodes[p, ct.EDGE], t.nodes[p + 1, ct.EDGE]):
            b = block_of(t, e, observed)
            if ct.width(t, p) == 1 and last - first == K * K:
                for at in range(last - first):
                    flat[b, at] = cells[first + at] + (0.0 if observed else flat[b, at])
            else:
                if observed:
                    flat[b] = 0.0
                _add_pairs(t, p, e, cells, K, flat[b])
    if observed:
        for e in range(t.nodes[0, ct.EDGE], t.nodes[nodes.shape[0], ct.EDGE]):
            _add_turned(pairs[t.edges[e, ct.BLOCK]], t.edges[e, ct.KIND], transitions)
    else:
        for kind in range(2 * kinds):
            _add_turned(pairs[kind], kind, transitions)


@kernel
def _add_turned(pair, kind, transitions):
    """Turn a block to the direction of its edge, and add it to the transitions."""
    K, turned = pair.shape[0], kind >= transitions.shape[0]
    if turned:
        kind -= transitions.shape[0]
        for j in range(K):
            for k in range(j):
                pair[j, k], pair[k, j] = pair[k, j], pair[j, k]
    add_scaled(1.0, pair, transitions[kind])


@kernel(inline=True)
def _add_rows(cells, first, last, n, v, nodes):
    """Add the rows of a table to row v; four at once, as short loops take long to start."""
    at, several = first, np.uint64(4) * n
    while at + several <= last:
        second = at + n
        third, fourth = second + n, second + n + n
        for k in range(n):
            nodes[v, k] += (cells[at + k] + cells[second + k]) + (cells[third + k] + cells[fourth + k])
        at += several
    while at < last:
        for k in range(n):
            nodes[v, k] += cells[at + k]
        at += n


@kernel
def _add_pairs(t, p, e, cells, K, pair):
    """Add up the table of p over all nodes of the separator but the end of edge e."""
    here = ct.table(t, p, cells)
    places = np.empty(here.shape[0], np.int64)
    ct.places_in_edge(t, p, e, K, places)
    ct.add_up(here, places, pair)


@kernel(inline=True)
def scores_of_row(t, p, labels, beliefs, scores, messages, out):
    """out[k] = the score of label k of p given the labels of its separator, with all messages to p."""
    n, first, last = t.nodes[p, ct.COUNT], t.nodes[p, ct.EDGE], t.nodes[p + 1, ct.EDGE]
    if first == last:
        for k in range(n):
            out[k] = beliefs[p, k]
    for e in range(first, last):
        kind, block, label = t.edges[e, ct.KIND], t.edges[e, ct.BLOCK], labels[t.edges[e, ct.END]]
        for k in range(n):
            so_far = beliefs[p, k] if e == first else out[k]
            out[k] = so_far + scores.tied[kind, label, k]
        if scores.blocks.shape[0] > 0:
            for k in range(n):
                out[k] += scores.blocks[block, label, k]
    q = t.nodes[p, ct.CHILD]
    labels[p] = 0
    while q != ct.NONE:
        at = t.nodes[q, ct.ROW] - t.nodes[0, ct.ROW] + ct.row_of(t, q, labels)
        for k in range(n):
            out[k] += messages[at + k]
        q = t.nodes[q, ct.SIBLING]
