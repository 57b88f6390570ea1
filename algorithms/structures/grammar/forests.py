"""The forest of a sentence: the rules in place <A -> B C, s, m, e> of its trees, pruned by a first coarse pass.

Charniak and others, Multilevel coarse-to-fine PCFG parsing, 2006: items <A, s, e> that a simple model finds all
but impossible are left out. Here that model is the grammar with the relative frequencies of its rules; what is
left is a hypergraph (``structures.hypergraph``), on which any other model of the same rules is trained and
searched.
"""

from typing import NamedTuple

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.structures.grammar.chart import cell, log_posteriors
from algorithms.structures.grammar.rules import Grammar


class RulesInPlace(NamedTuple):
    """A sentence's forest of m edges; the goal is one node more, into which lead the rules for roots.

    first: int64 (nodes + 1,), tails: int32 (m, 2), see ``structures.hypergraph``. rules: int64 (m,), numbers of
    rules. begins, splits, ends: int64 (m,), s, m and e of spans s .. e - 1 and m .. e - 1; a lexical rule and that
    of a root have the split -1.
    """

    first: np.ndarray
    tails: np.ndarray
    rules: np.ndarray
    begins: np.ndarray
    splits: np.ndarray
    ends: np.ndarray


def pruned(
    g: Grammar, p: np.ndarray, words: np.ndarray, threshold: float, right: np.ndarray | None = None
) -> RulesInPlace:
    """The rules in place between items that are more likely than ``threshold``, or are in the right tree.

    Args:
        p: of the rules in the coarse pass, (rules,).
        words: terminals, (T,), -1 for one that no rule has.
        threshold: on an item's posterior probability; 0 keeps all items that are in some tree.
        right: the right symbol of each cell (``chart.cell``), -1 where the right tree has none.
    """
    _, logs = log_posteriors(g, p, words)
    with np.errstate(divide="ignore"):
        keep = logs > np.log(threshold)
    if right is not None:
        inside = np.flatnonzero(right >= 0)
        keep[inside, right[inside]] = True
    return _assembled(g, words, keep)


def _assembled(g: Grammar, words: np.ndarray, keep: np.ndarray) -> RulesInPlace:
    """All rules in place between items that are kept, (cells, symbols), but those that no tree has."""
    T = len(words)
    begins, ends = spans(T)
    cells, symbols = np.nonzero(keep)
    order = np.lexsort((symbols, begins[cells], (ends - begins)[cells]))
    node = np.full(keep.shape, -1, np.int32)
    node[cells[order], symbols[order]] = np.arange(len(order))
    starts = np.searchsorted(cells, np.arange(len(begins) + 1))
    words = words.astype(np.int32)
    size = _list_rules(g, words, node, starts, symbols, np.empty((0, 7), np.int64))
    found = np.empty((size, 7), np.int64)
    _list_rules(g, words, node, starts, symbols, found)
    found = found[np.argsort(found[:, 0], kind="stable")]
    nodes = len(order) + 1
    needed = np.zeros(nodes, np.bool_)
    found = found[_in_trees(found, needed)]
    needed[-1] = True  # the goal, even where nothing leads there
    number = np.append(np.cumsum(needed) - 1, -1)  # of a tail that is not there -1
    first = np.searchsorted(number[found[:, 0]], np.arange(number[-2] + 2))
    return RulesInPlace(first, number[found[:, 1:3]].astype(np.int32), *found[:, 3:].T.copy())


def spans(T: int) -> tuple[np.ndarray, np.ndarray]:
    """First token and end of each cell of a sentence of T tokens."""
    begins, ends = np.triu_indices(T)
    return begins, ends + 1


@kernel
def _list_rules(g, words, node, starts, symbols, out):
    """Rows of ``out``, as far as there is room: head, two tails, rule, s, m, e; returns how many there are.

    The symbols kept in cell c are symbols[starts[c] : starts[c + 1]], which are the nodes node[c]; the goal is the
    node after the last.
    """
    T, count = words.shape[0], 0
    room = out.shape[0] > 0
    for s in range(T):
        if words[s] >= 0:
            for r in range(g.lexical_starts[words[s]], g.lexical_starts[words[s] + 1]):
                head = node[cell(T, s, s + 1), g.lexical[r, 0]]
                if head >= 0:
                    if room:
                        _write(out[count], head, -1, -1, g.binary.shape[0] + r, s, -1, s + 1)
                    count += 1
        for e in range(s + 2, T + 1):
            parents = node[cell(T, s, e)]
            for m in range(s + 1, e):
                left, right = cell(T, s, m), cell(T, m, e)
                for k in range(starts[left], starts[left + 1]):
                    b = symbols[k]
                    for r in range(g.left_starts[b], g.left_starts[b + 1]):
                        head, other = parents[g.binary[r, 0]], node[right, g.binary[r, 2]]
                        if head >= 0 and other >= 0:
                            if room:
                                _write(out[count], head, node[left, b], other, r, s, m, e)
                            count += 1
    for r in range(g.roots.shape[0]):
        tail = node[cell(T, 0, T), g.roots[r]]
        if tail >= 0:
            if room:
                number = g.binary.shape[0] + g.lexical.shape[0] + r
                _write(out[count], symbols.shape[0], tail, -1, number, 0, -1, T)
            count += 1
    return count


@kernel
def _write(row, head, left, right, rule, s, m, e):
    row[0], row[1], row[2], row[3], row[4], row[5], row[6] = head, left, right, rule, s, m, e


@kernel
def _in_trees(edges, needed):
    """Which edges (head, two tails, ...), sorted by head, some derivation of the last node has; its nodes."""
    nodes = needed.shape[0]
    built = np.zeros(nodes + 1, np.bool_)
    built[nodes] = True  # where the index -1 of a tail that is not there leads
    for k in range(edges.shape[0]):
        if built[edges[k, 1]] and built[edges[k, 2]]:
            built[edges[k, 0]] = True
    needed[nodes - 1] = built[nodes - 1]
    used = np.zeros(edges.shape[0], np.bool_)
    for k in range(edges.shape[0] - 1, -1, -1):
        used[k] = needed[edges[k, 0]] and built[edges[k, 1]] and built[edges[k, 2]]
        for tail in edges[k, 1:3]:
            if used[k] and tail >= 0:
                needed[tail] = True
    return used
