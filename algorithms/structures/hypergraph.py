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

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import exp_or_zero, log


@kernel
def in_derivations(first, tails, used):
    """used[e] = whether a derivation of the goal has edge e. Returns the same of nodes, and one number more."""
    nodes = first.shape[0] - 1
    built = np.zeros(nodes + 1, np.bool_)  # whether a node has a derivation
    built[nodes] = True  # for the index -1 of a missing tail
    for v in range(nodes):
        for e in range(first[v], first[v + 1]):
            built[v] |= built[tails[e, 0]] and built[tails[e, 1]]
    needed = np.zeros(nodes + 1, np.bool_)
    needed[nodes - 1] = built[nodes - 1]
    for v in range(nodes - 1, -1, -1):
        for e in range(first[v], first[v + 1]):
            used[e] = needed[v] and built[tails[e, 0]] and built[tails[e, 1]]
            if used[e]:
                needed[tails[e, 0]] = needed[tails[e, 1]] = True
    return needed


@kernel(fastmath={"reassoc"})
def inside(first, tails, theta, alpha, totals, shares):
    """alpha[v] = log of the sum over the derivations of node v, (nodes,); returns the goal's, log Z.

    The probability of edge e given its head v is shares[e] / totals[v].
    """
    goal = alpha.shape[0] - 1
    alpha[goal] = 0.0  # where the index -1 of a tail that is not there leads, too
    for v in range(goal + 1):
        top, odd = -np.inf, 0
        for e in range(first[v], first[v + 1]):
            x = theta[e] + alpha[tails[e, 0]] + alpha[tails[e, 1]]
            shares[e] = x
            top = x if x > top else top
            odd += 0 if x == x else 1
        here, total = shares[first[v] : first[v + 1]], 0.0  # a loop from 0 on runs in vector registers
        if top == -np.inf and odd == 0:
            here[:] = 0.0
            totals[v], alpha[v] = 1.0, -np.inf
            continue
        for e in range(here.shape[0]):
            here[e] = exp_or_zero(here[e] - top)
            total += here[e]
        totals[v], alpha[v] = total, top + log(total) if odd == 0 else np.nan
    return alpha[goal]


@kernel
def marginals(first, tails, theta, b):
    """b[e] = the probability that a derivation has edge e; returns log Z, minus infinity (b = 0) without one."""
    nodes = first.shape[0] - 1
    alpha, totals = np.empty(nodes), np.empty(nodes)
    log_z = inside(first, tails, theta, alpha, totals, b)
    reached = alpha  # from here on the probability that a derivation comes to a node
    reached[:] = 0.0
    reached[nodes - 1] = 1.0
    for v in range(nodes - 1, -1, -1):
        if reached[v] == 0.0:
            b[first[v] : first[v + 1]] = 0.0
            continue
        share = reached[v] / totals[v]
        for e in range(first[v], first[v + 1]):
            b[e] *= share
            for tail in tails[e]:
                if tail >= 0:
                    reached[tail] += b[e]
    return log_z


@kernel
def best(first, tails, theta, y):
    """y = argmax_y theta . y; returns the maximum, minus infinity (y = 0) if there is no derivation.

    Ties: from the goal down, the edge that comes first.
    """
    goal = first.shape[0] - 2
    alpha = np.zeros(goal + 1)
    top = -np.inf
    for v in range(goal + 1):
        top = -np.inf
        for e in range(first[v], first[v + 1]):
            x = theta[e] + alpha[tails[e, 0]] + alpha[tails[e, 1]]
            top = x if x > top else top
        alpha[v] = top if v < goal else 0.0
    y[:] = 0.0
    reached = np.zeros(goal + 1, np.bool_)
    reached[goal] = top > -np.inf
    for v in range(goal, -1, -1):
        if not reached[v]:
            continue
        most = alpha[v] if v < goal else top
        for e in range(first[v], first[v + 1]):  # few nodes are reached: no need to keep the best edge of each
            if theta[e] + alpha[tails[e, 0]] + alpha[tails[e, 1]] == most:
                y[e] = 1.0
                reached[tails[e, 0]] = reached[tails[e, 1]] = True
                break
    return top


@kernel
def k_best(first, tails, theta, k, Y, values):
    """Y[r] = the derivation with the r-th largest score, values[r]; Y (k, edges), values (k,); returns how many.

    If there are fewer than k, the other rows are 0 and their values minus infinity. Y[0] is that of ``best``; ties
    among the others go to the edge that comes first, then to the better derivation of its first tail.
    """
    found, origin = k_best_origins(first, tails, theta, k, values)
    Y[:] = 0.0
    for r in range(found):
        add_derivation(tails, origin, r, Y[r])
    return found


