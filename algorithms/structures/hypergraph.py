"""Inference on acyclic hypergraphs: what chains, segments, trees and grammars have in common.

A hypergraph says how larger pieces of an output are put together from smaller ones. ``first``, int64 (nodes + 1,):
the edges into node v are first[v] .. first[v + 1] - 1. ``tails``, int32 (edges, 2): the nodes that an edge puts
together, -1 where there is only one or none. Nodes are in topological order, the tails of an edge before its head;
the last one is the goal. A derivation chooses one edge into the goal and one into each tail of an edge that it
chose; it is an output, a 0/1 vector y over the edges. No derivation may come to a node twice.

``theta``, float64 (edges,), are the scores of the edges, minus infinity included: p_y(theta) = exp(theta . y) / Z.
Kernels write their results in place and never raise; scores that are NaN or infinity leave NaN.

Gallo, Longo, Pallottino and Nguyen, Directed hypergraphs and applications, 1993; Li and Eisner, First- and
second-order expectation semirings, 2009, section 3. Marginals come from one recursion from the leaves to the goal,
and one back through the probabilities of an edge given its head: nothing is the difference of two large numbers.
"""

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.runtime.vector_math import exp, log

LEAST = -708.0  # exp of less is no normal number


@kernel
def _exp(x):
    """exp(x) for x <= 0, 0 below LEAST; NaN of NaN."""
    root = exp(0.5 * x if x > LEAST else 0.5 * LEAST)  # its table ends half-way
    return root * root if x > LEAST else (0.0 if x <= LEAST else x)


@kernel
def inside(first, tails, theta, alpha):
    """alpha[v] = log of the sum over the derivations of node v, (nodes,); returns the goal's, log Z."""
    return _upwards(first, tails, theta, alpha, np.empty(alpha.shape[0]), np.empty(theta.shape[0]))


@kernel
def _upwards(first, tails, theta, alpha, totals, shares):
    """``inside``; and the probability of edge e given its head v, shares[e] / totals[v]."""
    goal = alpha.shape[0] - 1
    alpha[goal] = 0.0  # where the index -1 of a tail that is not there leads, too
    for v in range(goal + 1):
        begin, end = first[v], first[v + 1]
        top, odd = -np.inf, 0
        for e in range(begin, end):
            x = theta[e] + alpha[tails[e, 0]] + alpha[tails[e, 1]]
            shares[e] = x
            top = x if x > top else top
            odd += 0 if x == x else 1
        if top == -np.inf and odd == 0:
            shares[begin:end] = 0.0
            totals[v], alpha[v] = 1.0, -np.inf
            continue
        total = 0.0
        for e in range(begin, end):
            shares[e] = _exp(shares[e] - top)
            total += shares[e]
        totals[v], alpha[v] = total, top + log(total) if odd == 0 else np.nan
    return alpha[goal]


@kernel
def marginals(first, tails, theta, b):
    """b[e] = the probability that a derivation has edge e; returns log Z, minus infinity (b = 0) without one."""
    nodes = first.shape[0] - 1
    alpha, totals = np.empty(nodes), np.empty(nodes)
    log_z = _upwards(first, tails, theta, alpha, totals, b)
    reached = alpha  # from here on the probability that a derivation comes to a node
    reached[:] = 0.0
    reached[nodes - 1] = 1.0
    for v in range(nodes - 1, -1, -1):
        share = reached[v] / totals[v] if reached[v] != 0.0 else 0.0
        for e in range(first[v], first[v + 1]):
            b[e] = b[e] * share if share != 0.0 else 0.0
            reached[tails[e, 0]] += b[e]
            reached[tails[e, 1]] += b[e]
    return log_z


