"""Labelled trees: a label for each node of a given rooted tree, with features of nodes and of edges.

Hierarchical models (l1m3n2009, section 5.4): each node depends on its parent. Parts and weights are those of
``labelled.operations``; the edge into a node comes from its parent. Shapes and sizes differ between examples; a
chain is a tree in which each node is the parent of the next.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels, Matrix, frozen
from structbench.algorithms.structures import checks
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.clique_tree.layout import CliqueTree
from structbench.algorithms.structures.clique_tree.layout import build as clique_trees
from structbench.algorithms.structures.clique_tree.operations import Graph, cliques_taken
from structbench.algorithms.structures.costs import HAMMING
from structbench.algorithms.structures.inner_products import Products
from structbench.algorithms.structures.labelled import one_edge_a_node
from structbench.algorithms.structures.labelled.operations import AT_NODES
from structbench.algorithms.structures.taking import implement_take

ROOT = -1


class Tree(NamedTuple):
    """A split of n trees; node t of tree i is row starts[i] + t of the arrays per node, parents before children.

    parents: int32, of each node its parent's number in the tree, below its own; -1 for node 0, the root. edges:
    features of the pair (parent, node), one row a node, that of the root empty. cliques: of elimination, the last
    node first. Else as ``Chain``.
    """

    id = "tree"
    layouts = (Graph,)

    x: ft.Features
    edges: ft.Features
    starts: Ints
    y: Labels
    products: Products
    edge_products: Products
    num_labels: int
    num_node_features: int
    num_edge_features: int
    parents: Labels
    cliques: CliqueTree
    costs: Matrix = HAMMING
    edge_starts: Ints = AT_NODES
    num_kinds: int = 1


implement_take(
    Tree, starts=("x", "edges", "y", "parents"), each=("products", "edge_products"), others=cliques_taken
)


def build(
    x: ft.Features,
    lengths: np.ndarray,
    parents: np.ndarray,
    y: np.ndarray,
    num_labels: int,
    edges: ft.Features | None = None,
) -> Tree:
    """A split from node features, nodes of each tree (n,), parents and labels (nodes,) and, maybe, edge features.

    Raises:
        UserError: these do not fit together, a tree is empty, a label is out of range, or a node other than the
            first has no parent before it.
    """
    shared = one_edge_a_node.node_fields(x, lengths, y, num_labels, edges)
    nodes = checks.Places(shared["starts"], "node", "tree")
    nodes.agree(parents=len(parents))
    own = np.arange(nodes.starts[-1]) - np.repeat(nodes.starts[:-1], nodes.lengths)
    parents = nodes.integers("parent", parents, np.where(own == 0, ROOT, 0), own - 1)
    return Tree(**shared, parents=frozen(parents, np.int32), cliques=_cliques(nodes.starts, parents, num_labels))


def _cliques(starts: np.ndarray, parents: np.ndarray, num_labels: int) -> CliqueTree:
    """The clique trees of elimination from the last node to the root: the separator of a node is its parent."""
    lengths = np.diff(starts)
    order = np.repeat(starts[1:], lengths) - 1 - np.arange(starts[-1])  # of a node's own tree
    above = parents[np.repeat(starts[:-1], lengths) + order]
    below = np.flatnonzero(above >= 0)
    ends = np.column_stack([above[below], order[below]])
    counts, has_parent = np.full(len(order), num_labels), (above >= 0).astype(np.int64)
    return clique_trees(
        starts, counts, order, has_parent, above[below], has_parent, ends, np.zeros_like(below), order[below] - 1
    )
