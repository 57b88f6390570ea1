"""Trees in Penn Treebank brackets: a reader, a writer, and what is usually taken off the trees.

``( (S (NP-SBJ (DT The) (NN board)) (VP (VBD met)) (. .)) )``: A bracket holds a label and brackets, or a part of
speech and a word. The outermost one may have no label.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text.trees import Leaf, Node

TOKEN = re.compile(r"[()]|[^ \t\r\n\f\v()]+")  # a no-break or ideographic space is a part of a word
DEEPEST = 200  # brackets in brackets: what follows walks through trees by recursion
TOP = "TOP"  # the label of a root that has none
TRACE = "-NONE-"
NONE = "none"  # the label of a span that is no constituent
SHOWN = 60  # characters of a user's text in a message


class _Open(NamedTuple):
    """A bracket that is not closed yet."""

    line: int
    words: list[str]
    children: list[Node | Leaf]


def read_brackets(text: str, source: str) -> list[Node]:
    """All trees of a file, as they are written. A root without a label becomes ``TOP``.

    Raises:
        UserError: Brackets do not match, or one holds something else than it should (names the file, the line and
            what was expected). Or there is no tree at all.
    """
    trees = []
    waiting: list[_Open] = []
    tokens = ((line, token) for line, found in enumerate(text.split("\n"), 1) for token in TOKEN.findall(found))
    for line, token in tokens:
        if token == "(":
            waiting.append(_Open(line, [], []))
            if len(waiting) > DEEPEST:
                raise UserError(f"{source}, line {line}: expected at most {DEEPEST} brackets in one another")
        elif not waiting:
            raise UserError(f"{source}, line {line}: expected a tree in brackets, found {token[:SHOWN]!r}")
        elif token == ")":
            opened = waiting.pop()
            try:
                closed = _closed(opened, outermost=not waiting)
            except ValueError as error:
                raise UserError(f"{source}, line {opened.line}: {error}") from None
            if waiting:
                waiting[-1].children.append(closed)
            else:
                trees.append(closed if isinstance(closed, Node) else Node(TOP, (closed,)))
        elif waiting[-1].children:
            raise UserError(f"{source}, line {line}: expected a bracket, found the word {token[:SHOWN]!r}")
        else:
            waiting[-1].words.append(token)
    if waiting:
        raise UserError(
            f"{source}, line {waiting[0].line}: expected brackets that match, this one is never closed"
        )
    if not trees:
        raise UserError(
            f"{source} has no trees: expected trees in brackets, such as (S (NP (NN grass)) (VP (VBZ grows)))"
        )
    return trees


def _closed(bracket: _Open, outermost: bool) -> Node | Leaf:
    words, children = bracket.words, tuple(bracket.children)
    if children and len(words) == 1:
        if "+" in words[0]:
            raise ValueError(f"expected a label without +, which joins labels here, found {words[0][:SHOWN]!r}")
        if plain_label(words[0]) == NONE:
            raise ValueError(
                f"expected a label other than {NONE}, which says here that a span is no constituent, found "
                f"{words[0][:SHOWN]!r}"
            )
        return Node(words[0], children)
    if children and not words and outermost:
        return Node(TOP, children)
    if not children and len(words) == 2:
        return Leaf(words[1], words[0])
    found = " ".join(["(", *words, *(["(...)"] if children else []), ")"])
    raise ValueError(f"expected (label (...) ...) or (tag word), found {found[:SHOWN]!r}")


def written(tree: Node | Leaf) -> str:
    """The tree in brackets, on one line."""
    if isinstance(tree, Leaf):
        return f"({tree.tag} {tree.word})"
    return f"({tree.label} {' '.join(map(written, tree.children))})"


def written_tokens(sentences: Iterable[Iterable[tuple[str, str] | list[str]]]) -> str:
    """Sentences of (word, part of speech) as trees without constituents, one a line.

    Raises:
        UserError: A token is no such pair, a cell cannot stand in brackets, or a sentence has no words.
    """
    for sentence in (found := [list(each) for each in sentences]):
        for token in sentence:
            if not isinstance(token, tuple | list) or len(token) != 2:
                raise UserError(f"{token!r:.60} is no token: expected a pair of a word and its part of speech")
            for cell in token:
                if not (isinstance(cell, str) and TOKEN.fullmatch(cell)) or cell in "()":
                    raise UserError(f"{cell!r} is no cell of a token: expected a word without blanks and brackets")
        if all(tag == TRACE for _, tag in sentence):  # ``read_cleaned`` would leave it out
            raise UserError(
                f"the sentence {sentence!r:.60} has no words: expected one or more, which are no traces"
            )
    return "\n".join(written(Node(TOP, tuple(Leaf(word, tag) for word, tag in each))) for each in found)


def read_cleaned(text: str, source: str) -> list[Node]:
    """The trees of a file, ``cleaned``, without those that hold traces alone.

    Raises:
        UserError: As ``read_brackets`` and ``with_words``.
    """
    return with_words(read_brackets(text, source), source)


def with_words(trees: list[Node], source: str) -> list[Node]:
    """The trees, ``cleaned``, without those that hold traces alone.

    Raises:
        UserError: All of them do.
    """
    kept = list(filter(None, map(cleaned, trees)))
    if not kept:
        raise UserError(f"{source} has no trees with words: expected more than traces")
    return kept


def cleaned(tree: Node) -> Node | None:
    """The tree without traces, functional tags and an empty root; None if nothing is left.

    Constituents that hold nothing but traces go, too. Of labels such as NP-SBJ-1, NP=2 and ADVP|PRT the first part
    stays. A root ``TOP`` (or ROOT) goes if it has one child that is a constituent.
    """
    children = tuple(filter(None, map(_cleaned, tree.children)))
    if not children:
        return None
    if tree.label in (TOP, "ROOT"):
        return children[0] if len(children) == 1 and isinstance(children[0], Node) else Node(TOP, children)
    return Node(plain_label(tree.label), children)


def _cleaned(tree: Node | Leaf) -> Node | Leaf | None:
    if isinstance(tree, Leaf):
        return None if tree.tag == TRACE else tree
    children = tuple(filter(None, map(_cleaned, tree.children)))
    return Node(plain_label(tree.label), children) if children else None


def plain_label(label: str) -> str:
    """The label without functional tags and indices."""
    return re.split(r"[-=|]", label, maxsplit=1)[0] or label
