"""Parsing as a problem: pruned forests of sentences under the grammar of the training trees.

Outputs are binarised trees. Parts are their rules in place. Decisions are the spans of a sentence. The label of a
span is the chain of constituents over it ("S+VP"), or 0, ``none``. The cost counts nodes of the binarised tree
that the gold tree lacks (eg2004, Example 2). Parts of speech are given.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.forest.model import Derivations, Forest, build
from structbench.algorithms.structures.grammar import forests
from structbench.algorithms.structures.grammar.chart import cell
from structbench.algorithms.structures.grammar.rules import left_sides, num_rules
from structbench.datasets.constituency import edge_features, spans
from structbench.datasets.constituency.binarised import DEFAULTS, Options, Pair, Word, binarised
from structbench.datasets.constituency.treebank_grammar import (
    Positions,
    TreebankGrammar,
    grammar,
    positions,
    read_grammar,
    right_tree,
    written_grammar,
)
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import brackets
from structbench.datasets.text.lines import decode
from structbench.datasets.text.trees import Leaf, Node, leaves

LONGEST = 100  # tokens: the chart of the coarse pass has T^2 / 2 rows
MaxLength = Annotated[int, ">= 1", f"<= {LONGEST}"]


class _Sentence(NamedTuple):
    tokens: list[Leaf]
    tree: Pair | Word | None  # None of new sentences
    placed: Positions


class _Packed(NamedTuple):
    """A sentence's forest, and its gold tree by cells."""

    forest: forests.RulesInPlace
    tree: forests.RightTree


class _Forests(NamedTuple):
    """Of all sentences of a split, their edges one after another."""

    examples: list[Derivations]
    edges: edge_features.Edges
    tokens: edge_features.Tokens


def parsing_problem(
    train: Sequence[Node],
    test: Sequence[Node] | None,
    options: Options = DEFAULTS,
    validation: Sequence[Node] | None = None,
) -> Problem:
    """The problem of training trees and, maybe, test trees and validation trees, all of them cleaned.

    Every gold tree of the training data is in its forest. The forest of another sentence may lack the gold tree,
    or have no tree at all: then nothing is predicted.
    """

    def sentence(tree: Node) -> _Sentence:
        found = binarised(tree, options)
        return _Sentence(list(leaves(tree)), found, positions(found))

    learn, *others = ([*map(sentence, each or ())] for each in (train, validation, test))
    g = grammar([each.tree for each in learn if each.tree])
    labels = spans.numbered(*([each.placed for each in split] for split in (learn, *others)))
    known = edge_features.vocabulary([each.tokens for each in learn])
    found = _forests(learn, g, options.prune, labels, known, learned=True)
    gold = np.concatenate([each.gold for each in found.examples])
    chosen = edge_features.columns(found.edges, gold, found.tokens, known, num_rules(g.rules))
    made = [
        _split(_forests(each, g, options.prune, labels, known, learned=False), g, known, chosen) if each else None
        for each in others
    ]
    counted = spans.without_punctuation(each.tokens for each in chain(learn, *others))
    vocabulary = {**written_grammar(g), **edge_features.as_stored(known, chosen), "prune": np.array(options.prune)}
    splits = {"train": _split(found, g, known, chosen), "validation": made[0], "test": made[1]}
    return Problem(labels=tuple(labels), brackets=counted, vocabulary=vocabulary, **splits)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, **_: Any) -> Unlabelled:
    """New sentences for a model of ``parsing_problem``: trees in brackets, of which only the tokens are read.

    Raises:
        UserError: Brackets are wrong, or a sentence is too long or has no words.
    """
    tokens = []
    for number, tree in enumerate(brackets.read_brackets(decode(content, source), source), 1):
        kept = brackets.cleaned(tree)
        tokens.append(list(leaves(kept)) if kept else [])
        if not 1 <= (count := len(tokens[-1])) <= LONGEST:
            raise UserError(f"{source}, tree {number}: expected 1 to {LONGEST} words beside traces, found {count}")
    g, (known, chosen) = read_grammar(vocabulary), edge_features.from_stored(vocabulary)
    sentences = [_Sentence(each, None, Positions([], [leaf.tag for leaf in each])) for each in tokens]
    numbers = {label: k for k, label in enumerate(labels)}
    found = _forests(sentences, g, float(vocabulary["prune"]), numbers, known, learned=False)
    unknown = [each._replace(right=np.full_like(each.right, -1)) for each in found.examples]

    def labelled(i: int, decisions: np.ndarray) -> list[str]:
        return [brackets.written(spans.tree(tokens[i], [labels[k] for k in decisions.tolist()]))]

    split = _split(found._replace(examples=unknown), g, known, chosen)
    return Unlabelled(split, [""] * len(tokens), [""] * len(tokens), labelled=labelled, single=True)


