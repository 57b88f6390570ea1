"""Boxes of a web page with a label each, as trees or, as a baseline, as chains in document order.

The hierarchical models of web data extraction (l1m3n2009, section 5.4; Zhu, Nie, Zhang and Wen, JMLR 9, 2008)
label the nodes of a tree of visual blocks. Features are of tags, classes, words and layout.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import columns, templates

Structure = Literal["tree", "chain"]
Kind = Literal["sparse", "dense"]

NODES = (
    *("tag", "css", "tag|css", "first", "second", "last", "count", "pattern", "currency", "capital"),
    *("font", "bold", "width", "height", "depth", "place", "siblings", "leaves", "holds", "above"),
    *("before", "after", "tag|above", "pattern|font", "pattern|bold", "pattern|before", "pattern|after"),
    *("tag|width", "css|pattern", "holds|leaves", "holds|depth"),
)
EDGES = ("tag|above", "place", "same_width", "pattern")
DENSE = 18  # numbers of a node, and the first of an edge to its parent:
EDGE = 3


class Box(NamedTuple):
    """A node: what a browser would know of it, sizes in pixels; ``words`` of a leaf's text."""

    label: str
    tag: str
    css: str
    words: tuple[str, ...] = ()
    width: int = 0
    height: int = 0
    font: int = 12
    bold: bool = False
    children: tuple["Box", ...] = ()


class _Node(NamedTuple):
    box: Box
    parent: int
    depth: int
    place: int
    leaves: int
    holds: frozenset[str]  # patterns of the leaves below


class _Described(NamedTuple):
    """Nodes one after another: cells that sparse features are made of, their parents, and dense features."""

    cells: columns.Sentences
    parents: np.ndarray
    dense: np.ndarray


def page_problem(
    learn: list[Box],
    evaluate: list[Box],
    labels: tuple[str, ...],
    attributes: tuple[str, ...],
    key: tuple[str, ...],
    structure: Structure,
    features: Kind,
    templates_of_nodes: tuple[str, ...] = (),
) -> Problem:
    """The problem of trees of boxes; labels of test boxes that are not in ``labels`` count as wrong.

    Args:
        attributes, key: As in ``Problem``, by name.
        structure: A node depends on its parent, or on the node before it.
        features: Binary ones, or a few real ones, of layout and of the looks of a text, but none of its words.
        templates_of_nodes: For binary features, names of cells joined by "|"; by default ``NODES``.
    """
    number = {label: k for k, label in enumerate(labels)}
    described = _described(learn), _described(evaluate)
    if features == "sparse":
        cells = described[0].cells, described[1].cells
        used = templates.at_each(templates_of_nodes or NODES)
        nodes = templates.extract(*cells, used, marks=False).both
        edges = templates.extract(*cells, templates.at_each(EDGES), edges=True).both
    else:
        nodes = tuple(ft.dense(each.dense) for each in described)
        edges = tuple(ft.dense(each.dense[:, :EDGE] * (each.parents >= 0)[:, None]) for each in described)

    def split(which: int) -> object:
        from structbench.algorithms.structures import chain, tree

        cells, parents, _ = described[which]
        y, _ = coded(cells.columns["label"], labels)
        if structure == "tree":
            return tree.build(nodes[which], cells.lengths, parents, y, len(labels), edges[which])
        return chain.build(nodes[which], cells.lengths, y, len(labels))

    chosen = [tuple(number[name] for name in names) for names in (attributes, key)]
    unseen = coded(described[1].cells.columns["label"], labels)[1]
    return Problem(split(0), split(1), labels, attributes=chosen[0], key_attributes=chosen[1], unseen=unseen)


