"""A* search: the best output of a search problem whose states have an admissible bound (laso2005, section 3.2).

The score of a path plus an upper bound on its completion orders the queue. Bounds are consistent, so that a state
is expanded only once. The first finished path that leaves the queue is the best.
"""

import heapq

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts


@kernel
def number(sizes, state):
    """The number of a state. All paths to one state have the same completions."""
    return state[0] * sizes.lasts + state[1] + 1


@kernel
def find(problem, i, w, out):
    """out[t] = the labels of the best output. Returns its score and how many states were expanded.

    The score is -inf if no path leads to an output, or if all such paths have the score NaN.
    """
    sizes = search.sizes(problem, i)
    scores = np.empty(sizes.moves)
    known, flags = np.empty(sizes.floats), np.zeros(sizes.flags, np.int8)
    bounds = np.empty(parts.num_decisions(problem, i) + 1)
    search.bounds(problem, i, w, known, flags, bounds)
    count = bounds.shape[0] * sizes.lasts
    states = np.empty((count, sizes.state), np.int64)
    best = np.full(count, -np.inf)  # of the paths met that lead to a state
    parents, moves = np.empty(count, np.int64), np.empty(count, np.int64)
    closed = np.zeros(count, np.bool_)
    after = np.empty(sizes.state, np.int64)
    search.start(after)
    at = number(sizes, after)
    states[at], best[at], parents[at], moves[at] = after, 0.0, -1, -1
    heap = [(-bounds[after[0]], at)]
    expanded = 0
    while len(heap) > 0:
        _, at = heapq.heappop(heap)
        if closed[at]:
            continue
        closed[at] = True
        if search.is_goal(problem, i, states[at]):
            score = best[at]
            while parents[at] >= 0:
                search.write_labels(problem, i, states[parents[at]], moves[at], out)
                at = parents[at]
            return score, expanded
        expanded += 1
        search.move_scores(problem, i, states[at], w, known, flags, scores)
        for move in range(scores.shape[0]):
            total = best[at] + scores[move]
            if total == -np.inf:
                continue
            search.after(problem, i, states[at], move, after)
            to = number(sizes, after)
            if not closed[to] and total > best[to]:
                states[to], best[to], parents[to], moves[to] = after, total, at, move
                heapq.heappush(heap, (-(total + bounds[after[0]]), to))
    return -np.inf, expanded