def _split(
    found: _Forests, g: TreebankGrammar, known: edge_features.Vocabulary, chosen: edge_features.Columns
) -> Forest:
    x = edge_features.features(found.edges, found.tokens, known, chosen)
    return build(x, found.examples, left_sides(g.rules))


def no_longer(trees: Iterable[Node], max_length: int, owner: str) -> list[Node]:
    """The trees of at most ``max_length`` tokens.

    Raises:
        UserError: There are none.
    """
    found = [tree for tree in trees if sum(1 for _ in leaves(tree)) <= max_length]
    if not found:
        raise UserError(f"{owner} has no sentences of at most {max_length} tokens")
    return found


def _forests(
    sentences: Sequence[_Sentence],
    g: TreebankGrammar,
    prune: float,
    labels: dict[str, int],
    known: edge_features.Vocabulary,
    learned: bool,
) -> _Forests:
    """The forests of a split. With ``learned``, each gold tree is added to its forest."""
    tokens = edge_features.numbered([each.tokens for each in sentences], known)
    label_of = np.array([*(labels[spans.label_of(symbol)] for symbol in g.symbols), 0])  # and of the roots
    kinds = np.repeat(edge_features.KINDS, [len(g.rules.binary), len(g.rules.lexical), len(g.rules.roots)])
    of_sides: dict[tuple, int] = {}  # symbols that differ only in their context share a number
    sides = [of_sides.setdefault((s.chain, s.tag, s.partial), len(of_sides)) for s in g.symbols]
    sides, left = np.array([*sides, -1]), left_sides(g.rules)
    found, edges = [], []
    every = zip(sentences, tokens.starts, _packed(sentences, g, prune, learned), strict=True)
    for sentence, start, (packed, tree) in every:
        right, rule = spans.span_labels(sentence.placed, labels), packed.rules
        has_side, gold = forests.right_rules(g.rules, packed, tree)
        here, given = cell.python(len(sentence.tokens), packed.begins, packed.ends), label_of[left[rule]]
        losses = ~has_side & (kinds[rule] != edge_features.ROOT)  # a root's node has its loss at its own rule
        decisions = np.where(given > 0, here, -1)
        found.append(Derivations(packed.first, packed.tails, losses, gold, decisions, given, right))
        begins, splits, ends = (start + each for each in (packed.begins, packed.splits, packed.ends))
        edges.append(edge_features.Edges(rule, sides[left[rule]], begins, splits, ends, kinds[rule]))
    joined = (np.concatenate(each) for each in zip(*edges, strict=True))
    return _Forests(found, edge_features.Edges(*joined), tokens)


def _packed(sentences: Sequence[_Sentence], g: TreebankGrammar, prune: float, learned: bool) -> list[_Packed]:
    """Each sentence's forest, on several threads: charts take nearly all of the time."""
    found: list[_Packed | None] = [None] * len(sentences)

    def pack(first: int, last: int) -> None:
        for k, (tokens, _, placed) in enumerate(sentences[first:last], first):
            terminals = np.array([g.terminals.get(leaf.tag, -1) for leaf in tokens])
            tree = right_tree(placed, g)
            kept = tree if learned else None
            found[k] = _Packed(forests.pruned(g.rules, g.frequencies, terminals, prune, kept), tree)

    parallel.for_each(pack, len(sentences))
    return [each for each in found if each]