def _described(boxes: list[Box]) -> _Described:
    cells: dict[str, list[Any]] = {}
    dense, parents, lengths = [], [], []
    for root in boxes:
        nodes: list[_Node] = []
        _add(root, -1, 0, 0, nodes)
        texts = [None if node.box.children else pattern(node.box) for node in nodes]
        for t, node in enumerate(nodes):
            above = nodes[node.parent].box if node.parent >= 0 else None
            beside = [k if 0 <= k < len(nodes) else None for k in (t - 1, t + 1)]
            around = [None if k is None else (texts[k], nodes[k].box.tag) for k in beside]
            for name, cell in _cells(node, above, texts[t], *around).items():
                cells.setdefault(name, []).append(cell)
            dense.append(_numbers(node, above, texts[t]))
            parents.append(node.parent)
        lengths.append(len(nodes))
    sentences = columns.Sentences(cells, np.array(lengths, np.int64), [0] * len(parents), "")
    return _Described(sentences, np.array(parents, np.int32), np.array(dense, np.float64).reshape(-1, DENSE))


def _add(box: Box, parent: int, depth: int, place: int, nodes: list[_Node]) -> _Node:
    """The nodes of a tree in the order of the document, each before what is in it."""
    at = len(nodes)
    nodes.append(_Node(box, parent, depth, place, 1, frozenset()))
    below = [_add(child, at, depth + 1, k, nodes) for k, child in enumerate(box.children)]
    leaves = sum(child.leaves for child in below) or 1
    holds = frozenset().union(*(child.holds for child in below)) if below else frozenset([pattern(box)])
    nodes[at] = nodes[at]._replace(leaves=leaves, holds=holds)
    return nodes[at]


def pattern(box: Box) -> str:
    """What a leaf looks like: an image, a price, a number, or how many words."""
    if box.tag == "img":
        return "large" if min(box.width, box.height) >= 70 else "small"
    text = " ".join(box.words)
    digits = sum(character.isdigit() for character in text)
    if digits >= 3 and "." in text and len(box.words) <= 2:
        return "price"
    if 2 * digits >= len(text) and digits:
        return "number"
    return "none" if not text else "long" if len(box.words) > 8 else "short" if len(box.words) > 1 else "word"


Beside = tuple[str | None, str] | None  # the pattern and the tag of a box beside another in the document


def _cells(
    node: _Node, above: Box | None, text: str | None, before: Beside, after: Beside
) -> dict[str, str | None]:
    """None where there is nothing to say. ``NODES`` uses none of the last four."""
    box, words = node.box, node.box.words
    lowered = [word.lower() for word in words]
    capital = sum(word[0].isupper() for word in words)
    return {
        "label": box.label,
        "tag": box.tag,
        "css": box.css or None,
        "first": lowered[0] if words else None,
        "second": lowered[1] if len(words) > 1 else None,
        "last": lowered[-1] if words else None,
        "count": str(min(len(words), 12)) if words else None,
        "pattern": text,
        "currency": "yes" if any("$" in word or word == "USD" for word in words) else None,
        "capital": None if not words else "all" if capital == len(words) else "some" if capital else "none",
        "font": str(box.font),
        "bold": "bold" if box.bold else "plain",
        "width": str(box.width // 40),
        "height": str(min(box.height // 12, 20)),
        "depth": str(min(node.depth, 7)),
        "place": str(min(node.place, 5)) if above else None,
        "siblings": str(min(len(above.children), 6)) if above else None,
        "leaves": str(min(node.leaves, 10)),
        "holds": "+".join(sorted(node.holds)) if box.children else None,
        "above": above.tag if above else None,
        "same_width": str(box.width == above.width) if above else None,
        "before": before and before[0],
        "after": after and after[0],
        "third": lowered[2] if len(words) > 2 else None,
        "above_css": above.css or None if above else None,
        "tag_before": before and before[1],
        "tag_after": after and after[1],
    }


def _numbers(node: _Node, above: Box | None, text: str | None) -> list[float]:
    """``DENSE`` numbers of about the size of 1."""
    box = node.box
    size = len(" ".join(box.words)) or 1
    patterns = ("large", "small", "price", "number", "word", "short", "long")
    return [
        1.0,
        float(box.width == above.width) if above else 0.0,
        node.place / 4,
        float(bool(box.children)),
        *(float(text == name) for name in patterns),
        box.width / 200,
        box.height / 50,
        box.font / 12 - 1,
        float(box.bold),
        node.depth / 4,
        node.leaves / 8,
        sum(character.isupper() for character in " ".join(box.words)) / size,
    ]
