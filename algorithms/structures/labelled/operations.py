"""Nodes with a label each and edges between two of them: parts, weights, features and costs.

Parts of an example of T nodes and K labels, in this order: T x K nodes; one K x K block of transitions, tied,
hence counted over all edges. With observed edges, T - 1 blocks of K x K follow, the edge into node 1 first.
Weights, in the same order: (node columns, K), (K, K), (edge columns, K, K).

Every node but the first has one edge into it, from the node before (``chain``) or from its parent (``tree``): see
a structure's ``gold`` and inference. ``implement_shared`` gives it all else, which is here.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen, ranges
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures import checks, costs, inner_products
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled import blocks
from structbench.algorithms.structures.labelled.views import split, split_weights
from structbench.algorithms.structures.shared_columns import square


def fields(
    x: ft.Features, lengths: np.ndarray, y: np.ndarray, num_labels: int, edges: ft.Features | None
) -> dict[str, Any]:
    """The shared fields. ``x``: a row a node; ``lengths``: (n,); ``y``: (nodes,); ``edges``: as x, or None.

    Raises:
        UserError: lengths, rows and labels disagree, an example is empty, a label is out of range, or the first
            node of an example has features of an edge.
    """
    nodes = checks.places(lengths, "node", "example")
    starts, (rows, columns) = nodes.starts, ft.shape(x)
    nodes.agree(rows=rows, labels=len(y))
    y = nodes.integers("label", y, -1, checks.number("num_labels", num_labels, 1) - 1)
    edges = ft.empty() if edges is None else edges
    edge_rows, edge_columns = ft.shape(edges)
    if edge_columns:
        nodes.agree(rows_of_edge_features=edge_rows)
        if filled := abs(ft.as_matrix(edges)[starts[:-1]]).sum(axis=1).nonzero()[0].tolist():
            raise UserError(f"node 0 of example {filled[0]} has no edge: its row of edge features must be empty")
    return {
        "x": x,
        "edges": edges,
        "starts": frozen(starts, np.int64),
        "y": frozen(y, np.int32),
        "products": inner_products.of_sequences(x, starts),
        "edge_products": inner_products.of_sequences(edges, starts if edge_columns else 0 * starts),
        "num_labels": int(num_labels),
        "num_node_features": columns,
        "num_edge_features": edge_columns,
    }


def implement_shared(kind: type) -> None:
    """Give a structure with the fields of ``fields`` the operations that all share."""
    for implementation in (
        num_examples, num_decisions, num_parts, scores, add_costs, add_features, feature_support, squared_norm,
        add_gram, labels, gold_labels, with_used_features, num_weights, offsets,
        add_expected_features,
    ):  # fmt: skip
        implements(kind)(implementation)


def num_examples(c):
    return c.starts.shape[0] - 1


def num_decisions(c, i):
    return c.starts[i + 1] - c.starts[i]


def num_parts(c, i):
    length = c.starts[i + 1] - c.starts[i]
    observed = length - 1 if c.num_edge_features > 0 else 0
    return length * c.num_labels + (1 + observed) * c.num_labels * c.num_labels


def scores(c, i, w, out):
    nodes, transitions, edges = split(c, i, out)
    wx, wt, we = split_weights(c, w)
    blocks.scores(c.x, c.starts[i], wx, nodes)
    copy_to(wt, transitions)
    blocks.scores(c.edges, c.starts[i] + 1, we, blocks.pairs(edges))


def add_costs(c, i, weight, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        costs.add_costs_of_labels(c.costs, c.y[c.starts[i] + t], weight, out, t * K, K)


def add_features(c, i, weight, mu, w):
    nodes, transitions, edges = split(c, i, mu)
    wx, wt, we = split_weights(c, w)
    blocks.add_features(c.x, c.starts[i], weight, nodes, wx)
    add_scaled(weight, transitions, wt)
    blocks.add_features(c.edges, c.starts[i] + 1, weight, blocks.pairs(edges), we)


def feature_support(c, i, mu, out):
    nodes, transitions, edges = split(c, i, mu)
    tied = c.num_node_features * c.num_labels
    count = blocks.feature_support(c.x, c.starts[i], nodes, 0, out, 0)
    count = blocks.touched_themselves(transitions, tied, out, count)
    return blocks.feature_support(
        c.edges, c.starts[i] + 1, blocks.pairs(edges), tied + transitions.size, out, count
    )


def squared_norm(c, i, mu):
    nodes, transitions, edges = split(c, i, mu)
    total = inner_products.squared_norm(c.products, i, 0, nodes) + square(transitions)
    if edges.shape[0] > 0:
        total += inner_products.squared_norm(c.edge_products, i, 1, blocks.pairs(edges))
    return total


def add_gram(c, i, weight, mu, out):
    nodes, transitions, edges = split(c, i, mu)
    out_nodes, out_transitions, out_edges = split(c, i, out)
    inner_products.add_product(c.products, i, 0, weight, nodes, out_nodes)
    add_scaled(weight, transitions, out_transitions)
    if edges.shape[0] > 0:
        inner_products.add_product(c.edge_products, i, 1, weight, blocks.pairs(edges), blocks.pairs(out_edges))


def labels(c, i, y, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = 0
        for k in range(K):
            if y[t * K + k] > 0.5:
                out[t] = k


def gold_labels(c, i, out):
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = c.y[c.starts[i] + t]


# ---- a whole split ---------------------------------------------------------------------------------


def with_used_features(c: Any, w: np.ndarray) -> tuple[Any, np.ndarray]:
    K = c.num_labels
    first, second = c.num_node_features * K, (c.num_node_features + K) * K
    x, nodes = ft.used_columns(c.x, w[:first].reshape(-1, K))
    edges, pairs = ft.used_columns(c.edges, w[second:].reshape(-1, K * K))
    if x is c.x and edges is c.edges:
        return c, w
    smaller = c._replace(x=x, edges=edges, num_node_features=len(nodes), num_edge_features=len(pairs))
    return smaller, np.concatenate([nodes.ravel(), w[first:second], pairs.ravel()])


def num_weights(c: Any) -> int:
    return c.num_node_features * c.num_labels + (1 + c.num_edge_features) * c.num_labels**2


def offsets(c: Any) -> np.ndarray:
    K = c.num_labels
    examples = np.arange(len(c.starts), dtype=np.int64)
    pairs = examples if c.num_edge_features == 0 else c.starts  # T - 1 observed edges and the tied one
    return c.starts * K + pairs * K * K


def add_expected_features(c: Any, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    K = c.num_labels
    wx, wt, we = split_weights.python(c, out)
    places = np.empty(int(c.starts[-1]), np.int64)
    parallel.for_each(_places, num_examples(c), c.starts, offsets, K, places)
    ft.add_transpose_times(c.x, places, mu, wx)
    tied = offsets[:-1] + np.diff(c.starts) * K
    ft.add_blocks(tied, mu, wt.reshape(K * K))
    if c.num_edge_features:  # the first node has none: its row is empty, any place will do
        parallel.for_each(_places, num_examples(c), c.starts, tied, K * K, places)
        ft.add_transpose_times(c.edges, places, mu, we)


@kernel
def _places(first, last, starts, offsets, stride, out):
    """Where the block of each node begins; blocks lie one after another from those of an example on."""
    for i in range(first, last):
        for t in range(starts[i], starts[i + 1]):
            out[t] = offsets[i] + (t - starts[i]) * stride


def taken(c: Any, examples: np.ndarray) -> tuple[np.ndarray, np.ndarray, ft.Features | None]:
    """What ``take`` builds from: the lengths of these examples, their nodes in order, and features of edges."""
    examples = checks.chosen(examples, len(c.starts) - 1)
    nodes = ranges(c.starts, examples)
    return np.diff(c.starts)[examples], nodes, ft.take_rows(c.edges, nodes) if c.num_edge_features else None


def of_block(c: Any, first: int, last: int) -> dict[str, Any]:
    """The fields of ``block`` that differ from those of all examples."""
    a, b = c.starts[first], c.starts[last]
    return {
        "x": ft.block_rows(c.x, a, b),
        "edges": ft.block_rows(c.edges, a, b) if c.num_edge_features else c.edges,
        "starts": frozen(c.starts[first : last + 1] - a, np.int64),
        "y": c.y[a:b],
        "products": inner_products.of_block(c.products, first, last),
        "edge_products": inner_products.of_block(c.edge_products, first, last),
    }
