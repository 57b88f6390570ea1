"""Parse trees with a class each, which only a kernel can compare: they have no features (``classed``)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from algorithms.runtime.arrays import Ints, Labels, frozen, ranges
from algorithms.structures import classed
from algorithms.structures import interface as parts
from algorithms.structures.compiled import implements


class ParseTrees(NamedTuple):
    """The arrays of ``interface.Trees``; y: int32 (n,), -1 for a class never seen in training."""

    id = "parse-trees"
    lacks = "there are no features, only kernels of two trees"

    productions: Labels
    first: Ints
    children: Labels
    starts: Ints
    y: Labels
    num_labels: int


classed.share(ParseTrees)


class Nodes(NamedTuple):
    """One tree: of each inner node, children before their parents, its production and its inner children."""

    productions: list[int]
    children: list[Sequence[int]]


def build(trees: list[Nodes], y: np.ndarray, num_labels: int) -> ParseTrees:
    """A split from n trees and n labels in -1 .. num_labels - 1.

    Raises:
        ValueError: there are more or fewer labels than trees, or a child comes after its parent.
    """
    if len(trees) != len(y):
        raise ValueError(f"{len(trees)} trees but {len(y)} labels")
    for tree in trees:
        if any(child >= v for v, its in enumerate(tree.children) for child in its):
            raise ValueError("children must come before their parents")
    its = [children for tree in trees for children in tree.children]
    return ParseTrees(
        frozen([number for tree in trees for number in tree.productions], np.int32),
        frozen(np.concatenate([[0], np.cumsum([len(each) for each in its])]), np.int64),
        frozen([child for each in its for child in each], np.int32),
        frozen(np.concatenate([[0], np.cumsum([len(tree.productions) for tree in trees])]), np.int64),
        frozen(y, np.int32),
        int(num_labels),
    )


@implements(ParseTrees)
def take(t: ParseTrees, examples: np.ndarray) -> ParseTrees:
    nodes = ranges(t.starts, examples)
    return ParseTrees(
        frozen(t.productions[nodes], np.int32),
        frozen(np.concatenate([[0], np.cumsum(np.diff(t.first)[nodes])]), np.int64),
        frozen(t.children[ranges(t.first, nodes)], np.int32),
        frozen(np.concatenate([[0], np.cumsum(np.diff(t.starts)[examples])]), np.int64),
        frozen(t.y[examples], np.int32),
        t.num_labels,
    )


@implements(ParseTrees)
def trees(t: ParseTrees) -> parts.Trees:
    return parts.Trees(t.productions, t.first, t.children, t.starts)
