"""The best and k best labellings of a clique tree: max-product messages up, then labels chosen from the root.

The messages say exactly how well what is left can be labelled. So the k best are found by going back k times, each
time from the best choice that was passed over so far (Nilsson 1998).
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.clique_tree import layout as ct
from structbench.algorithms.structures.clique_tree.edges import oriented, scores_of_row

ALL_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)
LOWEST = np.int64(-0x7FF0000000000001)  # minus infinity, as ``_ordered`` has it


@kernel
def best(t, nodes, transitions, blocks, b, floor, labels):
    """labels, (T,) = the best labelling; returns its score, minus infinity (labels are 0) if there is none.

    Unless ``b`` is empty, only cells of tables with b > floor are allowed. Ties go to the smallest label, from the
    last node on.
    """
    scores = oriented(t, transitions, blocks)
    beliefs, messages = np.empty(nodes.shape), np.empty(ct.num_rows(t))
    top = _upwards(t, nodes, scores, b, floor, beliefs, messages)
    labels[:] = 0
    if top == -np.inf:
        return top
    row = np.empty(nodes.shape[1])
    for p in range(labels.shape[0] - 1, -1, -1):
        labels[p] = _best_label(t, p, labels, beliefs, scores, messages, b, floor, row)
    return top


@kernel
def k_best(t, nodes, transitions, blocks, labels, values):
    """labels, (k, T) = the k best labellings, values, (k,) = their scores; returns how many there are.

    ``values`` past their number are minus infinity.
    """
    scores, T = oriented(t, transitions, blocks), nodes.shape[0]
    beliefs, messages, none = np.empty(nodes.shape), np.empty(ct.num_rows(t)), values[:0]
    values[:] = -np.inf
    origin = np.zeros((values.shape[0], 3), np.int64)  # labels r has those of a former one, up to a node's label
    values[0] = _upwards(t, nodes, scores, none, 0.0, beliefs, messages)
    origin[0, 1] = T
    row = np.empty(nodes.shape[1])
    for r in range(values.shape[0]):
        if not values[r] > -np.inf:
            values[r:] = -np.inf
            return r
        former, p, label = origin[r]
        labels[r] = labels[former]
        if p < T:
            labels[r, p] = label
        for q in range(p - 1, -1, -1):
            label = _best_label(t, q, labels[r], beliefs, scores, messages, none, 0.0, row)
            labels[r, q] = label
            for k in range(t.nodes[q, ct.COUNT]):
                if k != label:
                    _insert(values[r] + (row[k] - row[label]), r, q, k, values, origin)
    return values.shape[0]


@kernel
def _insert(value, r, p, label, values, origin):
    """Put a choice among those after the r-th, by falling value; the last one is dropped."""
    at = values.shape[0] - 1
    if at == r or not value > values[at]:
        return
    while at > r + 1 and value > values[at - 1]:
        values[at] = values[at - 1]
        origin[at] = origin[at - 1]
        at -= 1
    values[at] = value
    origin[at, 0], origin[at, 1], origin[at, 2] = r, p, label


@kernel(inline=True)
def _best_label(t, p, labels, beliefs, scores, messages, b, floor, row):
    """The best label of p given those of its separator; ``row`` = the scores of all labels, with what is left."""
    n = t.nodes[p, ct.COUNT]
    scores_of_row(t, p, labels, beliefs, scores, messages, row)
    if b.shape[0] > 0:
        labels[p] = 0
        _forbid(b, ct.cell_of(t, p, labels), floor, row, n)
    top, label = -np.inf, 0
    for k in range(n):
        if row[k] > top:
            top, label = row[k], k
    return label


@kernel(inline=True)
def _forbid(b, first, floor, cells, count):
    """Forbid the cells without probability above ``floor``; the first of them is b[first]."""
    for at in range(count):
        if not b[first + at] > floor:
            cells[at] = -np.inf


@kernel
def _upwards(t, nodes, scores, b, floor, beliefs, messages):
    """The best score of what is below each node, by its own label, and wide messages; returns the best of all."""
    T, K = nodes.shape
    for p in range(T):
        for k in range(K):
            beliefs[p, k] = nodes[t.nodes[p, ct.ORDER], k]
    best, masked = 0.0, b.shape[0] > 0
    for p in range(T):
        u = ct.above(t, p) if ct.width(t, p) > 0 else ct.NONE
        if ct.has_one_factor(t, p):
            _send_along_edge(t, p, scores, masked, b, floor, beliefs)
            continue
        if ct.width(t, p) == 0 and t.nodes[p, ct.CHILD] == ct.NONE:
            top, first = -np.inf, t.nodes[p, ct.CELL] - t.nodes[0, ct.CELL]
            for k in range(t.nodes[p, ct.COUNT]):
                if beliefs[p, k] > top and (not masked or b[first + k] > floor):
                    top = beliefs[p, k]
            best += top
            continue
        sent = ct.message(t, p, messages)
        _tops_of_rows(t, p, beliefs, scores, messages, b, floor, sent)
        if ct.width(t, p) == 0:
            best += sent[0]
        elif ct.width(t, p) == 1:
            for row in range(sent.shape[0]):
                beliefs[u, row] += sent[row]
    return best


@kernel(inline=True)
def _send_along_edge(t, p, scores, masked, b, floor, beliefs):
    """The same for a node whose only factor is an edge."""
    n, at, e, u = np.uint64(t.nodes[p, ct.COUNT]), ct.first_cell(t, p), t.nodes[p, ct.EDGE], ct.above(t, p)
    kind, block, observed = t.edges[e, ct.KIND], t.edges[e, ct.BLOCK], scores.blocks.shape[0] > 0
    for row in range(t.nodes[u, ct.COUNT]):
        most = LOWEST
        for k in range(n):
            x = beliefs[p, k] + scores.tied[kind, row, k]
            if observed:
                x += scores.blocks[block, row, k]
            if masked:
                x = x if (b[at + k] > floor) & (x == x) else -np.inf
            most = max(most, _ordered(np.float64(x).view(np.int64)))
        at += n
        top = np.int64(_ordered(most)).view(np.float64)
        beliefs[u, row] += top


@kernel(inline=True)
def _ordered(bits):
    """The bits of a number as an integer, so that larger numbers are larger integers; and back."""
    return bits ^ ((bits >> 63) & ALL_BUT_SIGN)


@kernel
def _tops_of_rows(t, p, beliefs, scores, messages, b, floor, sent):
    """The message of any node."""
    here, K = np.empty((sent.shape[0], t.nodes[p, ct.COUNT])), scores.tied.shape[1]
    places = np.empty(here.shape[0], np.int64)
    for row in range(here.shape[0]):
        for k in range(here.shape[1]):
            here[row, k] = beliefs[p, k]
    for e in range(t.nodes[p, ct.EDGE], t.nodes[p + 1, ct.EDGE]):
        ct.places_in_edge(t, p, e, K, places)
        ct.add(scores.tied[t.edges[e, ct.KIND]].reshape(K * K), places, here)
        if scores.blocks.shape[0] > 0:
            ct.add(scores.blocks[t.edges[e, ct.BLOCK]].reshape(K * K), places, here)
    q = t.nodes[p, ct.CHILD]
    while q != ct.NONE:
        ct.places_in_message(t, p, q, places)
        ct.add(ct.message(t, q, messages), places, here)
        q = t.nodes[q, ct.SIBLING]
    if b.shape[0] > 0:
        _forbid(b, t.nodes[p, ct.CELL] - t.nodes[0, ct.CELL], floor, here.reshape(here.size), here.size)
    for row in range(here.shape[0]):
        sent[row] = -np.inf
        for k in range(here.shape[1]):
            sent[row] = here[row, k] if here[row, k] > sent[row] else sent[row]
