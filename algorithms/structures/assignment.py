"""Maximum-weight bipartite matchings, by shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987)."""

import numpy as np

from algorithms.runtime.kernel import kernel

MOST = 1e300  # a gain counts at most that much, so that no sum overflows
FREE = -1


@kernel
def best_matching(gains, partners):
    """partners[j] = the column of row j in a matching that gains most, or -1 without one; gains (rows, columns).

    Only what gains more than 0 is matched; NaN gains nothing. Of matchings that tie, one, always the same. Time:
    the square of the shorter side times the longer one.
    """
    J, K = gains.shape
    turned = J > K
    rows, columns = (K, J) if turned else (J, K)
    cost = np.empty((rows, columns))  # every row can be matched: what is worth nothing is matched for nothing
    for j in range(J):
        for k in range(K):
            value = -min(gains[j, k], MOST) if gains[j, k] > 0.0 else 0.0
            if turned:
                cost[k, j] = value
            else:
                cost[j, k] = value
    owner = _assigned(cost)
    partners[:] = FREE
    for c in range(columns):
        if owner[c] >= 0 and cost[owner[c], c] < 0.0:
            if turned:
                partners[c] = owner[c]
            else:
                partners[owner[c]] = c


@kernel
def _assigned(cost):
    """The row of each column, or -1, of the cheapest way to give every row a column of its own.

    Row after row finds a shortest path to a free column, in costs less the duals of rows and columns: none of
    these is negative, and those of columns that are taken are 0.
    """
    rows, columns = cost.shape
    of_row, of_column = np.zeros(rows), np.zeros(columns)  # duals
    owner = np.full(columns, FREE)
    distance, before, done = np.empty(columns), np.empty(columns, np.int64), np.empty(columns, np.bool_)
    for row in range(rows):
        distance[:], before[:], done[:] = np.inf, FREE, False
        at, last, reached = row, FREE, 0.0
        while True:
            least, best = np.inf, FREE
            for c in range(columns):
                if done[c]:
                    continue
                through = reached + cost[at, c] - of_row[at] - of_column[c]
                if through < distance[c]:
                    distance[c], before[c] = through, last
                if best == FREE or distance[c] < least:
                    least, best = distance[c], c
            reached, last = least, best
            if owner[best] == FREE:
                break
            done[best] = True
            at = owner[best]
        of_row[row] += reached
        for c in range(columns):
            if done[c]:
                of_row[owner[c]] += reached - distance[c]
                of_column[c] -= reached - distance[c]
        while last != FREE:
            previous = before[last]
            owner[last] = row if previous == FREE else owner[previous]
            last = previous
    return owner
