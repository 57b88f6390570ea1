"""The forest of a sentence: the rules in place <A -> B C, s, m, e> of its trees, pruned by a coarse first pass.

Charniak and others, Multilevel coarse-to-fine PCFG parsing, 2006: items <A, s, e> that a simple model finds all
but impossible are left out. Here that model is the grammar with the relative frequencies of its rules. The rest is
a hypergraph (``structures.hypergraph``). On it, any other model of the same rules is trained and searched.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks, hypergraph
from structbench.algorithms.structures.grammar.chart import cell, posteriors
from structbench.algorithms.structures.grammar.rules import Grammar, num_rules, num_symbols

NEGLIGIBLE = 1e-6  # of a threshold: items less likely than this share of it pass nothing on
POSSIBLE = np.finfo(np.float64).tiny  # the least posterior probability that counts as possible


class RulesInPlace(NamedTuple):
    """A sentence's forest of m edges. The goal is one more node, which the rules for roots lead into.

    ``first``: int64 (nodes + 1,), ``tails``: int32 (m, 2), see ``structures.hypergraph``. ``rules``: int64 (m,),
    numbers of rules. ``begins``, ``splits``, ``ends``: int64 (m,), s, m and e of spans s .. e - 1 and m .. e - 1.
    A lexical rule and the rule of a root have the split -1.
    """

    first: np.ndarray
    tails: np.ndarray
    rules: np.ndarray
    begins: np.ndarray
    splits: np.ndarray
    ends: np.ndarray


class RightTree(NamedTuple):
    """A gold tree by its cells (``chart.cell``), int64 (cells,).

    ``symbols``: -1 where the tree has no symbol of the grammar. ``splits``: where the two children meet, -1 of a
    token.
    """

    symbols: np.ndarray
    splits: np.ndarray


def pruned(
    g: Grammar, p: np.ndarray, words: np.ndarray, threshold: float, right: RightTree | None = None
) -> RulesInPlace:
    """The rules in place that are at least as likely as ``threshold``, and those of the gold tree.

    Args:
        p: of the rules in the coarse pass, (rules,).
        words: terminals, (T,), -1 for one that no rule has.
        threshold: on posterior probabilities: first of items in the whole chart, then of rules in place in the
            forest of the remaining items. 0 keeps all that are in some tree of positive probability. It is lowered
            tenfold until a tree remains, if there is one.
        right: a tree to keep, as far as its symbols and rules are the grammar's.

    Raises:
        UserError: the sentence is empty, or a word or a number of the gold tree is out of range. A rule's
            probability is negative or no number. Or the gold tree and the sentence have different numbers of
            cells.
    """
    words = _checked(g, p, words, right)
    while True:
        log_z, likely = posteriors(g, p, words, NEGLIGIBLE * threshold)
        found = _above(g, p, words, threshold, right, likely)
        if log_z == -np.inf or len(found.rules) or threshold == 0.0:
            return found
        threshold /= 10


def _checked(g: Grammar, p: np.ndarray, words: np.ndarray, right: RightTree | None) -> np.ndarray:
    """The words, if they and the other arguments of ``pruned`` fit the grammar."""
    words = checks.integers("terminal", words, -1, len(g.lexical_starts) - 2, "word {}".format)
    if len(checks.finite("probability", p, "rule {}".format, 0.0)) != num_rules(g):
        raise UserError(f"there are {num_rules(g)} rules, but {len(p)} probabilities")
    if not len(words):
        raise UserError("a sentence to parse must have a word")
    if right is not None:
        cells = len(words) * (len(words) + 1) // 2
        if not len(right.symbols) == len(right.splits) == cells:
            found = f"{len(right.symbols)} symbols and {len(right.splits)} splits"
            raise UserError(f"the right tree of {len(words)} words has {cells} cells, but there are {found}")
        checks.integers("split", right.splits, -1, len(words), "cell {}".format)
        checks.integers("symbol", right.symbols, -1, num_symbols(g) - 1, "cell {}".format)
    return words


def _above(
    g: Grammar, p: np.ndarray, words: np.ndarray, threshold: float, right: RightTree | None, items: np.ndarray
) -> RulesInPlace:
    """As ``pruned``, but maybe without any tree; ``items`` are their posteriors."""
    threshold = max(threshold, POSSIBLE)
    keep = items >= threshold
    with np.errstate(divide="ignore"):
        theta = np.log(p)
    if right is not None:
        inside = np.flatnonzero(right.symbols >= 0)
        keep[inside, right.symbols[inside]] = True
    found = _sorted_rules(g, words.astype(np.int32), keep)
    coarse = _assembled(found, int(keep.sum()) + 1)
    b = np.empty(len(coarse.rules))
    hypergraph.marginals(coarse.first, coarse.tails, theta[coarse.rules], b)
    likely = b >= threshold
    if right is not None:
        likely |= right_rules(g, coarse, right)[1]
    heads = np.repeat(np.arange(len(coarse.first) - 1), np.diff(coarse.first))
    rows = np.column_stack([heads, coarse.tails, *coarse[2:]])
    return _assembled(rows[likely], len(coarse.first) - 1)


def right_rules(g: Grammar, found: RulesInPlace, right: RightTree) -> tuple[np.ndarray, np.ndarray]:
    """For each rule in place: whether the gold tree has its left side there, and whether it has the rule there."""
    T = length(len(right.symbols))
    sides = np.full((num_rules(g), 3), -1)
    sides[: len(g.binary)] = g.binary
    sides[len(g.binary) :, 0] = np.concatenate([g.lexical[:, 0], g.roots])
    A, B, C = sides[found.rules].T
    here = cell.python(T, found.begins, found.ends)
    spans_a = right.symbols[here] == A
    root = found.rules >= len(g.binary) + len(g.lexical)
    whole = spans_a & (root | (right.splits[here] == found.splits))
    pairs = np.flatnonzero(B >= 0)
    begin, middle, end = (each[pairs] for each in (found.begins, found.splits, found.ends))
    whole[pairs] &= right.symbols[cell.python(T, begin, middle)] == B[pairs]
    whole[pairs] &= right.symbols[cell.python(T, middle, end)] == C[pairs]
    return spans_a, whole


def length(cells: int) -> int:
    """The length of a sentence with this many cells."""
    return int((2 * cells) ** 0.5)


def _sorted_rules(g: Grammar, words: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """All rules in place between kept items, (cells, symbols): head, two tails, rule, s, m, e, sorted by head."""
    begins, ends = spans(len(words))
    cells, symbols = np.nonzero(keep)
    order = np.lexsort((symbols, begins[cells], (ends - begins)[cells]))
    node = np.full(keep.shape, -1, np.int32)
    node[cells[order], symbols[order]] = np.arange(len(order))
    starts = np.searchsorted(cells, np.arange(len(begins) + 1))
    found = np.empty((0, 7), np.int64)
    found = np.empty((_list_rules(g, words, node, starts, symbols, found), 7), np.int64)
    _list_rules(g, words, node, starts, symbols, found)
    return found[np.argsort(found[:, 0], kind="stable")]


def _assembled(rows: np.ndarray, nodes: int) -> RulesInPlace:
    """The forest of such rows, without nodes and edges that no derivation of the goal, the last node, has."""
    used = np.empty(len(rows), np.bool_)
    first = np.searchsorted(rows[:, 0], np.arange(nodes + 1))
    needed = hypergraph.in_derivations(first, rows[:, 1:3].astype(np.int32), used)[:-1]
    rows = rows[used]
    needed[-1] = True  # even without an edge into it
    number = np.append(np.cumsum(needed) - 1, -1)  # -1 for a missing tail
    first = np.searchsorted(number[rows[:, 0]], np.arange(number[-2] + 2))
    return RulesInPlace(first, number[rows[:, 1:3]].astype(np.int32), *rows[:, 3:].T.copy())


def spans(T: int) -> tuple[np.ndarray, np.ndarray]:
    """First token and end of each cell of a sentence of T tokens."""
    begins, ends = np.triu_indices(T)
    return begins, ends + 1


@kernel
def _list_rules(g, words, node, starts, symbols, out):
    """Fill rows of ``out``, while there is room: head, two tails, rule, s, m, e. Returns how many there are.

    The symbols kept in cell c are symbols[starts[c] : starts[c + 1]], which are the nodes node[c]. The goal is the
    node after the last.
    """
    T, count = words.shape[0], 0
    for s in range(T):
        if words[s] >= 0:
            for r in range(g.lexical_starts[words[s]], g.lexical_starts[words[s] + 1]):
                head = node[cell(T, s, s + 1), g.lexical[r, 0]]
                if head >= 0:
                    _write(out, count, head, -1, -1, g.binary.shape[0] + r, s, -1, s + 1)
                    count += 1
        for e in range(s + 2, T + 1):
            here = cell(T, s, e)
            if starts[here] == starts[here + 1]:
                continue
            parents = node[here]
            for m in range(s + 1, e):
                left, right = cell(T, s, m), cell(T, m, e)
                for k in range(starts[left], starts[left + 1]):
                    b = symbols[k]
                    for r in range(g.left_starts[b], g.left_starts[b + 1]):
                        head, other = parents[g.binary[r, 0]], node[right, g.binary[r, 2]]
                        if head >= 0 and other >= 0:
                            _write(out, count, head, node[left, b], other, r, s, m, e)
                            count += 1
    for r in range(g.roots.shape[0]):
        tail = node[cell(T, 0, T), g.roots[r]]
        if tail >= 0:
            number = g.binary.shape[0] + g.lexical.shape[0] + r
            _write(out, count, symbols.shape[0], tail, -1, number, 0, -1, T)
            count += 1
    return count


@kernel
def _write(out, count, head, left, right, rule, s, m, e):
    if count < out.shape[0]:
        row = out[count]
        row[0], row[1], row[2], row[3], row[4], row[5], row[6] = head, left, right, rule, s, m, e
