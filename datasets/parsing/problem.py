"""Parsing as a problem: pruned forests of sentences under the grammar of the training trees.

Outputs are binarised trees, parts their rules in place, single decisions the spans of a sentence: the label of a
span is the chain of constituents over it ("S+VP"), or 0, ``none``, where there is none. The loss counts nodes of
the binarised tree that the right one has not (eg2004, Example 2). Parts of speech are given.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.runtime.errors import UserError
from algorithms.structures.forest.model import Derivations, Forest, build
from algorithms.structures.grammar import forests
from algorithms.structures.grammar.chart import cell
from algorithms.structures.grammar.forests import RightTree, RulesInPlace
from algorithms.structures.grammar.rules import num_rules
from datasets.parsing import edge_features
from datasets.parsing.binarised import Factor, Pair, Word, binarised
from datasets.parsing.treebank_grammar import TreebankGrammar, grammar, positions, right_tree
from datasets.problems.problem import Brackets, Problem
from datasets.text.trees import Leaf, Node, leaves

NONE = "none"
LONGEST = 100  # tokens: the chart of the coarse pass has T^2 / 2 rows
PUNCTUATION = frozenset([",", ":", "``", "''", "."])  # what evalb's COLLINS.prm leaves out


class Options(NamedTuple):
    """How trees are binarised (``binarised``) and forests pruned: below which posterior an item is left out."""

    factor: Factor = "right"
    horizontal: int = 0
    vertical: int = 1
    prune: float = 1e-4


class _Sentence(NamedTuple):
    tokens: list[Leaf]
    tree: Pair | Word


def parsing_problem(train: Sequence[Node], test: Sequence[Node] | None, options: Options, owner: str) -> Problem:
    """The problem of training trees and, maybe, test trees, all of them cleaned.

    Every right tree of the training data is in its forest; of test sentences it need not be, and there need not be
    any tree at all: then nothing is predicted.

    Raises:
        UserError: an option is out of range, a sentence is too long for a chart, or no tree has two words.
    """
    _check(options, owner)
    learn = [_sentence(tree, options, owner) for tree in train]
    evaluate = None if test is None else [_sentence(tree, options, owner) for tree in test]
    g = grammar([each.tree for each in learn])
    labels = _labels(learn, evaluate or ())
    known = edge_features.vocabulary([each.tokens for each in learn])
    found, edges, tokens = _forests(learn, g, options.prune, labels, known, learned=True)
    gold = np.concatenate([each.gold for each in found]).astype(bool)
    chosen = edge_features.columns(edges, gold, tokens, known, num_rules(g.rules))
    split = build(edge_features.features(edges, tokens, known, chosen), found)
    second = None if evaluate is None else _test(evaluate, g, options.prune, labels, known, chosen)
    counted = Brackets(_counted_spans(learn), None if evaluate is None else _counted_spans(evaluate))
    return Problem(split, second, tuple(labels), brackets=counted)


def no_longer(trees: Iterable[Node], max_length: int, owner: str) -> list[Node]:
    """The trees of at most so many tokens.

    Raises:
        UserError: there are none, or there cannot be charts for such.
    """
    if not 1 <= max_length <= LONGEST:
        raise UserError(f"{owner}: max_length must lie in 1 .. {LONGEST}, not {max_length}")
    found = [tree for tree in trees if sum(1 for _ in leaves(tree)) <= max_length]
    if not found:
        raise UserError(f"{owner} has no sentences of at most {max_length} tokens")
    return found


def _check(options: Options, owner: str) -> None:
    if options.horizontal < 0:
        raise UserError(f"{owner}: horizontal must be 0 or more, not {options.horizontal}")
    if options.vertical < 1:
        raise UserError(f"{owner}: vertical must be 1 or more, not {options.vertical}")
    if not 0 <= options.prune < 1:
        raise UserError(f"{owner}: prune must be a probability below 1, not {options.prune:g}")


def _sentence(tree: Node, options: Options, owner: str) -> _Sentence:
    tokens = list(leaves(tree))
    if len(tokens) > LONGEST:
        raise UserError(
            f"{owner}: a sentence has {len(tokens)} tokens: expected at most {LONGEST}, see max_length"
        )
    return _Sentence(tokens, binarised(tree, options.factor, options.horizontal, options.vertical))


def _labels(*splits: Sequence[_Sentence]) -> dict[str, int]:
    """Numbers of chains of constituents, those of the training trees before those that only test trees have."""
    labels = {NONE: 0}
    for split in splits:
        names = {
            _label(symbol) for sentence in split for symbol, *_ in positions(sentence.tree).nodes
        } - labels.keys()
        labels |= {name: len(labels) + k for k, name in enumerate(sorted(names))}
    return labels


def _label(symbol) -> str:
    return NONE if symbol.partial or not symbol.chain else "+".join(symbol.chain)


def _test(evaluate, g, prune, labels, known, chosen) -> Forest:
    found, edges, tokens = _forests(evaluate, g, prune, labels, known, learned=False)
    return build(edge_features.features(edges, tokens, known, chosen), found)


def _forests(
    sentences: Sequence[_Sentence],
    g: TreebankGrammar,
    prune: float,
    labels: dict[str, int],
    known: edge_features.Vocabulary,
    learned: bool,
) -> tuple[list[Derivations], edge_features.Edges, edge_features.Tokens]:
    """Forests, all their edges one after another, and the tokens; right trees are added if ``learned``."""
    tokens = edge_features.numbered([each.tokens for each in sentences], known)
    label_of = np.array([*(labels[_label(symbol)] for symbol in g.symbols), 0])  # the last is for roots
    sides = np.append(_sides(g), -1)
    left = np.concatenate([g.rules.binary[:, 0], g.rules.lexical[:, 0], np.full(len(g.rules.roots), -1)])
    kind = np.repeat([0, 1, 2], [len(g.rules.binary), len(g.rules.lexical), len(g.rules.roots)])
    found, edges = [], []
    for sentence, start in zip(sentences, tokens.starts, strict=True):
        terminals = np.array([g.terminals.get(leaf.tag, -1) for leaf in sentence.tokens])
        placed = positions(sentence.tree)
        tree = right_tree(placed, g)
        packed = forests.pruned(g.rules, g.frequencies, terminals, prune, tree if learned else None)
        given = label_of[left[packed.rules]]
        right = _right(placed, labels)
        found.append(_derivations(packed, g, tree, given, right))
        at = (each + start for each in (packed.begins, packed.splits, packed.ends))
        edges.append(edge_features.Edges(packed.rules, sides[left[packed.rules]], *at, kind[packed.rules]))
    joined = (np.concatenate(each) for each in zip(*edges, strict=True))
    return found, edge_features.Edges(*joined), tokens


def _sides(g: TreebankGrammar) -> np.ndarray:
    """A number for each symbol, the same for those that differ in their context only."""
    known: dict[tuple, int] = {}
    return np.array([known.setdefault((s.chain, s.tag, s.partial), len(known)) for s in g.symbols])


def _right(placed, labels: dict[str, int]) -> np.ndarray:
    T = len(placed.tags)
    right = np.zeros(T * (T + 1) // 2, np.int32)
    for symbol, begin, _, end in placed.nodes:
        right[cell.python(T, begin, end)] = labels[_label(symbol)]
    return right


def _derivations(packed: RulesInPlace, g: TreebankGrammar, tree: RightTree, given, right) -> Derivations:
    """Loss, gold flag, decision and label of each edge."""
    spans_it, gold = forests.right_rules(g.rules, packed, tree)
    root = packed.rules >= len(g.rules.binary) + len(g.rules.lexical)
    losses = np.where(root, 0.0, ~spans_it)
    here = cell.python(forests.length(len(right)), packed.begins, packed.ends)
    return Derivations(packed.first, packed.tails, losses, gold, np.where(given > 0, here, -1), given, right)


def _counted_spans(sentences: Sequence[_Sentence]) -> np.ndarray:
    """Of each span the number of the cell that is left without punctuation, -1 if nothing is."""
    found = []
    for sentence in sentences:
        kept = np.cumsum([0, *(leaf.tag not in PUNCTUATION for leaf in sentence.tokens)])
        begins, ends = (kept[each] for each in forests.spans(len(sentence.tokens)))
        found.append(np.where(ends > begins, cell.python(int(kept[-1]), begins, ends), -1))
    return np.concatenate(found).astype(np.int32)
