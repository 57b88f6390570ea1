"""The grammar of a treebank: the symbols and rules of its binarised trees, counted."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures.grammar import rules
from structbench.algorithms.structures.grammar.chart import cell
from structbench.algorithms.structures.grammar.forests import RightTree
from structbench.datasets.constituency.binarised import Pair, Symbol, Word


class TreebankGrammar(NamedTuple):
    """Symbols and terminals (parts of speech) by number, rules, and p(rule | its left side), (rules,)."""

    symbols: dict[Symbol, int]
    terminals: dict[str, int]
    rules: rules.Grammar
    frequencies: np.ndarray


class Positions(NamedTuple):
    """A binarised tree in its place.

    nodes: (symbol, begin, split, end) of each, the split of a word being -1. tags: of the words.
    """

    nodes: list[tuple[Symbol, int, int, int]]
    tags: list[str]


def positions(tree: Pair | Word) -> Positions:
    """Where the nodes of a tree are; children come before their parents."""
    found = Positions([], [])
    _place(tree, found)
    return found


def _place(tree: Pair | Word, found: Positions) -> tuple[int, int]:
    if isinstance(tree, Word):
        found.tags.append(tree.leaf.tag)
        begin, split, end = len(found.tags) - 1, -1, len(found.tags)
    else:
        begin, split = _place(tree.left, found)
        end = _place(tree.right, found)[1]
    found.nodes.append((tree.symbol, begin, split, end))
    return begin, end


def grammar(trees: Sequence[Pair | Word]) -> TreebankGrammar:
    """All rules of the trees; symbols and terminals are numbered in the order in which they appear."""
    symbols: dict[Symbol, int] = {}
    terminals: dict[str, int] = {}
    binary, lexical, roots = [], [], []

    def visit(tree: Pair | Word) -> int:
        number = symbols.setdefault(tree.symbol, len(symbols))
        if isinstance(tree, Word):
            lexical.append((number, terminals.setdefault(tree.leaf.tag, len(terminals))))
        else:
            binary.append((number, visit(tree.left), visit(tree.right)))
        return number

    for tree in trees:
        roots.append(visit(tree))
    found = rules.build(np.array(binary), np.array(lexical), np.array(roots), len(symbols), len(terminals))
    used = rules.rule_numbers(found, np.array(binary), np.array(lexical), np.array(roots))
    counts = np.bincount(used, minlength=rules.num_rules(found))
    return TreebankGrammar(symbols, terminals, found, rules.relative_frequencies(found, counts))


def written_grammar(g: TreebankGrammar) -> dict[str, list | np.ndarray]:
    """The grammar, in the form in which it is stored."""
    return {
        "symbols": [*g.symbols],
        "terminals": [*g.terminals],
        "binary": g.rules.binary,
        "lexical": g.rules.lexical,
        "roots": g.rules.roots,
        "frequencies": g.frequencies,
    }


def read_grammar(stored: dict[str, Any]) -> TreebankGrammar:
    """What ``written_grammar`` stored."""
    symbols = {
        Symbol(tuple(chain), tag, partial, tuple(context)): k
        for k, (chain, tag, partial, context) in enumerate(stored["symbols"])
    }
    terminals = {tag: k for k, tag in enumerate(stored["terminals"])}
    binary, lexical, roots = (stored[name] for name in ("binary", "lexical", "roots"))
    found = rules.build(binary, lexical, roots, len(symbols), len(terminals))
    return TreebankGrammar(symbols, terminals, found, stored["frequencies"])


def right_tree(placed: Positions, g: TreebankGrammar) -> RightTree:
    """The tree by its cells."""
    T = len(placed.tags)
    symbols, splits = np.full((2, T * (T + 1) // 2), -1)
    for symbol, begin, split, end in placed.nodes:
        symbols[cell.python(T, begin, end)] = g.symbols.get(symbol, -1)
        splits[cell.python(T, begin, end)] = split
    return RightTree(symbols, splits)
