"""Parse trees as tuples: nodes with labels, and leaves with words and tags."""

from collections.abc import Iterator
from typing import NamedTuple


class Leaf(NamedTuple):
    """A token and its part of speech."""

    word: str
    tag: str


class Node(NamedTuple):
    """An inner node of a tree; of a generated one ``label`` is the symbol of the grammar."""

    label: str
    children: tuple["Node | Leaf", ...]


def leaves(tree: Node | Leaf) -> Iterator[Leaf]:
    """The tokens below a node, from left to right."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Leaf):
            yield node
        else:
            waiting.extend(reversed(node.children))
