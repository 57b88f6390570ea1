"""Clique marginals and log Z by an upward and a downward pass on a clique tree (Shafer and Shenoy 1990).

A table holds plain numbers, scaled by the largest; messages are logarithms. A number below 1e-307 becomes 0. That
changes nothing if the sum of its row is ``LEAST`` or more; else the row is computed again from logarithms. The
downward pass multiplies each row by the probability of its labels over its sum. It needs no logarithms and no
differences.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, exp_or_zero, finite_top, log, normalise
from structbench.algorithms.structures.clique_tree import layout as ct
from structbench.algorithms.structures.clique_tree.edges import block_of, oriented, scores_of_row

LEAST = 1e-200


@kernel
def marginals(t, nodes, transitions, blocks, cells, shares):
    """The probabilities of all cells of all tables, and of the labels of all nodes (T, K); returns log Z.

    nodes: scores, (T, K), in the graph's order. If all labellings are forbidden, log Z is minus infinity, and all
    probabilities are 0.
    """
    scores, observed = oriented(t, transitions, blocks), blocks.shape[0] > 0
    factors, tops = _factors(t, scores)
    totals, own = np.empty(ct.num_rows(t)), np.empty(nodes.shape)
    filled = np.zeros(nodes.shape[0], np.bool_)
    log_z = _upwards(t, nodes, scores, factors, tops, observed, own, filled, cells, totals)
    shares[:] = 0.0
    if log_z == -np.inf:
        cells[:] = 0.0
    else:
        _downwards(t, factors, observed, own, filled, totals, cells, shares)
    return log_z


@kernel
def _factors(t, scores):
    """exp of the scores of each block less the largest; and these."""
    observed = scores.blocks.shape[0] > 0
    factors = np.empty(scores.blocks.shape if observed else scores.tied.shape)
    rows, tops = factors.reshape((factors.shape[0], -1)), np.empty(factors.shape[0])
    tied = scores.tied.reshape((scores.tied.shape[0], -1))
    if observed:
        blocks = scores.blocks.reshape(rows.shape)
        for e in range(t.nodes[0, ct.EDGE], t.nodes[ct.size(t), ct.EDGE]):
            b, kind = t.edges[e, ct.BLOCK], t.edges[e, ct.KIND]
            for at in range(rows.shape[1]):
                rows[b, at] = tied[kind, at] + blocks[b, at]
    else:
        copy_to(tied, rows)
    for b in range(rows.shape[0]):
        tops[b] = _to_exp(rows[b])
    return factors, tops


@kernel(inline=True)
def _to_exp(block):
    a = b = c = d = -np.inf
    whole = block.shape[0] // 4 * 4
    for at in range(0, whole, 4):  # four numbers that do not wait for each other
        a = block[at] if block[at] > a else a
        b = block[at + 1] if block[at + 1] > b else b
        c = block[at + 2] if block[at + 2] > c else c
        d = block[at + 3] if block[at + 3] > d else d
    for at in range(whole, block.shape[0]):
        a = block[at] if block[at] > a else a
    top = max(max(a, b), max(c, d))
    top = 0.0 if top == -np.inf else top
    for at in range(block.shape[0]):
        block[at] = exp_or_zero(block[at] - top)
    return top


@kernel
def _upwards(t, nodes, scores, factors, tops, observed, own, filled, cells, totals):
    """The sums of the rows of tables, each up to a factor; returns log Z.

    own: exp of what is sent to each node alone, its own scores included, up to a factor. filled: the nodes whose
    tables hold their rows. For other nodes, rows are the product of ``own`` and the factor of the only edge.
    """
    T, K = nodes.shape
    beliefs = np.empty((T, K))  # the logarithms of ``own``
    for p in range(T):
        for k in range(K):
            beliefs[p, k] = nodes[t.nodes[p, ct.ORDER], k]
    logs, plain, scales = np.empty(totals.shape[0]), np.empty(totals.shape[0]), np.empty(T)
    log_z = 0.0
    for p in range(T):
        first, last = ct.first_row(t, p), ct.first_row(t, p + 1)
        top = beliefs[p, 0]
        for k in range(1, t.nodes[p, ct.COUNT]):
            top = max(top, beliefs[p, k])
        top = 0.0 if top == -np.inf else top
        for k in range(t.nodes[p, ct.COUNT]):
            own[p, k] = exp_or_zero(beliefs[p, k] - top)
        if ct.has_one_factor(t, p):
            b = block_of(t, t.nodes[p, ct.EDGE], observed)
            top += tops[b]
            _sums_of_rows(factors, b, own, p, t.nodes[p, ct.COUNT], totals, first, last)
        else:
            filled[p] = True
            top += _all_factors(t, p, factors, tops, observed, plain, scales, own[p], cells, totals)
        lost = 0
        for row in range(first, last):
            logs[row] = log(totals[row]) + top
            lost += 0 if totals[row] >= LEAST else 1
        if lost > 0:
            if not filled[p]:
                filled[p] = True
                _all_factors(t, p, factors, tops, observed, plain, scales, own[p], cells, totals)
            _from_logarithms(t, p, beliefs, scores, logs, cells, totals)
        if ct.width(t, p) == 0:
            log_z += logs[first]
        elif ct.width(t, p) == 1:
            u = ct.above(t, p)
            for row in range(last - first):
                beliefs[u, row] += logs[first + row]
        else:
            scales[p] = finite_top(logs[first:last])
            for row in range(first, last):
                plain[row] = exp_or_zero(logs[row] - scales[p])
    return log_z


@kernel(fastmath={"reassoc"}, inline=True)
def _sums_of_rows(factors, b, own, p, count, totals, first, last):
    """The sums of the rows of the table of a node with one edge."""
    for row in range(last - first):
        total = 0.0
        for k in range(count):
            total += factors[b, row, k] * own[p, k]
        totals[first + row] = total


@kernel(fastmath={"reassoc"})
def _all_factors(t, p, factors, tops, observed, plain, scales, own, cells, totals):
    """The table of any node, and the sums of its rows; returns the logarithm that the factors are scaled by."""
    here, total = ct.table(t, p, cells), ct.message(t, p, totals)
    places, K, scaled = np.empty(here.shape[0], np.int64), factors.shape[1], 0.0
    for row in range(here.shape[0]):
        for k in range(here.shape[1]):
            here[row, k] = own[k]
    for e in range(t.nodes[p, ct.EDGE], t.nodes[p + 1, ct.EDGE]):
        ct.places_in_edge(t, p, e, K, places)
        ct.multiply(factors[block_of(t, e, observed)].reshape(K * K), places, here)
        scaled += tops[block_of(t, e, observed)]
    q = t.nodes[p, ct.CHILD]
    while q != ct.NONE:
        ct.places_in_message(t, p, q, places)
        ct.multiply(ct.message(t, q, plain), places, here)
        scaled += scales[q]
        q = t.nodes[q, ct.SIBLING]
    for row in range(here.shape[0]):
        of_row = 0.0
        for k in range(here.shape[1]):
            of_row += here[row, k]
        total[row] = of_row
    return scaled


@kernel
def _from_logarithms(t, p, beliefs, scores, logs, cells, totals):
    """Compute the rows of p again whose sum is below ``LEAST``."""
    here, total, sent = ct.table(t, p, cells), ct.message(t, p, totals), ct.message(t, p, logs)
    labels = np.zeros(ct.size(t), np.int64)
    for row in range(total.shape[0]):
        if total[row] >= LEAST:
            continue
        left = row
        for at in range(t.nodes[p, ct.SEPARATOR], t.nodes[p + 1, ct.SEPARATOR]):
            u = t.separators[at]
            labels[u] = left % t.nodes[u, ct.COUNT]
            left //= t.nodes[u, ct.COUNT]
        scores_of_row(t, p, labels, beliefs, scores, logs, here[row])
        sent[row] = normalise(here[row])
        total[row] = 0.0 if sent[row] == -np.inf else 1.0


@kernel
def _downwards(t, factors, observed, own, filled, totals, cells, shares):
    """From rows of tables to probabilities."""
    T = ct.size(t)
    places, reached = np.empty(ct.max_rows(t), np.int64), np.empty(ct.max_rows(t))
    for p in range(T - 1, -1, -1):
        first = ct.first_row(t, p)
        rows, n = ct.first_row(t, p + 1) - first, np.uint64(t.nodes[p, ct.COUNT])
        if ct.width(t, p) == 0:
            reached[0] = 1.0
        elif ct.width(t, p) == 1:
            u = ct.above(t, p)
            for row in range(rows):
                reached[row] = shares[u, row]
        else:
            reached[:rows] = 0.0
            ct.places_in_message(t, ct.above(t, p), p, places)
            ct.add_up(ct.table(t, ct.above(t, p), cells), places, reached)
        b = 0 if filled[p] else block_of(t, t.nodes[p, ct.EDGE], observed)
        for row in range(rows):
            total = totals[first + row]
            share = reached[row] / total if total != 0.0 else 0.0
            at = ct.first_cell(t, p) + row * n
            if filled[p]:
                for k in range(n):
                    x = cells[at + k] * share
                    cells[at + k] = x
                    shares[p, k] += x
            else:
                for k in range(n):
                    x = factors[b, row, k] * own[p, k] * share
                    cells[at + k] = x
                    shares[p, k] += x
