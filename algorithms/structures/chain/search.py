"""Chains as a search problem: label after label, from the first token on.

A state is the number of labels given and the last of them; an operator gives the next token a label.
"""

import numpy as np

from structbench.algorithms.runtime.sparse_sum import add
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.search import problem as search
from structbench.algorithms.search.sparse_rows import add_row
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.chain.model import Chain
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled.views import split_weights


@implements(Chain)
def sizes(c, i):
    T, K = c.starts[i + 1] - c.starts[i], c.num_labels
    return search.Sizes(2, K, T * K, T, K + 1)


@implements(Chain)
def after(c, i, state, move, out):
    out[0], out[1] = state[0] + 1, move


@implements(Chain)
def good_moves(c, i, state, out):
    out[0] = c.y[c.starts[i] + state[0]]
    return 1 if out[0] >= 0 else 0


@implements(Chain)
def move_scores(c, i, state, w, known, flags, out):
    K, t, before = c.num_labels, state[0], state[1]
    wx, wt, we = split_weights(c, w)
    nodes = known[t * K : (t + 1) * K]
    if flags[t] == 0:
        flags[t] = 1
        nodes[:] = 0.0
        ft.add_row_times(c.x, c.starts[i] + t, wx, nodes)
    copy_to(nodes, out)
    if before >= 0:
        add_scaled(1.0, wt[before], out)
        if c.num_edge_features > 0:
            pairs = np.zeros(K * K)
            ft.add_row_times(c.edges, c.starts[i] + t, we, pairs)
            add_scaled(1.0, pairs[before * K : (before + 1) * K], out)


@implements(Chain)
def add_step(c, i, state, move, weight, total):
    K, t, before = c.num_labels, state[0], state[1]
    add_row(c.x, c.starts[i] + t, move, K, weight, total)
    if before >= 0:
        first = c.num_node_features * K
        add(total, first + before * K + move, weight)
        if c.num_edge_features > 0:
            add_row(c.edges, c.starts[i] + t, first + K * K + before * K + move, K * K, weight, total)


@implements(Chain)
def write_labels(c, i, state, move, out):
    out[state[0]] = move


@implements(Chain)
def bounds(c, i, w, known, flags, out):
    """A bound from the best node of every token and, for its transition, the best transition to that label."""
    K, length = c.num_labels, c.starts[i + 1] - c.starts[i]
    _, wt, we = split_weights(c, w)
    state, scores = np.empty(2, np.int64), np.empty(K)
    state[1] = -1
    pairs = np.zeros(K * K)
    out[length] = 0.0
    for t in range(length - 1, -1, -1):
        state[0] = t
        search.move_scores(c, i, state, w, known, flags, scores)
        if t > 0:
            copy_to(wt, pairs)
            if c.num_edge_features > 0:
                ft.add_row_times(c.edges, c.starts[i] + t, we, pairs)
            for k in range(K):
                scores[k] += pairs[k::K].max()
        out[t] = out[t + 1] + scores.max()
