"""Markov random fields of small treewidth; loopy marginals of wider ones certify nothing and are not built.

A label for each node, with features of nodes and of edges (eg2004, Example 1).

Edges are of kinds, each with transitions of its own: the neighbours of a chain and the far pairs of a skip
chain, say. Parts and weights are those of ``labelled.operations``.

A node may have fewer labels than K: the first ones. Inference takes time and memory in the product of the
labels of a node and its separator (``elimination``), summed over nodes: a width over ``max_width`` is refused.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, LabelRows, Labels, Matrix, frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import checks, inner_products
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.clique_tree.layout import CELL, SEPARATOR, CliqueTree
from structbench.algorithms.structures.clique_tree.layout import build as clique_trees
from structbench.algorithms.structures.clique_tree.operations import Graph, cliques_taken
from structbench.algorithms.structures.costs import HAMMING
from structbench.algorithms.structures.field.elimination import eliminated
from structbench.algorithms.structures.labelled import operations
from structbench.algorithms.structures.taking import implement_take

MAX_WIDTH = 3
MOST = 50_000_000  # labellings of the cliques of a graph: inference keeps some 40 bytes of each


class Field(NamedTuple):
    """A split of n graphs; node t of graph i is row starts[i] + t of the arrays per node, edges likewise.

    x, edges: features of nodes and of edges, the latter without columns if edges are not observed. ends: int32
    (edges, 2), the nodes that an edge joins; kinds: int32. counts: int32, the labels of each node. y: int32, -1
    for a label never seen in training. cliques: of elimination; edges are in the order of their ends that are
    eliminated first. products, edge_products: the inner products of all nodes, and of all edges, of a graph.
    costs: of wrong labels (``costs``).
    """

    id = "field"
    labels_first = True  # of part vectors
    layouts = (Graph,)

    x: ft.Features
    edges: ft.Features
    starts: Ints
    edge_starts: Ints
    ends: LabelRows
    kinds: Labels
    counts: Labels
    y: Labels
    cliques: CliqueTree
    products: inner_products.Products
    edge_products: inner_products.Products
    num_labels: int
    num_kinds: int
    num_node_features: int
    num_edge_features: int
    costs: Matrix = HAMMING

    def cost(self) -> str:
        """What inference on these graphs costs, in a sentence."""
        width, nodes = np.diff(self.cliques.nodes[:, SEPARATOR]).max(initial=0), max(1, int(self.starts[-1]))
        sizes = labellings(self)
        return (
            f"graphs of width {width}: exact inference goes through {sizes.sum() / nodes:,.0f} labellings of "
            f"cliques a node, {sizes.sum():.2g} in all"
        )


implement_take(
    Field,
    starts=("x", "counts", "y"),
    edge_starts=("edges", "ends", "kinds"),
    each=("products", "edge_products"),
    others=cliques_taken,
)


def build(
    x: ft.Features,
    lengths: np.ndarray,
    y: np.ndarray,
    num_labels: int,
    ends: np.ndarray,
    edge_counts: np.ndarray,
    edges: ft.Features | None = None,
    kinds: np.ndarray | None = None,
    counts: np.ndarray | None = None,
    num_kinds: int = 1,
    max_width: int = MAX_WIDTH,
) -> Field:
    """A split from node features, nodes of each graph (n,), labels (nodes,) and edges.

    Args:
        ends: the two nodes of each edge, numbered within its graph, graph after graph, (edges, 2).
        edge_counts: edges of each graph, (n,).
        edges: features of edges, one row each.
        kinds: of edges, from 0 on, below ``num_kinds``; 0 if not given.
        counts: labels of each node, (nodes,); ``num_labels`` if not given.

    Raises:
        UserError: these do not fit together; an edge is there twice, or joins a node with itself or none; a
            graph's width is over ``max_width``, or its cliques have over ``MOST`` labels.
    """
    nodes, joins = checks.places(lengths, "node", "graph"), checks.places(edge_counts, "edge", "graph", least=0)
    lengths, starts, edge_starts = nodes.lengths, nodes.starts, joins.starts
    if len(starts) != len(edge_starts):
        raise UserError(f"there are {len(starts) - 1} graphs, but {len(edge_starts) - 1} edge_counts")
    ends = checks.matrix("ends", ends, 2)
    kinds = np.zeros(len(ends), np.int64) if kinds is None else kinds
    edges = ft.empty() if edges is None else edges
    edge_rows, edge_columns = ft.shape(edges)
    nodes.agree(rows=ft.shape(x)[0], labels=len(y))
    counts = np.full(len(y), num_labels) if counts is None else counts
    nodes.agree(counts=len(counts))
    joins.agree(pairs_of_ends=len(ends), kinds=len(kinds), **({"rows": edge_rows} if edge_columns else {}))
    counts = nodes.integers("count of labels", counts, 1, checks.number("num_labels", num_labels, 1))
    y = nodes.integers("label", y, -1, counts - 1)
    kinds = joins.integers("kind", kinds, 0, checks.number("num_kinds", num_kinds, 1) - 1)
    last = np.repeat(lengths, joins.lengths) - 1
    ends = np.column_stack([joins.integers("end", each, 0, last) for each in ends.T])
    if len(loops := np.flatnonzero(ends[:, 0] == ends[:, 1])):
        raise UserError(f"{joins.name(loops[0])} must join two nodes, not node {ends[loops[0], 0]} with itself")
    of_graph = np.repeat(np.arange(len(lengths)), joins.lengths)
    once = np.unique(np.column_stack([of_graph, np.sort(ends), kinds]), axis=0, return_index=True)[1]
    if len(twice := np.setdiff1d(np.arange(len(ends)), once)):
        raise UserError(f"{joins.name(twice[0])} joins nodes {ends[twice[0]]} once more: give each edge once")
    found, by_bucket, edge_sizes = eliminated(starts, edge_starts, ends, max_width)
    order = np.array([v for each in found for v in each.order], np.int64)
    separators = [near for each in found for near in each.separators]
    sizes = np.array([len(near) for near in separators], np.int64)
    separators = np.array([v for near in separators for v in near], np.int64)
    _check_sizes(_labellings(starts, counts, order, sizes, separators), lengths)
    ends, kinds = ends[by_bucket], kinds[by_bucket]
    blocks = np.arange(len(ends)) - np.repeat(edge_starts[:-1], joins.lengths)
    cliques = clique_trees(starts, counts, order, sizes, separators, edge_sizes, ends, kinds, blocks, num_kinds)
    edges = ft.take_rows(edges, by_bucket) if edge_columns else edges
    return Field(
        **operations.shared_fields(x, starts, y, num_labels, edges, edge_starts),
        edge_starts=frozen(edge_starts, np.int64),
        ends=frozen(ends, np.int32),
        kinds=frozen(kinds, np.int32),
        counts=frozen(counts, np.int32),
        cliques=cliques,
        num_kinds=int(num_kinds),
    )


def _check_sizes(sizes: np.ndarray, lengths: np.ndarray) -> None:
    """See that no graph has over ``MOST`` labellings of cliques.

    Raises:
        UserError: one has; says which.
    """
    if len(sizes) and sizes.max() > MOST:
        worst = int(sizes.argmax())
        raise UserError(
            f"graph {worst}, of {lengths[worst]} nodes, has {sizes[worst] / 1e6:.0f} million labellings of "
            f"cliques: expected at most {MOST // 10**6} million, with fewer labels, nodes or edges"
        )


def labellings(c: Field) -> np.ndarray:
    """Labellings of the cliques of elimination, added up for each graph, (n,): what inference goes through."""
    return np.diff(c.cliques.nodes[c.starts, CELL])


def _labellings(
    starts: np.ndarray, counts: np.ndarray, order: np.ndarray, sizes: np.ndarray, separators: np.ndarray
) -> np.ndarray:
    """The same, of numbers that may be too large for integers."""
    first = np.repeat(starts[:-1], np.diff(starts))
    owner = np.repeat(np.arange(len(first)), sizes)
    near = np.bincount(owner, np.log(counts[first[owner] + separators]), len(first))
    total = np.concatenate([[0.0], np.cumsum(np.exp(np.log(counts[first + order]) + near))])
    return np.diff(total[starts])
