"""The hypergraph of projective trees: its edges are the cliques of a sentence (``hypergraph``, ``eisner``).

Nodes are the sums of ``eisner``: fewer positions first, U before C> before C<. An edge is a term of such a sum,
smaller q or r first. The edge of a term with I>(s, r) or I<(r, t) carries the arc of W[s, r] or W[t, r]. Sums of
one position are no nodes: an edge lacks them among its tails. If the root has one child only, U(0, t) has one
edge, and C>(0, t) is a node for t = T alone.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures.dependency.arcs import part
from structbench.algorithms.structures.dependency.eisner import LEFT, LEFT_T, OVER, RIGHT, RIGHT_T, UNDER_T, UNITED
from structbench.algorithms.structures.dependency.semirings import log_spread

NONE = -1


def count(length: Any, single_root: int) -> Any:
    """How many edges there are: T (T^2 - 1) / 2 of tokens' sums, and those of the root."""
    return (length - 1) * length * (length + 1) // 2 + (2 * length if single_root else length * (length + 1))


@kernel
def _layout(length, single_root):
    """Where each node's edges begin, and the nodes of U(s, t), C>(s, t), C<(s, t); ``NONE`` if it is no node."""
    n = length + 1
    united, right, left = np.full((n, n), NONE), np.full((n, n), NONE), np.full((n, n), NONE)
    first = np.zeros(3 * n * n, np.int64)
    nodes = 0
    for width in range(1, n):
        for s in range(n - width):
            t = s + width
            united[s, t] = nodes
            first[nodes + 1] = first[nodes] + (1 if s == 0 and single_root else width)
            nodes += 1
            if s > 0 or not single_root or width == length:
                right[s, t] = nodes
                first[nodes + 1] = first[nodes] + width
                nodes += 1
            if s > 0:
                left[s, t] = nodes
                first[nodes + 1] = first[nodes] + width
                nodes += 1
    return first[: nodes + 1], united, right, left


@kernel
def first_edges(length, single_root):
    """``first`` of ``hypergraph``."""
    return _layout(length, single_root)[0]


@kernel
def hypergraph_of(length, single_root):
    """``first`` and ``tails`` of ``hypergraph``."""
    first, united, right, left = _layout(length, single_root)
    tails = np.empty((first[-1], 2), np.int32)
    for s in range(length + 1):
        for t in range(s + 1, length + 1):
            e = first[united[s, t]]
            for q in range(s, s + 1 if s == 0 and single_root else t):
                tails[e, 0], tails[e, 1] = right[s, q], left[q + 1, t]
                e += 1
            if right[s, t] != NONE:
                e = first[right[s, t]]
                for r in range(s + 1, t + 1):
                    tails[e, 0], tails[e, 1] = united[s, r], right[r, t]
                    e += 1
            if left[s, t] != NONE:
                e = first[left[s, t]]
                for r in range(s, t):
                    tails[e, 0], tails[e, 1] = left[s, r], united[r, t]
                    e += 1
    return first, tails


@kernel
def arcs_of(length, single_root):
    """The part that each edge carries, or ``NONE``."""
    first, _, right, left = _layout(length, single_root)
    arcs = np.full(first[-1], NONE)
    for s in range(length + 1):
        for t in range(s + 1, length + 1):
            if right[s, t] != NONE:
                for r in range(s + 1, t + 1):
                    arcs[first[right[s, t]] + r - s - 1] = part(length, s, r)
            if left[s, t] != NONE:
                for r in range(s, t):
                    arcs[first[left[s, t]] + r - s] = part(length, t, r)
    return arcs


@kernel
def scores(arcs, s):
    """The score of each edge: the score of its arc."""
    theta = np.zeros(arcs.shape[0])
    for e in range(arcs.shape[0]):
        if arcs[e] != NONE:
            theta[e] = s[arcs[e]]
    return theta


@kernel
def sum_over_arcs(arcs, b, mu):
    """mu[r] = the sum of b over the edges that carry arc r."""
    mu[:] = 0.0
    for e in range(arcs.shape[0]):
        if arcs[e] != NONE:
            mu[arcs[e]] += b[e]


@kernel
def of_tree(length, single_root, heads, b):
    """b = the edges of the tree with heads[m], m = 1 .. T, which must be projective."""
    first, united, right, left = _layout(length, single_root)
    begin, end = np.arange(length + 1), np.arange(length + 1)  # of what is below each position
    for _ in range(length):  # heads below others first, as deep as trees are
        moved = False
        for m in range(1, length + 1):
            h = heads[m]
            if begin[m] < begin[h] or end[m] > end[h]:
                begin[h], end[h] = min(begin[h], begin[m]), max(end[h], end[m])
                moved = True
        if not moved:
            break
    b[:] = 0.0
    for m in range(1, length + 1):
        h = heads[m]
        if h < m:
            b[first[united[h, m]] + begin[m] - 1 - h] = 1.0
            b[first[right[h, end[m]]] + m - h - 1] = 1.0
        else:
            b[first[united[m, h]] + end[m] - m] = 1.0
            b[first[left[begin[m], h]] + m - begin[m]] = 1.0


@kernel
def fill(length, single_root, memory, slopes, total, logs, b):
    """b = the probabilities of the edges, from the sums of ``eisner`` and ``slopes``: see ``semirings.share``."""
    first, united, right, left = _layout(length, single_root)
    for s in range(length + 1):
        for t in range(s + 1, length + 1):
            last = s + 1 if s == 0 and single_root else t
            x, y = memory[RIGHT][s, s:last], memory[LEFT_T][t, s + 1 : last + 1]
            _shares(slopes[UNITED][s, t], x, y, total, logs, b[first[united[s, t]] :])
            if right[s, t] != NONE:
                x, y = memory[OVER][s, s + 1 : t + 1], memory[RIGHT_T][t, s + 1 : t + 1]
                _shares(slopes[RIGHT][s, t], x, y, total, logs, b[first[right[s, t]] :])
            if left[s, t] != NONE:
                x, y = memory[LEFT][s, s:t], memory[UNDER_T][t, s:t]
                _shares(slopes[LEFT][s, t], x, y, total, logs, b[first[left[s, t]] :])


@kernel
def _shares(slope, x, y, total, logs, b):
    """Each term's share of the total of a sum."""
    if logs:
        of_x, of_y = np.zeros(x.shape[0]), np.zeros(x.shape[0])
        if slope > 0.0:
            log_spread(slope, x, y, of_x, of_y)
        copy_to(of_x, b[: x.shape[0]])
        return
    for k in range(x.shape[0]):
        b[k] = slope * (x[k] * y[k]) / total
