"""Segments as a search problem: chunk after chunk, from the first token on (laso2005, section 4.1).

A state is the number of tokens in segments and the label of the last segment. Operator (n - 1) K + k adds a
segment of the next n tokens with label k.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import add
from structbench.algorithms.search import problem as search
from structbench.algorithms.search.sparse_rows import add_row
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.segments.model import Segments
from structbench.algorithms.structures.segments.rows import rows_before
from structbench.algorithms.structures.segments.views import split_weights


@implements(Segments)
def sizes(c, i):
    K, pieces = c.num_labels, c.piece_starts[i + 1] - c.piece_starts[i]
    return search.Sizes(2, c.max_length * K, pieces * K, pieces, K + 1)


@implements(Segments)
def after(c, i, state, move, out):
    out[0], out[1] = state[0] + move // c.num_labels + 1, move % c.num_labels


@implements(Segments)
def good_moves(c, i, state, out):
    first, end = c.starts[i] + state[0], c.starts[i + 1]
    tag = c.target[first]
    if tag < 0:
        return 0
    n = 1
    while first + n < end and c.target[first + n] == tag | 1:  # to its segment's end, also from within
        n += 1
    out[0] = (n - 1) * c.num_labels + tag // 2
    return 1


@kernel(inline=True)
def _add_pieces(c, first, pieces, wx, z, flags, out):
    """out += the scores of these pieces, of which -1 is none; ``z`` keeps them, where ``flags`` says so."""
    for piece in pieces:
        if piece >= 0:
            if flags[piece] == 0:
                flags[piece] = 1
                z[piece] = 0.0
                ft.add_row_times(c.x, first + piece, wx, z[piece])
            for k in range(out.shape[0]):
                out[k] += z[piece, k]


@implements(Segments)
def move_scores(c, i, state, w, known, flags, out):
    K, T, t, before = c.num_labels, c.starts[i + 1] - c.starts[i], state[0], state[1]
    wx, wt = split_weights(c, w)
    z, moves = known.reshape((-1, K)), out.reshape((-1, K))
    row = c.row_starts[i] + rows_before(t, T, c.max_length)
    grown = wt[before].copy() if before >= 0 else np.zeros(K)
    first = c.piece_starts[i]
    for n in range(min(c.max_length, T - t)):
        _add_pieces(c, first, c.grown[row + n], wx, z, flags, grown)
        for k in range(K):
            moves[n, k] = grown[k]
        _add_pieces(c, first, c.own[row + n], wx, z, flags, moves[n])
        if n > 0 and c.outside >= 0:
            moves[n, c.outside] = -np.inf
    moves[min(c.max_length, T - t) :] = -np.inf


@implements(Segments)
def add_step(c, i, state, move, weight, total):
    K, T, t, before = c.num_labels, c.starts[i + 1] - c.starts[i], state[0], state[1]
    n, k = move // K, move % K
    row, first = c.row_starts[i] + rows_before(t, T, c.max_length), c.piece_starts[i]
    for m in range(n + 1):
        for piece in c.grown[row + m]:
            if piece >= 0:
                add_row(c.x, first + piece, k, K, weight, total)
    for piece in c.own[row + n]:
        if piece >= 0:
            add_row(c.x, first + piece, k, K, weight, total)
    if before >= 0:
        add(total, (c.num_features + before) * K + k, weight)


@implements(Segments)
def write_labels(c, i, state, move, out):
    t, n, k = state[0], move // c.num_labels, move % c.num_labels
    out[t] = 2 * k
    out[t + 1 : t + n + 1] = 2 * k + 1


@implements(Segments)
def bounds(c, i, w, known, flags, out):
    """The best segmentation of the rest if every segment could have the best transition to its label."""
    K, T = c.num_labels, c.starts[i + 1] - c.starts[i]
    wt = split_weights(c, w)[1]
    state, scores, best = np.empty(2, np.int64), np.empty(c.max_length * K), np.zeros(K)
    for k in range(K):
        best[k] = wt[:, k].max()
    state[1] = -1
    out[T] = 0.0
    for t in range(T - 1, -1, -1):
        state[0] = t
        search.move_scores(c, i, state, w, known, flags, scores)
        out[t] = -np.inf
        for move in range(min(c.max_length, T - t) * K):
            into = best[move % K] if t > 0 else 0.0
            out[t] = max(out[t], scores[move] + into + out[t + move // K + 1])
