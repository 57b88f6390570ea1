"""Parse trees with a class each, without features: only a kernel can compare them (``kernel_only``)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels, frozen, ranges, starts_of
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import checks, kernel_only
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.taking import implement_take


class ParseTrees(NamedTuple):
    """The arrays of ``interface.Trees``; ``y``: int32 (n,), -1 for a class never seen in training."""

    id = "parse-trees"
    layouts = (kernel_only.KernelOnly,)
    lacks = "there are no features, only kernels of two trees"

    productions: Labels
    first: Ints
    children: Labels
    starts: Ints
    y: Labels
    num_labels: int


class Nodes(NamedTuple):
    """One tree: the production and the inner children of each inner node, children before their parents."""

    productions: list[int]
    children: list[Sequence[int]]


def build(trees: list[Nodes], y: np.ndarray, num_labels: int) -> ParseTrees:
    """A split from n trees and n labels in -1 .. num_labels - 1.

    Raises:
        UserError: there are more or fewer labels than trees, a label is out of range, or a tree has more or fewer
            productions than nodes, or none. Or its nodes are no tree: a child does not come before its parent, or
            a node other than the last has no parent, or two.
    """
    y = checks.classes(y, num_labels, len(trees), "trees")
    its = [children for tree in trees for children in tree.children]
    nodes = checks.places([len(tree.children) for tree in trees], "node", "tree")
    for i, tree in enumerate(trees):
        if len(tree.productions) != len(tree.children):
            raise UserError(f"tree {i} has {len(tree.children)} nodes but {len(tree.productions)} productions")
    productions = nodes.integers("production", [number for tree in trees for number in tree.productions], 0)
    counts = np.array([len(each) for each in its], np.int64)
    parents, starts = np.repeat(np.arange(len(its)), counts), np.repeat(nodes.starts[:-1], nodes.lengths)
    children = checks.integers(
        "child",
        [child for each in its for child in each],
        0,
        (np.arange(len(its)) - starts)[parents] - 1,
        lambda at: nodes.name(parents[at]),
    )
    above = np.bincount(starts[parents] + children, minlength=len(its))
    above[nodes.starts[1:] - 1] += 1  # the roots
    if (above != 1).any():
        v = int(np.argmax(above != 1))
        raise UserError(f"{nodes.name(v)} must be the child of one node, not of {above[v]}")
    return ParseTrees(
        frozen(productions, np.int32),
        starts_of(counts),
        frozen(children, np.int32),
        frozen(nodes.starts, np.int64),
        frozen(y, np.int32),
        int(num_labels),
    )


def _children_taken(t: ParseTrees, examples: np.ndarray) -> dict[str, np.ndarray]:
    nodes = ranges(t.starts, examples)
    return {
        "first": starts_of(np.diff(t.first)[nodes]),
        "children": frozen(t.children[ranges(t.first, nodes)], np.int32),
    }


implement_take(ParseTrees, starts=("productions",), each=("y",), others=_children_taken)


@implements(ParseTrees)
def trees(t: ParseTrees) -> parts.Trees:
    return parts.Trees(t.productions, t.first, t.children, t.starts)
