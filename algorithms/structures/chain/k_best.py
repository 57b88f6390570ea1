"""The k best labellings of one sequence, made lazily: only as many completions of a label as are asked for.

Huang and Chiang, Better k-best parsing, 2005, Algorithm 3. Cell (t, j) holds the best completions from token t on
if the token before has label j, cell (0, 0) whole labellings. A completion is a label at token t and one of cell
(t + 1, label). Each cell keeps an offer for each label, the best completion with it that has not been taken yet;
after one is taken, its label's next is made only when the cell is asked for another completion.
"""

import numpy as np

from algorithms.runtime.kernel import kernel


@kernel
def best_labellings(nodes, transitions, edges, k, values):
    """How many labellings there are, at most k, and which: int32 (k, T), in the order of their scores, ``values``.

    Scores as in ``forward_backward.viterbi``, whose labelling is the first; one whose score is minus infinity or
    NaN is none, and what is left over of ``values``, (k,), becomes minus infinity.
    """
    T, K = nodes.shape
    scores = nodes, transitions, edges
    best, known = np.empty((T + 1, K, k)), np.zeros((T + 1, K), np.int64)  # a cell's completions so far
    label, rank = np.empty((T, K, k), np.int32), np.empty((T, K, k), np.int32)  # what they were made of
    offers, ranks = np.empty((T, K, K)), np.zeros((T, K, K), np.int32)
    best[T, :, 0], known[T] = 0.0, 1
    cells = best, known, label, rank, offers, ranks
    for t in range(T - 1, -1, -1):
        for j in range(K if t > 0 else 1):
            for after in range(K):
                _offer(scores, cells, t, j, after)
            _take(cells, t, j)
    while 0 < known[0, 0] < k and _another(scores, cells):
        pass
    found = known[0, 0]
    labellings = np.empty((k, T), np.int32)
    for r in range(found):
        values[r] = best[0, 0, r]
        j, m = 0, r
        for t in range(T):
            labellings[r, t], m = label[t, j, m], rank[t, j, m]
            j = labellings[r, t]
    values[found:] = -np.inf
    return found, labellings


@kernel
def _offer(scores, cells, t, j, after):
    """Renew the offer of cell (t, j) for a label: the completion of the rank that ``ranks`` holds."""
    nodes, transitions, edges = scores
    best, known, _, _, offers, ranks = cells
    m = ranks[t, j, after]
    value = -np.inf
    if m < known[t + 1, after]:
        value = best[t + 1, after, m] + nodes[t, after]  # summed as in viterbi, for the same ties
        if t > 0:
            value = value + transitions[j, after] + (edges[t - 1, j, after] if edges.shape[0] > 0 else 0.0)
    offers[t, j, after] = value


@kernel
def _take(cells, t, j):
    """Make the best offer of cell (t, j) its next completion; returns whether there is one."""
    best, known, label, rank, offers, ranks = cells
    top, chosen = -np.inf, -1
    for after in range(offers.shape[2]):
        if offers[t, j, after] > top:
            top, chosen = offers[t, j, after], after
    if chosen < 0:
        return False
    r = known[t, j]
    best[t, j, r], label[t, j, r], rank[t, j, r] = top, chosen, ranks[t, j, chosen]
    ranks[t, j, chosen] += 1
    known[t, j] += 1
    return True


@kernel
def _another(scores, cells):
    """Make one more completion of cell (0, 0), and those that it asks for before; returns whether there is one."""
    _, known, label, _, _, ranks = cells
    T = label.shape[0]
    asked = np.zeros(T + 1, np.int64)  # the label of the cell at each depth
    t = 0
    while t < T:
        j = asked[t]
        after = label[t, j, known[t, j] - 1]  # was taken last, so that its offer is to be renewed
        asked[t + 1] = after
        t += 1
        if ranks[t - 1, j, after] < known[t, after]:
            break
    made = False
    for u in range(t - 1, -1, -1):
        _offer(scores, cells, u, asked[u], asked[u + 1])
        made = _take(cells, u, asked[u])
    return made