@kernel
def k_best_origins(first, tails, theta, k, values):
    """``k_best`` without Y: how many, and what ``add_derivation`` reads them off.

    Huang and Chiang, Better k-best parsing, 2005, Algorithm 2: of each node the k best, taken from a heap of the
    best combinations of an edge and its tails' ranks; the two that follow a combination join once it is taken.
    """
    goal = first.shape[0] - 2
    degree = 0
    for v in range(goal + 1):
        degree = max(degree, first[v + 1] - first[v])
    scores = np.full((goal + 1, k), -np.inf)  # of the r-th best derivation of a node
    origin = np.empty((goal + 1, k), np.int64)  # its edge and the ranks of that edge's tails, as (e k + i) k + j
    known = np.zeros(goal + 1, np.int64)  # how many derivations of a node are kept
    known[goal] = 1  # a tail that is not there has one
    scores[goal, 0] = 0.0
    found = 0
    keys, heap = np.empty(degree + k + 1), np.empty(degree + k + 1, np.int64)
    for v in range(goal + 1):
        size = found = 0
        for e in range(first[v], first[v + 1]):
            keys[size], heap[size] = theta[e] + scores[tails[e, 0], 0] + scores[tails[e, 1], 0], e * k * k
            size += 1 if keys[size] > -np.inf else 0
        for at in range(size // 2 - 1, -1, -1):
            _sink(keys, heap, at, size)
        while size > 0 and found < k:
            value, item = keys[0], heap[0]
            e, i, j = item // (k * k), item // k % k, item % k
            size -= 1
            keys[0], heap[0] = keys[size], heap[size]
            _sink(keys, heap, 0, size)
            size = _offer(e, i, j + 1, tails, theta, scores, known, keys, heap, size)
            if j == 0:  # else each combination would be offered along several ways
                size = _offer(e, i + 1, 0, tails, theta, scores, known, keys, heap, size)
            if v == goal:
                values[found] = value
            else:
                scores[v, found] = value
            origin[v, found] = item
            found += 1
        if v < goal:
            known[v] = found
    values[found:] = -np.inf
    return found, origin


@kernel
def add_derivation(tails, origin, r, y):
    """y[e] += 1 for the edges of the goal's derivation of rank r, from what ``k_best_origins`` gives."""
    nodes, k = origin.shape
    rank = np.full(nodes, -1)
    rank[nodes - 1] = r
    for v in range(nodes - 1, -1, -1):
        if rank[v] >= 0:
            item = origin[v, rank[v]]
            e = item // (k * k)
            y[e] += 1.0
            rank[tails[e, 0]], rank[tails[e, 1]] = item // k % k, item % k


@kernel
def _offer(e, i, j, tails, theta, scores, known, keys, heap, size):
    """Put edge e with the i-th and the j-th best of its tails on the heap, if there are such; the new size."""
    a, b, k = tails[e, 0], tails[e, 1], scores.shape[1]
    if i >= known[a] or j >= known[b]:
        return size
    key, item = theta[e] + scores[a, i] + scores[b, j], (e * k + i) * k + j
    at = size
    while at > 0 and _precedes(key, item, keys[(at - 1) // 2], heap[(at - 1) // 2]):
        keys[at], heap[at] = keys[(at - 1) // 2], heap[(at - 1) // 2]
        at = (at - 1) // 2
    keys[at], heap[at] = key, item
    return size + 1


@kernel
def _sink(keys, heap, at, size):
    """Move the item at a place of the heap down to where it belongs."""
    key, item, below = keys[at], heap[at], 2 * at + 1
    while below < size:
        if below + 1 < size and _precedes(keys[below + 1], heap[below + 1], keys[below], heap[below]):
            below += 1
        if _precedes(key, item, keys[below], heap[below]):
            break
        keys[at], heap[at] = keys[below], heap[below]
        at, below = below, 2 * below + 1
    keys[at], heap[at] = key, item


@kernel
def _precedes(key, item, other_key, other_item):
    """Whether an item of the heap comes before another: by the higher score or, of equals, by edge and ranks."""
    return key > other_key or (key == other_key and item < other_item)


# ---- distributions by the probabilities of their edges ---------------------------------------------
#
# b, (edges,), are those of a distribution over derivations. Of all that have them, the one with most entropy
# chooses edges into a node without regard to the rest, given that it comes to the node.


@kernel(fastmath={"reassoc"})
def sums_of_nodes(first, b, out):
    """out[v] = the probability that a derivation comes to node v; returns how many nodes there are.

    The entropy is that of the edges less that of the nodes: - sum_e b_e log(b_e / b_head(e)).
    """
    for v in range(first.shape[0] - 1):
        total = 0.0
        for e in range(first[v], first[v + 1]):
            total += b[e]
        out[v] = total
    return first.shape[0] - 1


@kernel
def argmin_in_support(first, tails, theta, b, floor, y):
    """y = argmin_y theta . y over the derivations all of whose edges have b > floor; returns the minimum.

    Infinite if there is none; y is then 0. Ties as in ``best``.
    """
    negated = np.empty(b.shape[0])
    for e in range(b.shape[0]):
        negated[e] = -theta[e] if b[e] > floor else -np.inf
    return -best(first, tails, negated, y)


@kernel
def log_conditionals(first, tails, b, theta):
    """theta[e] = log(b_e / b_head(e)): scores with which p(theta) has edge probabilities b, and log Z = 0."""
    for v in range(first.shape[0] - 1):
        here = 0.0
        for e in range(first[v], first[v + 1]):
            here += b[e]
        for e in range(first[v], first[v + 1]):
            theta[e] = -np.inf if b[e] <= 0.0 else np.log(b[e] / here)