@kernel
def best(first, tails, theta, y):
    """y = argmax_y theta . y; returns the maximum, minus infinity (y = 0) if there is no derivation.

    Ties: from the goal down, the edge that comes first.
    """
    goal = first.shape[0] - 2
    alpha = np.zeros(goal + 1)
    back = np.empty(goal + 1, np.int64)
    for v in range(goal + 1):
        top, chosen = -np.inf, -1
        for e in range(first[v], first[v + 1]):
            x = theta[e] + alpha[tails[e, 0]] + alpha[tails[e, 1]]
            if x > top:
                top, chosen = x, e
        alpha[v], back[v] = top, chosen
    y[:] = 0.0
    top = alpha[goal]
    if back[goal] < 0:
        return top
    reached = np.zeros(goal + 1, np.bool_)
    reached[goal] = True
    for v in range(goal, -1, -1):
        if reached[v]:
            e = back[v]
            y[e] = 1.0
            reached[tails[e, 0]] = True
            reached[tails[e, 1]] = True
    return top


@kernel
def k_best(first, tails, theta, k, Y, values):
    """Y[r] = the derivation with the r-th largest score, values[r]; Y (k, edges), values (k,); returns how many.

    If there are fewer than k, the other rows are 0 and their values minus infinity. Y[0] is that of ``best``; ties
    among the others go to the edge that comes first, then to the better derivation of its first tail.

    Huang and Chiang, Better k-best parsing, 2005, Algorithm 2: of each node the k best, taken from a heap of the
    best combinations of an edge and its tails' ranks; the two that follow a combination join once it is taken.
    """
    goal = first.shape[0] - 2
    degree = 0
    for v in range(goal + 1):
        degree = max(degree, first[v + 1] - first[v])
    scores = np.empty((goal + 1, k))  # of the r-th best derivation of a node
    origin = np.empty((goal + 1, k, 3), np.int64)  # its edge, and the ranks of that edge's tails
    known = np.zeros(goal + 1, np.int64)  # how many derivations of a node are kept
    known[goal] = 1  # a tail that is not there has one
    scores[goal, 0] = 0.0
    keys, heap = np.empty(degree + k + 1), np.empty((degree + k + 1, 3), np.int64)
    for v in range(goal + 1):
        size = found = 0
        for e in range(first[v], first[v + 1]):
            size = _offer(e, 0, 0, tails, theta, scores, known, keys, heap, size)
        while size > 0 and found < k:
            value, e, i, j = keys[0], heap[0, 0], heap[0, 1], heap[0, 2]
            size = _drop_first(keys, heap, size)
            size = _offer(e, i, j + 1, tails, theta, scores, known, keys, heap, size)
            if j == 0:  # else each combination would be offered along several ways
                size = _offer(e, i + 1, 0, tails, theta, scores, known, keys, heap, size)
            if v == goal:
                values[found] = value
            else:
                scores[v, found] = value
            origin[v, found, 0], origin[v, found, 1], origin[v, found, 2] = e, i, j
            found += 1
        if v < goal:
            known[v] = found
    Y[:] = 0.0
    values[found:] = -np.inf
    rank = np.empty(goal + 1, np.int64)
    for r in range(found):
        rank[:] = -1
        rank[goal] = r
        for v in range(goal, -1, -1):
            if rank[v] >= 0:
                e = origin[v, rank[v], 0]
                Y[r, e] = 1.0
                rank[tails[e, 0]], rank[tails[e, 1]] = origin[v, rank[v], 1], origin[v, rank[v], 2]
    return found


