"""The k best labellings of one sequence, made lazily: only as many completions of a label as are needed.

Huang and Chiang, Better k-best parsing, 2005, Algorithm 3. Cell (t, j) holds the best completions from token t on
if the token before has label j. Cell (0, 0) holds whole labellings. A completion is a label at token t and a
completion of cell (t + 1, label). The Viterbi algorithm finds the first of each cell. Few cells are asked for
more. Such a cell keeps an offer for each label, the best completion with it that is not taken yet. After it is
taken, the label's next offer is made only when the cell is asked again.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel


@kernel
def best_labellings(nodes, transitions, edges, k, values):
    """How many labellings there are, at most k, and the labellings: int32 (k, T), by their scores, ``values``.

    Scores as in ``forward_backward.viterbi``, whose labelling is the first. A labelling with the score minus
    infinity or NaN does not count. Unused ``values``, (k,), become minus infinity.
    """
    T = nodes.shape[0]
    values[:] = -np.inf
    labellings = np.empty((k, T), np.int32)
    first, label = _first(nodes, transitions, edges)
    if k == 0 or label[0, 0] < 0:
        return 0, labellings
    values[0], j = first[0, 0], 0
    for t in range(T):
        j = label[t, j]
        labellings[0, t] = j
    if k == 1:
        return 1, labellings
    return _others(nodes, transitions, edges, first, label, values, labellings), labellings


@kernel
def _first(nodes, transitions, edges):
    """Value and label of the best completion of every cell, (T + 1, K) and (T, K), summed as in ``viterbi``.

    A cell without a completion has the label -1.
    """
    T, K = nodes.shape
    value, label = np.empty((T + 1, K)), np.empty((T, K), np.int32)
    value[T] = 0.0
    gain = np.empty(K)
    for t in range(T - 1, -1, -1):
        for after in range(K):
            gain[after] = value[t + 1, after] + nodes[t, after]
        for j in range(K if t > 0 else 1):
            top, chosen = -np.inf, -1
            for after in range(K):
                total = gain[after]
                if t > 0:
                    total = total + transitions[j, after] + (edges[t - 1, j, after] if edges.shape[0] > 0 else 0.0)
                if total > top:
                    top, chosen = total, after
            value[t, j], label[t, j] = top, chosen
    return value, label


@kernel
def _others(nodes, transitions, edges, first, first_label, values, labellings):  # noqa: C901 - if it changes, so do the hashes of published runs
    """The second labelling and the following ones. Returns how many there are with the first.

    This is one function because cells are many and small: passing them costs more than the work on them.
    """
    k, (T, K) = len(values), nodes.shape
    observed = edges.shape[0] > 0
    # a cell that was asked for more has a row; each further labelling asks one cell of a token at most
    row_of, rows = np.full((T, K), -1, np.int32), 0
    most = T * min(K, k)
    known = np.empty(most, np.int32)  # completions so far, of which completion m is ...
    value, label, rank = np.empty((most, k)), np.empty((most, k), np.int32), np.empty((most, k), np.int32)
    offers, ranks = np.empty((most, K)), np.empty((most, K), np.int32)
    asked = np.zeros(T + 1, np.int32)  # the label of the cell at each depth
    found = 1
    while found < k:
        deepest = T - 1
        for t in range(T):  # the last completion of each was taken: it needs another one
            j = asked[t]
            row = row_of[t, j]
            if row < 0:
                row = row_of[t, j] = rows
                rows += 1
                known[row], value[row, 0], label[row, 0], rank[row, 0] = 1, first[t, j], first_label[t, j], 0
                for after in range(K):
                    total = first[t + 1, after] + nodes[t, after]
                    if t > 0:
                        total = total + transitions[j, after] + (edges[t - 1, j, after] if observed else 0.0)
                    offers[row, after], ranks[row, after] = total, 0
                ranks[row, label[row, 0]] = 1
            after = label[row, known[row] - 1]
            asked[t + 1] = after
            below = row_of[t + 1, after] if t + 1 < T else -1
            if below >= 0 and ranks[row, after] < known[below]:
                deepest = t
                break
        more = False
        for t in range(deepest, -1, -1):
            j, after = asked[t], asked[t + 1]
            row = row_of[t, j]
            below = row_of[t + 1, after] if t + 1 < T else -1
            total, m = -np.inf, ranks[row, after]
            if below >= 0 and m < known[below]:
                total = value[below, m] + nodes[t, after]
                if t > 0:
                    total = total + transitions[j, after] + (edges[t - 1, j, after] if observed else 0.0)
            offers[row, after] = total
            top, chosen = -np.inf, -1
            for after in range(K):
                if offers[row, after] > top:
                    top, chosen = offers[row, after], after
            more = chosen >= 0
            if more:
                m = known[row]
                value[row, m], label[row, m], rank[row, m] = top, chosen, ranks[row, chosen]
                ranks[row, chosen] += 1
                known[row] = m + 1
        if not more:
            break
        values[found] = value[row_of[0, 0], found]
        j, m = 0, found
        for t in range(T):
            row = row_of[t, j]
            if m > 0:
                j, m = label[row, m], rank[row, m]
            else:
                j = first_label[t, j]
            labellings[found, t] = j
        found += 1
    return found
