"""Rules of a context-free grammar in Chomsky normal form, and their relative frequencies.

eg2004, Example 2: all rules are <A -> B C> or <A -> a>. There are no unary rules between symbols: a chain of them
is a symbol of its own (``datasets.constituency.binarised``). Rules also say which symbols a sentence may have, so
that each has a weight: <ROOT -> A>.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, LabelRows, Labels, frozen
from structbench.algorithms.structures import checks


class Grammar(NamedTuple):
    """Rules are numbered: first the binary rules, then the lexical rules, then the roots.

    ``binary``: int32 (binary rules, 3), rows A, B, C sorted by B, C, A. Those with left child B are left_starts[B]
    .. left_starts[B + 1] - 1. ``lexical``: int32 (lexical rules, 2), rows A, a sorted by a. Those of terminal a
    begin at lexical_starts[a]. ``roots``: int32 (roots,), rising.
    """

    binary: LabelRows
    left_starts: Ints
    lexical: LabelRows
    lexical_starts: Ints
    roots: Labels


def build(
    binary: np.ndarray, lexical: np.ndarray, roots: np.ndarray, num_symbols: int, num_terminals: int
) -> Grammar:
    """The grammar with these rules, in any order and with any repeats.

    Raises:
        UserError: a symbol or terminal is out of range, or rules have other lengths.
    """
    binary, lexical = checks.matrix("binary rules", binary, 3), checks.matrix("lexical rules", lexical, 2)
    for which, symbols in (("binary", binary.T), ("lexical", lexical.T[:1]), ("root", [roots])):
        for column in symbols:
            checks.integers("symbol", column, 0, num_symbols - 1, f"{which} rule {{}}".format)
    checks.integers("terminal", lexical[:, 1], 0, num_terminals - 1, "lexical rule {}".format)
    binary = np.unique(binary[:, [1, 2, 0]], axis=0)[:, [2, 0, 1]]
    lexical = np.unique(lexical[:, [1, 0]], axis=0)[:, [1, 0]]
    roots = np.unique(roots)
    left_starts = np.searchsorted(binary[:, 1], np.arange(num_symbols + 1))
    lexical_starts = np.searchsorted(lexical[:, 1], np.arange(num_terminals + 1))
    return Grammar(
        frozen(binary, np.int32),
        frozen(left_starts, np.int64),
        frozen(lexical, np.int32),
        frozen(lexical_starts, np.int64),
        frozen(roots, np.int32),
    )


def num_rules(g: Grammar) -> int:
    """Number of binary rules, lexical rules and roots."""
    return len(g.binary) + len(g.lexical) + len(g.roots)


def num_symbols(g: Grammar) -> int:
    """Number of symbols, without terminals."""
    return len(g.left_starts) - 1


def left_sides(g: Grammar) -> np.ndarray:
    """The symbol that each rule rewrites, (rules,); for roots one more than the last symbol."""
    return np.concatenate([g.binary[:, 0], g.lexical[:, 0], np.full(len(g.roots), num_symbols(g))])


def relative_frequencies(g: Grammar, counts: np.ndarray) -> np.ndarray:
    """p(rule | its left side), (rules,), from counts: maximum likelihood, 0 for left sides without counts."""
    left = left_sides(g)
    totals = np.bincount(left, counts, minlength=num_symbols(g) + 1)[left]
    return np.divide(counts, totals, out=np.zeros(len(left)), where=totals > 0)


def rule_numbers(g: Grammar, binary: np.ndarray, lexical: np.ndarray, roots: np.ndarray) -> np.ndarray:
    """The numbers of binary rules (rows A, B, C), lexical rules (rows A, a) and roots, in turn; -1: unknown."""
    known = {tuple(rule): number for number, rule in enumerate(g.binary.tolist())}
    first = len(known)
    known |= {tuple(rule): first + number for number, rule in enumerate(g.lexical.tolist())}
    first = len(known)
    known |= {(symbol,): first + number for number, symbol in enumerate(g.roots.tolist())}
    asked = [*np.reshape(binary, (-1, 3)).tolist(), *np.reshape(lexical, (-1, 2)).tolist()]
    asked += [[symbol] for symbol in np.asarray(roots).tolist()]
    return np.array([known.get(tuple(rule), -1) for rule in asked], np.int64)
