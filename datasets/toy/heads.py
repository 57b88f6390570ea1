"""Dependency heads of the toy language: the head child of each symbol of its grammar, and its modifiers."""

from structbench.datasets.text.trees import Leaf, Node

# Of each symbol, by the part of its name before the hyphen, the kinds of child that may be its head, the best one
# first; of several children of a kind the first. Where there is none, it is the last child that is no adverb.
HEADS = {
    "TEXT": ("CLAUSE",),
    "CLAUSE": ("VP", "VERB"),
    "ADJUNCT": ("COMP", "PREP"),
    "NP": ("GENITIVE", "BASE", "NP"),
    "VP": ("VERB", "VP"),
    "REDUCED": ("VERB",),
    "PP": ("PREP",),
    "TIME": ("PREP",),
}
ADVERB = "RB"
# A child of the first kind right after one of the second modifies that one: the object of an infinitive, the
# clause behind "that".
GOVERNED = {"NP": "VERB", "CLAUSE": "COMP"}


def heads(tree: Node | Leaf) -> list[int]:
    """The head of every token, from 1 on; 0 for the token under the root, the only one.

    The tree is projective: every symbol is a stretch of tokens all of which are below one of them.
    """
    found: list[int] = []
    root = _attach(tree, found)
    found[root - 1] = 0
    return found


def _attach(tree: Node | Leaf, found: list[int]) -> int:
    """Append the heads of the tokens below a node, except its head token. Return the head token's number."""
    if isinstance(tree, Leaf):
        found.append(0)
        return len(found)
    tokens = [_attach(child, found) for child in tree.children]
    kinds = [_kind(child) for child in tree.children]
    chosen = _head(_kind(tree), kinds)
    for k, token in enumerate(tokens):
        if k != chosen:
            governed = k > 0 and GOVERNED.get(kinds[k]) == kinds[k - 1]
            found[token - 1] = tokens[k - 1] if governed else tokens[chosen]
    return tokens[chosen]


def _head(kind: str, children: list[str]) -> int:
    for wanted in HEADS.get(kind, ()):
        if wanted in children:
            return children.index(wanted)
    others = [k for k, child in enumerate(children) if child != ADVERB]
    return others[-1] if others else len(children) - 1


def _kind(tree: Node | Leaf) -> str:
    return tree.tag if isinstance(tree, Leaf) else tree.label.partition("-")[0]
