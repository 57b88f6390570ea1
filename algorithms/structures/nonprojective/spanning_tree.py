"""The best spanning tree of a sentence (Chu and Liu 1965; Edmonds 1967; McDonald et al. 2005, section 2.3)."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.dependency.arcs import part

OUTSIDE = UNKNOWN = -1


@kernel
def best_tree(length, s, single_root, heads):
    """heads[m] of the best tree, m = 1 .. T, for the scores of all arcs; returns its score.

    Each token takes its best head. While that makes a cycle, the cycle becomes one token. An arc into it is worth
    its gain over the arc of the cycle that it replaces. If arcs tie, the choice is always the same. Time: T^2 for
    each of at most T cycles.

    An arc is worth a rank and, among arcs of one rank, its score. If the score is minus infinity, the rank is
    lower by 1. So is that of the root's arcs if it may have one child only. The best tree then has the fewest such
    arcs. If these are still too many, there is no tree: the score is minus infinity.
    """
    n = length + 1
    S, R = np.full((n, n), -np.inf), np.zeros((n, n), np.int64)
    tail, modifier = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)  # of the arc that stands for [h, m]
    for m in range(1, n):
        for h in range(n):
            if h != m:
                S[h, m] = s[part(length, h, m)]
                tail[h, m], modifier[h, m] = h, m
                if S[h, m] == -np.inf:
                    S[h, m], R[h, m] = 0.0, -1
        R[0, m] -= 1 if single_root else 0
    alive = np.ones(n, np.bool_)
    chosen = np.zeros(n, np.int64)
    group = np.empty((n, n), np.int64)  # at each merger, which of its members a token is below
    arcs = np.empty((n, n, 2), np.int64)  # and for each member the arc of the cycle into it, head and token
    owner = np.arange(n)  # the token that stands for each
    mergers = 0
    while True:
        for m in range(1, n):
            if alive[m]:
                chosen[m] = _best_head(S, R, alive, m)
        cycle = _cycle(alive, chosen)
        if cycle == 0:
            break
        _merge(S, R, tail, modifier, alive, chosen, owner, cycle, group[mergers], arcs[mergers])
        mergers += 1
    heads[:] = UNKNOWN
    for m in range(1, n):
        if alive[m]:
            heads[modifier[chosen[m], m]] = tail[chosen[m], m]
    for merger in range(mergers - 1, -1, -1):
        _split(group[merger], arcs[merger], heads)
    value, children = 0.0, 0
    for m in range(1, n):
        value += s[part(length, heads[m], m)]
        children += 1 if heads[m] == 0 else 0
    return -np.inf if single_root and children > 1 else value


@kernel
def _best_head(S, R, alive, m):
    best, rank, score = 0, R[0, m], S[0, m]
    for h in range(1, S.shape[0]):
        if alive[h] and h != m and (R[h, m] > rank or (R[h, m] == rank and S[h, m] > score)):
            best, rank, score = h, R[h, m], S[h, m]
    return best


@kernel
def _cycle(alive, chosen):
    """A token on a cycle of the chosen heads, or 0."""
    seen = np.zeros(chosen.shape[0], np.int64)
    for start in range(1, chosen.shape[0]):
        m = start
        while alive[start] and m != 0 and seen[m] == 0:
            seen[m] = start
            m = chosen[m]
        if alive[start] and m != 0 and seen[m] == start:
            return m
    return 0


@kernel
def _merge(S, R, tail, modifier, alive, chosen, owner, cycle, group, arcs):
    """Merge the cycle that ``cycle`` is on into this one token."""
    n = S.shape[0]
    inside = np.zeros(n, np.bool_)
    v = cycle
    while not inside[v]:
        inside[v] = True
        arcs[v, 0], arcs[v, 1] = tail[chosen[v], v], modifier[chosen[v], v]
        v = chosen[v]
    members = np.flatnonzero(inside)
    for u in range(n):
        if not alive[u] or inside[u]:
            continue
        into = outof = cycle
        rank, gain = R[u, cycle] - R[chosen[cycle], cycle], S[u, cycle] - S[chosen[cycle], cycle]
        rank_out, score_out = R[cycle, u], S[cycle, u]
        for v in members:
            r, g = R[u, v] - R[chosen[v], v], S[u, v] - S[chosen[v], v]
            if r > rank or (r == rank and g > gain):
                into, rank, gain = v, r, g
            if R[v, u] > rank_out or (R[v, u] == rank_out and S[v, u] > score_out):
                outof, rank_out, score_out = v, R[v, u], S[v, u]
        S[u, cycle], R[u, cycle] = gain, rank
        S[cycle, u], R[cycle, u] = score_out, rank_out
        tail[u, cycle], modifier[u, cycle] = tail[u, into], modifier[u, into]
        tail[cycle, u], modifier[cycle, u] = tail[outof, u], modifier[outof, u]
    group[:] = OUTSIDE
    for t in range(1, n):
        if inside[owner[t]]:
            group[t] = owner[t]
            owner[t] = cycle
        if inside[t] and t != cycle:
            alive[t] = False


@kernel
def _split(group, arcs, heads):
    """Undo a merger: each member, except the one entered from outside, has its arc of the cycle."""
    entered = UNKNOWN
    for t in range(1, heads.shape[0]):
        if group[t] != OUTSIDE and heads[t] != UNKNOWN:
            entered = group[t]
    for t in range(1, heads.shape[0]):
        v = group[t]
        if v != OUTSIDE and v != entered:
            heads[arcs[v, 1]] = arcs[v, 0]
