"""Binarisation of treebank trees to Chomsky normal form, with horizontal and vertical markovisation.

A chain of constituents over the same words, and the word's part of speech below them, is one node. Its symbol
holds all their labels, as "S+VP" over (S (VP ...)). So there are no unary rules, and every span has at most one
symbol. A constituent of more than two children is cut into pairs. Its rest is a *partial* symbol, which remembers
the last ``horizontal`` children cut off. Full symbols know ``vertical`` - 1 labels above them (Klein and Manning,
Accurate unlexicalized parsing, 2003). With head annotation, each symbol except parts of speech knows the part of
speech of its constituent's head word.
"""

from typing import Literal, NamedTuple

from structbench.datasets.constituency.heads import head_child, head_tag
from structbench.datasets.text.trees import Leaf, Node

Factor = Literal["right", "left", "head"]
FROM_THE_RIGHT = ">"
HEAD = "^"


class Symbol(NamedTuple):
    """A symbol of the grammar.

    chain: Labels from the top down. A word's part of speech has none, and is ``tag``. partial: Whether it is the
    rest of a constituent. context: What it knows of its surroundings.
    """

    chain: tuple[str, ...]
    tag: str = ""
    partial: bool = False
    context: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What siblings remember: the topmost label, or the part of speech."""
        return self.chain[0] if self.chain else self.tag


class Pair(NamedTuple):
    """A node with two children."""

    symbol: Symbol
    left: "Pair | Word"
    right: "Pair | Word"


class Word(NamedTuple):
    """A node over one token."""

    symbol: Symbol
    leaf: Leaf


class Options(NamedTuple):
    """How trees are binarised, and below which probability forests are pruned.

    factor: ``right`` cuts children off from the left, so the rest is a right child. ``left`` does the reverse.
    ``head`` cuts from the left up to the constituent's head, then from the right. horizontal: How many of the
    children cut off last a partial symbol remembers. vertical: Labels that a symbol knows, its own included.
    head_tags: Whether symbols know the part of speech of the head word.
    """

    factor: Factor = "right"
    horizontal: int = 0
    vertical: int = 1
    prune: float = 1e-4
    head_tags: bool = False


DEFAULTS = Options()


def binarised(tree: Node | Leaf, options: Options = DEFAULTS, above: tuple[str, ...] = ()) -> Pair | Word:
    """A tree in Chomsky normal form; ``above``: labels above the tree, the nearest one first."""
    chain: list[str] = []
    node = tree
    while isinstance(node, Node):
        chain.append(node.label)
        if len(node.children) > 1:
            break
        node = next(iter(node.children))
    context = above[: options.vertical - 1] if chain else ()
    if chain and options.head_tags:
        context = (*context, HEAD + head_tag(node))
    if isinstance(node, Leaf):
        return Word(Symbol(tuple(chain), "" if chain else node.tag, False, context), node)
    below = (*reversed(chain), *above)
    items = [binarised(child, options, below) for child in node.children]
    names = [item.symbol.name for item in items]
    last = {"right": len(items) - 1, "left": 0, "head": head_child(node.label, names)}[options.factor]
    return _paired(Symbol(tuple(chain), context=context), items, names, last, options.horizontal)


def _paired(symbol: Symbol, items: list, names: list[str], last: int, horizontal: int) -> Pair:
    """Cut items off one by one, those before the ``last`` one first."""
    cut = [*range(last), *range(len(items) - 1, last, -1)]
    symbols = [symbol]
    for count in range(1, len(cut)):
        # a rest that has been cut from the right is not cut from the left: each tree has one binarised form
        side = (FROM_THE_RIGHT,) if cut[count - 1] > last else ()
        siblings = tuple(names[k] for k in cut[max(0, count - horizontal) : count])
        symbols.append(Symbol(symbol.chain[-1:], "", True, (*symbol.context, *side, *siblings)))
    rest = items[last]
    for own, k in zip(reversed(symbols), reversed(cut), strict=True):
        rest = Pair(own, items[k], rest) if k < last else Pair(own, rest, items[k])
    return rest
