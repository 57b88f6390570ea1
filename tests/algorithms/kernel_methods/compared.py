"""Small strings and trees with classes, and their features written out."""

from itertools import combinations, product

import numpy as np

from structbench.algorithms.structures import parse_trees, strings
from structbench.datasets.constituency.attachments import nodes_of
from structbench.datasets.text.trees import Leaf, Node

SYMBOLS, WORDS = ("S", "A", "B"), ("x", "y")
DEEP = 3
PRODUCTIONS: dict[tuple[str, ...], int] = {}  # one numbering for all trees


def drawn_strings(seed: int, n: int = 24, num_labels: int = 3) -> tuple[list[str], strings.Strings]:
    rng = np.random.default_rng(seed)
    texts = ["".join(rng.choice(list("abc"), size=rng.integers(0, 7))) for _ in range(n)]
    return texts, strings.build(texts, rng.integers(0, num_labels, size=n), num_labels)


def subsequences(text: str, length: int, decay: float) -> dict[str, float]:
    """Lodhi et al., Definition 1: u -> the sum of decay^(last - first + 1) over the places at which u stands."""
    found: dict[str, float] = {}
    for m in range(1, length + 1):
        for places in combinations(range(len(text)), m):
            u = "".join(text[p] for p in places)
            found[u] = found.get(u, 0.0) + decay ** (places[-1] - places[0] + 1)
    return found


def drawn_tree(rng: np.random.Generator, deep: int = DEEP) -> Node:
    children = [
        Leaf(str(rng.choice(WORDS)), str(rng.choice(SYMBOLS)))
        if deep == 0 or rng.random() < 0.4
        else drawn_tree(rng, deep - 1)
        for _ in range(rng.integers(1, 3))
    ]
    return Node(str(rng.choice(SYMBOLS)), tuple(children))


def drawn_trees(seed: int, n: int = 24, num_labels: int = 3) -> tuple[list[Node], parse_trees.ParseTrees]:
    rng = np.random.default_rng(seed)
    trees = [drawn_tree(rng) for _ in range(n)]
    nodes = [nodes_of(tree, PRODUCTIONS) for tree in trees]
    return trees, parse_trees.build(nodes, rng.integers(0, num_labels, size=n), num_labels)


def fragments(tree: Node | Leaf, decay: float) -> dict[str, float]:
    """Collins and Duffy: how often each fragment occurs, times decay^(productions / 2)."""
    found: dict[str, float] = {}
    for node in _inside(tree):
        for text, size in _beginning(node):
            found[text] = found.get(text, 0.0) + decay ** (size / 2)
    return found


def _inside(tree: Node | Leaf):
    yield tree
    for child in tree.children if isinstance(tree, Node) else ():
        yield from _inside(child)


def _beginning(node: Node | Leaf) -> list[tuple[str, int]]:
    """The fragments that begin at a node, written in brackets, and the number of their productions."""
    if isinstance(node, Leaf):
        return [(f"({node.tag} {node.word})", 1)]
    cut = [[(f"({child.tag if isinstance(child, Leaf) else child.label})", 0)] for child in node.children]
    each = [[*end, *_beginning(child)] for end, child in zip(cut, node.children, strict=True)]
    return [
        (f"({node.label} {' '.join(text for text, _ in chosen)})", 1 + sum(size for _, size in chosen))
        for chosen in product(*each)
    ]


def normalised(features: list[dict[str, float]]) -> np.ndarray:
    """A row for each, of norm 1 or 0, over all features of any."""
    column = {u: k for k, u in enumerate(dict.fromkeys(u for f in features for u in f))}
    rows = np.zeros((len(features), len(column)))
    for row, f in zip(rows, features, strict=True):
        row[[column[u] for u in f]] = list(f.values())
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1.0)