@kernel
def _offer(e, i, j, tails, theta, scores, known, keys, heap, size):
    """Put edge e with the i-th and the j-th best of its tails on the heap, if there are such; the new size."""
    if i >= known[tails[e, 0]] or j >= known[tails[e, 1]]:
        return size
    key = theta[e] + scores[tails[e, 0], i] + scores[tails[e, 1], j]
    if not key > -np.inf:
        return size
    keys[size] = key
    heap[size, 0], heap[size, 1], heap[size, 2] = e, i, j
    at = size
    while at > 0 and _precedes(keys, heap, at, (at - 1) // 2):
        _swap(keys, heap, at, (at - 1) // 2)
        at = (at - 1) // 2
    return size + 1


@kernel
def _drop_first(keys, heap, size):
    """Take the first item off the heap; the new size."""
    size -= 1
    _swap(keys, heap, 0, size)
    at, below = 0, 1
    while below < size:
        if below + 1 < size and _precedes(keys, heap, below + 1, below):
            below += 1
        if _precedes(keys, heap, at, below):
            break
        _swap(keys, heap, at, below)
        at, below = below, 2 * below + 1
    return size


@kernel
def _precedes(keys, heap, a, b):
    """Whether item a of the heap comes before item b: by the higher score or, of equals, by edge and ranks."""
    if keys[a] != keys[b]:
        return keys[a] > keys[b]
    for c in range(2):
        if heap[a, c] != heap[b, c]:
            return heap[a, c] < heap[b, c]
    return heap[a, 2] < heap[b, 2]


@kernel
def _swap(keys, heap, a, b):
    keys[a], keys[b] = keys[b], keys[a]
    for c in range(3):
        heap[a, c], heap[b, c] = heap[b, c], heap[a, c]


# ---- distributions by the probabilities of their edges ---------------------------------------------
#
# b, (edges,), are those of a distribution over derivations. Of all that have them, the one with most entropy
# chooses edges into a node without regard to the rest, given that it comes to the node.


@kernel
def entropy(first, tails, b):
    """H of the distribution with edge probabilities b that has most of it: - sum_e b_e log(b_e / b_head(e))."""
    total = 0.0
    for v in range(first.shape[0] - 1):
        here = 0.0
        for e in range(first[v], first[v + 1]):
            here += b[e]
        for e in range(first[v], first[v + 1]):
            total -= 0.0 if b[e] <= 0.0 else b[e] * log(b[e] / here)
    return total


@kernel
def entropy_slopes(first, tails, b, d):
    """First and second derivative of ``entropy`` at b along d, a difference of two vectors of probabilities.

    Infinite (and minus infinity) where a probability of 0 would grow.
    """
    slope = bend = 0.0
    outside = 0
    for v in range(first.shape[0] - 1):
        here = change = 0.0
        for e in range(first[v], first[v + 1]):
            here += b[e]
            change += d[e]
        for e in range(first[v], first[v + 1]):
            if not b[e] <= 0.0:  # NaN counts as inside
                slope -= d[e] * log(b[e] / here)
                rest = d[e] - b[e] * (change / here)
                bend -= rest * rest / b[e]
            elif d[e] != 0.0:
                outside += 1
    if np.isnan(bend):
        return np.nan, np.nan
    if outside > 0:
        return np.inf, -np.inf
    return slope, bend


@kernel
def support_argmin(first, tails, theta, b, floor, y):
    """y = argmin_y theta . y over the derivations all of whose edges have b > floor; returns the minimum.

    Infinite if there is none; y is then 0. Ties as in ``best``.
    """
    negated = np.empty(b.shape[0])
    for e in range(b.shape[0]):
        negated[e] = -theta[e] if b[e] > floor else -np.inf
    return -best(first, tails, negated, y)


@kernel
def smallest(b, y, other):
    """The least b over the edges of derivation y that derivation ``other`` does not have; infinite without one."""
    least = np.inf
    for e in range(b.shape[0]):
        if y[e] > 0.5 and not other[e] > 0.5:
            least = min(least, b[e])
    return least


@kernel
def log_conditionals(first, tails, b, theta):
    """theta[e] = log(b_e / b_head(e)): scores with which p(theta) has edge probabilities b, and log Z = 0."""
    for v in range(first.shape[0] - 1):
        here = 0.0
        for e in range(first[v], first[v + 1]):
            here += b[e]
        for e in range(first[v], first[v + 1]):
            theta[e] = -np.inf if b[e] <= 0.0 else np.log(b[e] / here)
