"""Classification of prepositional phrases: from the phrase's parse tree, predict the label of its parent."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import parse_trees
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text.trees import Leaf, Node

PHRASE = "PP"
LEAST = 0.01  # of the training phrases: rarer parents are left out


def attachments_problem(learn: list[Node], evaluate: list[Node]) -> Problem:
    """Each prepositional phrase with the label of the constituent that it is a part of, such as NP or VP.

    A label that less than one in a hundred training phrases have is left out with its phrases.

    Raises:
        UserError: There are no such phrases.
    """
    seen, new = list(_phrases(learn)), list(_phrases(evaluate))
    counts = Counter(parent for parent, _ in seen)
    labels = tuple(sorted(label for label, count in counts.items() if count >= LEAST * len(seen)))
    number, productions = {label: k for k, label in enumerate(labels)}, {}

    def split(phrases: list[tuple[str, Node]], which: str) -> parse_trees.ParseTrees:
        chosen = [(parent, tree) for parent, tree in phrases if parent in number]
        if not chosen:
            raise UserError(f"the {which} trees have no constituents {PHRASE}, whose parents are to be found")
        y = np.array([number[parent] for parent, _ in chosen])
        return parse_trees.build([nodes_of(tree, productions) for _, tree in chosen], y, len(labels))

    return Problem(split(seen, "training"), split(new, "test"), labels)


def _phrases(trees: list[Node]) -> Iterator[tuple[str, Node]]:
    """For each prepositional phrase, its parent's label and its tree. Outer phrases come before inner ones."""
    waiting: list[Node] = list(reversed(trees))
    while waiting:
        node = waiting.pop()
        inner = [child for child in node.children if isinstance(child, Node)]
        yield from ((node.label, child) for child in inner if child.label == PHRASE)
        waiting.extend(reversed(inner))


def nodes_of(tree: Node, productions: dict[tuple[str, ...], int]) -> parse_trees.Nodes:
    """The nodes of a tree. Parts of speech are nodes, words are not. New productions get a number."""
    found = parse_trees.Nodes([], [])

    def visit(node: Node | Leaf) -> int:
        children = () if isinstance(node, Leaf) else tuple(map(visit, node.children))
        if isinstance(node, Leaf):
            production = (node.tag, node.word)
        else:
            names = [child.tag if isinstance(child, Leaf) else child.label for child in node.children]
            production = (node.label, *names, "")  # no word is ""
        found.productions.append(productions.setdefault(production, len(productions)))
        found.children.append(children)
        return len(found.productions) - 1

    visit(tree)
    return found
