"""Labels of all spans of a parse tree, the tree that such labels describe, and spans without punctuation."""

from collections.abc import Iterable, Sequence

import numpy as np

from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.structures.grammar.chart import cell
from structbench.algorithms.structures.grammar.forests import spans
from structbench.datasets.constituency.binarised import Symbol
from structbench.datasets.constituency.treebank_grammar import Positions
from structbench.datasets.text.brackets import NONE, TOP
from structbench.datasets.text.trees import Leaf, Node

PUNCTUATION = frozenset([",", ":", "``", "''", "."])  # parts of speech that evalb's COLLINS.prm leaves out


def label_of(symbol: Symbol) -> str:
    """The label that a node of a binarised tree gives its span. A partial symbol is no constituent."""
    return "+".join(symbol.chain) if symbol.chain and not symbol.partial else NONE


def numbered(*splits: Iterable[Positions]) -> dict[str, int]:
    """All labels: 0 is none, then the labels of the first split, then those that only later splits have."""
    labels = {NONE: 0}
    for split in splits:
        names = {label_of(symbol) for placed in split for symbol, *_ in placed.nodes} - labels.keys()
        labels |= {name: len(labels) + k for k, name in enumerate(sorted(names))}
    return labels


def span_labels(placed: Positions, labels: dict[str, int]) -> np.ndarray:
    """The label of each span, int32 (cells,), as ``chart.cell`` numbers them."""
    T = len(placed.tags)
    found = np.zeros(T * (T + 1) // 2, np.int32)
    for symbol, begin, _, end in placed.nodes:
        found[cell.python(T, begin, end)] = labels[label_of(symbol)]
    return found


def tree(tokens: Sequence[Leaf], labels: Sequence[str]) -> Node:
    """The tree whose spans have these labels, one a cell; ``TOP`` holds its parts if no span is of all tokens."""
    T = len(tokens)
    begins, ends = spans(T)
    labelled = {
        (begin, end): label.split("+")
        for begin, end, label in zip(begins.tolist(), ends.tolist(), labels, strict=True)
        if label != NONE
    }
    waiting: list[tuple[str, int, list[Node | Leaf]]] = [(TOP, T + 1, [])]
    for t, leaf in enumerate(tokens):
        waiting += [(name, end, []) for end in range(T, t, -1) for name in labelled.get((t, end), ())]
        waiting[-1][2].append(leaf)
        while waiting[-1][1] == t + 1:
            name, _, children = waiting.pop()
            waiting[-1][2].append(Node(name, tuple(children)))
    found = waiting[0][2]
    whole = found[0]
    return whole if len(found) == 1 and isinstance(whole, Node) else Node(TOP, tuple(found))


def without_punctuation(sentences: Iterable[Sequence[Leaf]]) -> np.ndarray:
    """For each span the number of its span without punctuation, -1 if nothing is left; int32 (all cells,)."""
    found = []
    for sentence in sentences:
        kept = np.cumsum([0, *(leaf.tag not in PUNCTUATION for leaf in sentence)])
        begins, ends = (kept[each] for each in spans(len(sentence)))
        found.append(np.where(ends > begins, cell.python(int(kept[-1]), begins, ends), -1))
    return frozen(np.concatenate(found), np.int32)
