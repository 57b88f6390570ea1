"""Nodes with a label each and edges between two of them: parts, weights, features and costs.

Edges are of kinds. Parts of an example of T nodes, E edges, R kinds and K labels, in this order: T x K nodes;
R x K x K transitions, tied, hence counted over all edges of a kind; and, where edges are observed, E blocks of
K x K. Weights, in the same order: (node columns, K), (R, K, K), (edge columns, K, K).

Feature rows, of nodes in ``x`` and of edges in ``edges``, begin at ``starts`` and ``edge_starts``. If that is
empty, each node but the first has one edge into it, whose row is the node's.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels, Matrix, frozen
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures import costs, inner_products, transposed
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.counting import Tokens
from structbench.algorithms.structures.labelled import blocks
from structbench.algorithms.structures.layouts import layout
from structbench.algorithms.structures.shared_columns import square

AT_NODES = frozen(np.empty(0), np.int64)  # ``edge_starts`` where the feature row of an edge is that of its node


@layout
class Labelled(NamedTuple):
    """A split of n examples; node t of example i is row starts[i] + t of the arrays per node.

    ``x``: node features, one row a node. ``edges``: features of edges, each in the row of the node that it goes
    to, or, with ``edge_starts``, in a row of its own. ``starts``: int64 (n + 1,). ``y``: int32, -1 for a label
    never seen in training. ``costs``: of wrong labels (``costs``). ``products``, ``edge_products``: the inner
    products of x_t and x_u, of all pairs of nodes of an example.
    """

    layouts = (Tokens,)

    x: ft.Features
    edges: ft.Features
    starts: Ints
    y: Labels
    products: inner_products.Products
    edge_products: inner_products.Products
    num_labels: int
    num_node_features: int
    num_edge_features: int
    costs: Matrix = costs.HAMMING
    edge_starts: Ints = AT_NODES
    num_kinds: int = 1


def shared_fields(
    x: ft.Features,
    starts: np.ndarray,
    y: np.ndarray,
    num_labels: int,
    edges: ft.Features,
    edge_starts: np.ndarray,
    learned_from: bool = True,
) -> dict[str, Any]:
    """The fields without defaults. ``edge_starts``: where each example's rows of ``edges`` begin, if any.

    ``learned_from``: if not, the examples are there to be labelled, and have no inner products.
    """
    edge_columns = ft.shape(edges)[1]
    products = inner_products.of_sequences if learned_from else inner_products.unread
    return {
        "x": x,
        "edges": edges,
        "starts": frozen(starts, np.int64),
        "y": frozen(y, np.int32),
        "products": products(x, starts),
        "edge_products": products(edges, edge_starts if edge_columns else 0 * edge_starts),
        "num_labels": int(num_labels),
        "num_node_features": ft.shape(x)[1],
        "num_edge_features": edge_columns,
    }


@kernel
def _num_edges(c, i):
    """The observed edges of an example."""
    if c.num_edge_features == 0:
        return 0
    return (c.edge_starts[i + 1] - c.edge_starts[i]) if len(c.edge_starts) else c.starts[i + 1] - c.starts[i] - 1


@kernel
def _first_edge(c, i):
    """The feature row of its first edge, and how many rows of the example are before that."""
    if c.num_edge_features == 0:
        return 0, 0
    return (c.edge_starts[i], 0) if len(c.edge_starts) else (c.starts[i] + 1, 1)


@implements(Labelled)
def num_parts(c, i):
    K = c.num_labels
    return (c.starts[i + 1] - c.starts[i]) * K + (c.num_kinds + _num_edges.python(c, i)) * K * K


@kernel
def _rows(c, i, v):
    """Views of a part vector: nodes (T, K), transitions (all,), edges (E or 0, K K)."""
    K, length = c.num_labels, c.starts[i + 1] - c.starts[i]
    first = length * K
    last = first + c.num_kinds * K * K
    edges = _num_edges(c, i)
    return v[:first].reshape((length, K)), v[first:last], v[last:].reshape((edges, K * K))


@kernel
def _weights(c, w):
    """Views of the weights: nodes (columns, K), transitions (all,), edges (edge columns, K K)."""
    K = c.num_labels
    first = c.num_node_features * K
    last = first + c.num_kinds * K * K
    return w[:first].reshape((-1, K)), w[first:last], w[last:].reshape((-1, K * K))


@implements(Labelled)
def scores(c, i, w, out):
    nodes, transitions, edges = _rows(c, i, out)
    wx, wt, we = _weights(c, w)
    blocks.scores(c.x, c.starts[i], wx, nodes)
    copy_to(wt, transitions)
    blocks.scores(c.edges, _first_edge(c, i)[0], we, edges)


@implements(Labelled)
def add_costs(c, i, weight, out):
    K, length = c.num_labels, c.starts[i + 1] - c.starts[i]
    if costs.is_share(c.costs):
        weight = weight / length
    for t in range(length):
        costs.add_costs_of_labels(c.costs, c.y[c.starts[i] + t], weight, out, t * K, K)


@implements(Labelled)
def add_features(c, i, weight, mu, w):
    _add(c, i, weight, mu, w)


@implements(Labelled)
def add_features_if_short(c, i, weight, mu, along, limit, w):
    """It adds them, and takes them away again if ||w||^2 grew too much: ``squared_norm`` would take far longer."""
    square = (_add(c, i, weight, mu, w) - 2.0 * weight * along) / (weight * weight)
    if square > limit:
        _add(c, i, -weight, mu, w)
    return square


@kernel
def _add(c, i, weight, mu, w):
    """``add_features``; returns by how much ||w||^2 grows."""
    nodes, transitions, edges = _rows(c, i, mu)
    wx, wt, we = _weights(c, w)
    growth = blocks.add_features(c.x, c.starts[i], weight, nodes, wx)
    growth += blocks.add_tied(weight, transitions, wt)
    return growth + blocks.add_features(c.edges, _first_edge(c, i)[0], weight, edges, we)


@implements(Labelled)
def feature_support(c, i, mu, out):
    nodes, transitions, edges = _rows(c, i, mu)
    tied = c.num_node_features * c.num_labels
    count = blocks.feature_support(c.x, c.starts[i], nodes, 0, out, 0)
    count = blocks.touched_themselves(transitions, tied, out, count)
    return blocks.feature_support(c.edges, _first_edge(c, i)[0], edges, tied + transitions.size, out, count)


@implements(Labelled)
def squared_norm(c, i, mu):
    nodes, transitions, edges = _rows(c, i, mu)
    total = inner_products.squared_norm(c.products, i, 0, nodes) + square(transitions)
    if edges.shape[0] > 0:
        total += inner_products.squared_norm(c.edge_products, i, _first_edge(c, i)[1], edges)
    return total


@implements(Labelled)
def add_gram(c, i, weight, mu, out):
    nodes, transitions, edges = _rows(c, i, mu)
    out_nodes, out_transitions, out_edges = _rows(c, i, out)
    inner_products.add_product(c.products, i, 0, weight, nodes, out_nodes)
    add_scaled(weight, transitions, out_transitions)
    if edges.shape[0] > 0:
        inner_products.add_product(c.edge_products, i, _first_edge(c, i)[1], weight, edges, out_edges)


@implements(Labelled)
def labels(c, i, y, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = 0
        for k in range(K):
            if y[t * K + k] > 0.5:
                out[t] = k


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Labelled)
def with_used_features(c: Any, w: np.ndarray) -> tuple[Any, np.ndarray]:
    wx, wt, we = _weights.python(c, w)
    x, nodes = ft.used_columns(c.x, wx)
    edges, pairs = ft.used_columns(c.edges, we)
    if x is c.x and edges is c.edges:
        return c, w
    smaller = c._replace(x=x, edges=edges, num_node_features=len(nodes), num_edge_features=len(pairs))
    return smaller, np.concatenate([nodes.ravel(), wt, pairs.ravel()])


@implements(Labelled)
def num_weights(c: Any) -> int:
    return c.num_node_features * c.num_labels + (c.num_kinds + c.num_edge_features) * c.num_labels**2


@implements(Labelled)
def add_expected_features(c: Any, first: int, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    some = slice(first, first + len(offsets))
    wx, wt, we = _weights.python(c, out)
    _add_rows(c.x, c.starts[some], offsets, mu, wx)
    tied = offsets.copy()
    tied[:-1] += np.diff(c.starts[some]) * c.num_labels
    transposed.add_blocks(tied[:-1], mu, wt)
    if c.num_edge_features and len(c.edge_starts):
        _add_rows(c.edges, c.edge_starts[some], tied + len(wt), mu, we)
    elif c.num_edge_features:  # the first node's row is empty: any place will do
        _add_rows(c.edges, c.starts[some], tied, mu, we)


def _add_rows(x: ft.Features, starts: np.ndarray, offsets: np.ndarray, mu: np.ndarray, W: np.ndarray) -> None:
    """W += the features of these examples' rows, whose blocks begin at ``offsets``, one after another."""
    before = offsets[:-1] - starts[:-1] * W.shape[1]
    places = np.repeat(before, np.diff(starts)) + np.arange(starts[0], starts[-1]) * W.shape[1]
    transposed.add_transpose_times(ft.block_rows(x, starts[0], starts[-1]), places, mu, W)
