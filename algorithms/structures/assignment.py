"""Maximum-weight bipartite matchings, by shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987)."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

MOST = 1e300  # a gain counts at most that much, so that no sum overflows
FREE = -1
UNREACHED = 2**40  # the rank of a distance that is not known


@kernel
def best_matching(gains, must, partners):
    """partners[j] = the column of row j in the matching of largest gain, or -1 without one; gains (rows, columns).

    Rows of ``must``, (rows,), are matched as far as possible, at any gain above minus infinity. Other rows are
    matched only at gains above 0. NaN is never matched. If matchings tie, the result is always the same one. Time:
    the square of the shorter side times the longer one.
    """
    J, K = gains.shape
    turned = J > K
    rows, columns = (K, J) if turned else (J, K)
    # every row can be matched: a useless pair costs 0, a pair of a row in ``must`` has a lower rank
    cost, rank = np.zeros((rows, columns)), np.zeros((rows, columns), np.int64)
    for j in range(J):
        for k in range(K):
            if gains[j, k] > (-np.inf if must[j] else 0.0):
                a, b = (k, j) if turned else (j, k)
                cost[a, b], rank[a, b] = -max(-MOST, min(gains[j, k], MOST)), -1 if must[j] else 0
    owner = _assigned(cost, rank)
    partners[:] = FREE
    for c in range(columns):
        if owner[c] >= 0 and (rank[owner[c], c] < 0 or cost[owner[c], c] < 0.0):
            if turned:
                partners[c] = owner[c]
            else:
                partners[owner[c]] = c


@kernel
def _assigned(cost, rank):
    """The row of each column, or -1, of the cheapest way to give every row a column of its own.

    Ranks count first; among equal ranks, costs. Both are added up in the same way. Row after row finds a shortest
    path to a free column, in costs less the duals of rows and columns. These costs are never negative, and 0 at
    columns that are taken.
    """
    rows, columns = cost.shape
    of_row, of_column = np.zeros(rows), np.zeros(columns)  # duals
    rank_of_row, rank_of_column = np.zeros(rows, np.int64), np.zeros(columns, np.int64)
    owner = np.full(columns, FREE)
    distance, before, done = np.empty(columns), np.empty(columns, np.int64), np.empty(columns, np.bool_)
    ranks = np.empty(columns, np.int64)  # of distances
    for row in range(rows):
        distance[:], before[:], done[:] = np.inf, FREE, False
        ranks[:] = UNREACHED
        at, last, reached, rank_reached = row, FREE, 0.0, 0
        while True:
            best = FREE
            for c in range(columns):
                if done[c]:
                    continue
                through = reached + cost[at, c] - of_row[at] - of_column[c]
                rank_through = rank_reached + rank[at, c] - rank_of_row[at] - rank_of_column[c]
                if rank_through < ranks[c] or (rank_through == ranks[c] and through < distance[c]):
                    distance[c], ranks[c], before[c] = through, rank_through, last
                nearer = ranks[c] == ranks[best] and distance[c] < distance[best]
                if best == FREE or ranks[c] < ranks[best] or nearer:
                    best = c
            reached, rank_reached, last = distance[best], ranks[best], best
            if owner[best] == FREE:
                break
            done[best] = True
            at = owner[best]
        of_row[row] += reached
        rank_of_row[row] += rank_reached
        for c in range(columns):
            if done[c]:
                of_row[owner[c]] += reached - distance[c]
                of_column[c] -= reached - distance[c]
                rank_of_row[owner[c]] += rank_reached - ranks[c]
                rank_of_column[c] -= rank_reached - ranks[c]
        while last != FREE:
            previous = before[last]
            owner[last] = row if previous == FREE else owner[previous]
            last = previous
    return owner
