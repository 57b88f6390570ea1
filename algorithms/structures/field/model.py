"""Markov fields: a label for each node of any graph, with features of nodes and of edges (eg2004, Example 1).

Edges are of kinds, each with transitions of its own: the neighbours of a chain and the far pairs of a skip
chain, say. Parts of an example of T nodes, E edges, R kinds and K labels, in this order: T x K nodes; R x K x K
transitions, tied, hence counted over all edges of a kind; and, where edges are observed, E blocks of K x K.
Weights, in the same order: (node columns, K), (R, K, K), (edge columns, K, K). The loss is the Hamming loss.

A node may have fewer labels than K: the first so many. Inference takes time and memory in the product of the
labels of a node and its separator (``elimination``), summed over nodes: a width over ``max_width`` is refused.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.runtime import parallel
from algorithms.runtime.arrays import Floats, Ints, LabelRows, Labels, frozen, ranges
from algorithms.runtime.errors import UserError
from algorithms.runtime.kernel import kernel
from algorithms.runtime.vector_math import copy_to
from algorithms.structures import features as ft
from algorithms.structures import inner_products
from algorithms.structures.compiled import implements
from algorithms.structures.field.elimination import Elimination, min_fill

MAX_WIDTH = 3


class Field(NamedTuple):
    """A split of n graphs; node t of graph i is row starts[i] + t of the arrays per node, edges likewise.

    x, edges: features of nodes and of edges, the latter without columns if edges are not observed. ends: int32
    (edges, 2), the nodes that an edge joins; kinds: int32. counts: int32, the labels of each node. y: int32, -1
    for a label never seen in training. order: int32, the nodes of each graph in the order of elimination;
    separators: their separators, that of the p-th from separator_starts[starts[i] + p] on; edges_of: int64
    (nodes + 1,): the edges whose end eliminated first is the p-th are those from edges_of[starts[i] + p] on,
    numbered in all graphs. gram_starts, grams: x_t . x_u for all pairs of a graph; edge_gram_starts, edge_grams
    likewise.
    """

    id = "field"

    x: ft.Features
    edges: ft.Features
    starts: Ints
    edge_starts: Ints
    ends: LabelRows
    kinds: Labels
    counts: Labels
    y: Labels
    order: Labels
    separator_starts: Ints
    separators: Labels
    edges_of: Ints
    gram_starts: Ints
    grams: Floats
    edge_gram_starts: Ints
    edge_grams: Floats
    num_labels: int
    num_kinds: int
    num_node_features: int
    num_edge_features: int


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
        ValueError: these do not fit together, or an edge joins a node with itself or one that is not there.
        UserError: a graph's width is over ``max_width``.
    """
    lengths, edge_counts = np.asarray(lengths, np.int64), np.asarray(edge_counts, np.int64)
    starts, edge_starts = (np.concatenate([[0], np.cumsum(each)]) for each in (lengths, edge_counts))
    nodes, joined = int(starts[-1]), int(edge_starts[-1])
    ends = np.asarray(ends, np.int64).reshape(-1, 2)
    kinds = np.zeros(joined, np.int64) if kinds is None else np.asarray(kinds)
    counts = np.full(nodes, num_labels) if counts is None else np.asarray(counts)
    edges = ft.empty() if edges is None else edges
    rows, columns = ft.shape(x)
    edge_rows, edge_columns = ft.shape(edges)
    if len(lengths) and lengths.min() < 1:
        raise ValueError(f"graph {int(lengths.argmin())} has no nodes")
    if not rows == len(y) == len(counts) == nodes:
        raise ValueError(
            f"lengths add up to {nodes} nodes, but there are {rows} rows, {len(y)} labels and {len(counts)} counts"
        )
    if not len(ends) == len(kinds) == joined or (edge_columns and edge_rows != joined):
        raise ValueError(
            f"edge_counts add up to {joined} edges, but there are {len(ends)} pairs of ends, {len(kinds)} kinds "
            f"and {edge_rows} rows"
        )
    if ((y < -1) | (y >= counts)).any() or (counts < 1).any() or (counts > num_labels).any():
        raise ValueError(f"labels must lie in -1 .. each node's count - 1, and counts in 1 .. {num_labels}")
    if ((kinds < 0) | (kinds >= num_kinds)).any():
        raise ValueError(f"kinds must lie in 0 .. {num_kinds - 1}")
    most = np.repeat(lengths, edge_counts)[:, None]
    if ((ends < 0) | (ends >= most)).any() or (ends[:, 0] == ends[:, 1]).any():
        raise ValueError("the ends of an edge must be two nodes of its graph")
    found, by_bucket, edges_of = _eliminated(starts, edge_starts, ends, max_width)
    edges = ft.take_rows(edges, by_bucket) if edge_columns else edges
    separators = [near for each in found for near in each.separators]
    gram_starts, grams = _grams(x, starts, lengths)
    edge_gram_starts, edge_grams = _grams(edges, edge_starts, edge_counts) if edge_columns else (edge_starts, [])
    return Field(
        x=x,
        edges=edges,
        starts=frozen(starts, np.int64),
        edge_starts=frozen(edge_starts, np.int64),
        ends=frozen(ends[by_bucket], np.int32),
        kinds=frozen(kinds[by_bucket], np.int32),
        counts=frozen(counts, np.int32),
        y=frozen(y, np.int32),
        order=frozen([v for each in found for v in each.order], np.int32),
        separator_starts=frozen(np.concatenate([[0], np.cumsum([len(near) for near in separators])]), np.int64),
        separators=frozen([v for near in separators for v in near], np.int32),
        edges_of=frozen(edges_of, np.int64),
        gram_starts=frozen(gram_starts, np.int64),
        grams=frozen(grams, np.float64),
        edge_gram_starts=frozen(edge_gram_starts, np.int64),
        edge_grams=frozen(edge_grams, np.float64),
        num_labels=int(num_labels),
        num_kinds=int(num_kinds),
        num_node_features=columns,
        num_edge_features=edge_columns,
    )


def _eliminated(
    starts: np.ndarray, edge_starts: np.ndarray, ends: np.ndarray, max_width: int
) -> tuple[list[Elimination], np.ndarray, np.ndarray]:
    """The elimination of each graph; the edges in the order of their ends eliminated first; where those begin."""
    known: dict[tuple[int, bytes], Elimination] = {}  # most graphs are of few shapes
    found, ranks = [], np.empty(len(ends), np.int64)
    for i in range(len(starts) - 1):
        nodes, own = int(starts[i + 1] - starts[i]), slice(edge_starts[i], edge_starts[i + 1])
        shape = nodes, ends[own].tobytes()
        if shape not in known:
            known[shape] = min_fill(nodes, ends[own])
        found.append(known[shape])
        if found[-1].width > max_width:
            raise UserError(
                f"graph {i}, of {nodes} nodes, has width {found[-1].width}: expected at most {max_width}, as "
                "inference takes the number of labels to the power of the width plus 1"
            )
        rank = np.empty(nodes, np.int64)
        rank[found[-1].order] = starts[i] + np.arange(nodes)
        ranks[own] = rank[ends[own]].min(axis=1) if len(ends[own]) else 0
    by_bucket = np.argsort(ranks, kind="stable")
    return found, by_bucket, np.searchsorted(ranks[by_bucket], np.arange(starts[-1] + 1))


def _grams(x: ft.Features, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    gram_starts = np.concatenate([[0], np.cumsum(lengths**2)])
    grams = np.zeros(gram_starts[-1])
    parallel.for_each(
        inner_products.fill, len(lengths), x, frozen(starts, np.int64), frozen(gram_starts, np.int64), grams
    )
    return gram_starts, grams


@kernel
def split(c, i, v):
    """Views of a part vector: nodes (T, K), transitions (R, K, K), edges (E or 0, K, K)."""
    K, T = c.num_labels, c.starts[i + 1] - c.starts[i]
    observed = c.edge_starts[i + 1] - c.edge_starts[i] if c.num_edge_features > 0 else 0
    a = T * K
    b = a + c.num_kinds * K * K
    return v[:a].reshape((T, K)), v[a:b].reshape((c.num_kinds, K, K)), v[b:].reshape((observed, K, K))


@kernel
def _split_weights(c, w):
    """Views of the weights: nodes (columns, K), transitions, edges (edge columns, K * K)."""
    K = c.num_labels
    a = c.num_node_features * K
    b = a + c.num_kinds * K * K
    return w[:a].reshape((-1, K)), w[a:b].reshape((c.num_kinds, K, K)), w[b:].reshape((-1, K * K))


@implements(Field)
def num_examples(c):
    return c.starts.shape[0] - 1


@implements(Field)
def num_outputs(c, i):
    return c.starts[i + 1] - c.starts[i]


@implements(Field)
def num_parts(c, i):
    K = c.num_labels
    observed = c.edge_starts[i + 1] - c.edge_starts[i] if c.num_edge_features > 0 else 0
    return (c.starts[i + 1] - c.starts[i]) * K + (c.num_kinds + observed) * K * K


@implements(Field)
def scores(c, i, w, out):
    nodes, transitions, edges = split(c, i, out)
    wx, wt, we = _split_weights(c, w)
    nodes[:] = 0.0
    for t in range(nodes.shape[0]):
        ft.add_row_times(c.x, c.starts[i] + t, wx, nodes[t])
    copy_to(wt, transitions)
    for e in range(edges.shape[0]):
        block = edges[e].reshape(c.num_labels * c.num_labels)
        block[:] = 0.0
        ft.add_row_times(c.edges, c.edge_starts[i] + e, we, block)


@implements(Field)
def add_losses(c, i, weight, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        for k in range(K):
            if k != c.y[c.starts[i] + t]:
                out[t * K + k] += weight


@implements(Field)
def add_features(c, i, weight, mu, w):
    nodes, transitions, edges = split(c, i, mu)
    wx, wt, we = _split_weights(c, w)
    K = c.num_labels
    row, scaled = np.empty(K), np.empty(K * K)
    for t in range(nodes.shape[0]):
        for k in range(K):
            row[k] = weight * nodes[t, k]
        ft.add_outer(c.x, c.starts[i] + t, row, wx, 0, wx.shape[0])
    from_parts, into = transitions.reshape(transitions.size), wt.reshape(wt.size)
    for k in range(into.shape[0]):
        into[k] += weight * from_parts[k]
    for e in range(edges.shape[0]):
        block = edges[e].reshape(K * K)
        for k in range(K * K):
            scaled[k] = weight * block[k]
        ft.add_outer(c.edges, c.edge_starts[i] + e, scaled, we, 0, we.shape[0])


@implements(Field)
def touched(c, i, mu, out):
    nodes, transitions, edges = split(c, i, mu)
    K, count = c.num_labels, 0
    for t in range(nodes.shape[0]):
        for k in range(K):
            if nodes[t, k] != 0.0:
                count = ft.row_columns(c.x, c.starts[i] + t, k, K, out, count)
    tied, first = transitions.reshape(transitions.size), c.num_node_features * K
    for k in range(tied.shape[0]):
        if tied[k] != 0.0:
            if count < out.shape[0]:
                out[count] = first + k
            count += 1
    for e in range(edges.shape[0]):
        block = edges[e].reshape(K * K)
        for k in range(K * K):
            if block[k] != 0.0:
                begin = count
                count = ft.row_columns(c.edges, c.edge_starts[i] + e, k, K * K, out, count)
                for p in range(begin, min(count, out.shape[0])):
                    out[p] += first + tied.shape[0]
    return count


@implements(Field)
def squared_norm(c, i, mu):
    nodes, transitions, edges = split(c, i, mu)
    total = inner_products.squared_norm(c.grams[c.gram_starts[i] : c.gram_starts[i + 1]], nodes.shape[0], 0, nodes)
    tied = transitions.reshape(transitions.size)
    for k in range(tied.shape[0]):
        total += tied[k] * tied[k]
    if edges.shape[0] > 0:
        blocks = edges.reshape((edges.shape[0], c.num_labels * c.num_labels))
        grams = c.edge_grams[c.edge_gram_starts[i] : c.edge_gram_starts[i + 1]]
        total += inner_products.squared_norm(grams, edges.shape[0], 0, blocks)
    return total


@implements(Field)
def add_gram(c, i, weight, mu, out):
    nodes, transitions, edges = split(c, i, mu)
    out_nodes, out_transitions, out_edges = split(c, i, out)
    grams = c.grams[c.gram_starts[i] : c.gram_starts[i + 1]]
    inner_products.add_product(grams, nodes.shape[0], 0, weight, nodes, out_nodes)
    tied, into = transitions.reshape(transitions.size), out_transitions.reshape(transitions.size)
    for k in range(tied.shape[0]):
        into[k] += weight * tied[k]
    observed, square = edges.shape[0], c.num_labels * c.num_labels
    if observed > 0:
        blocks, out_blocks = edges.reshape((observed, square)), out_edges.reshape((observed, square))
        grams = c.edge_grams[c.edge_gram_starts[i] : c.edge_gram_starts[i + 1]]
        inner_products.add_product(grams, observed, 0, weight, blocks, out_blocks)


@implements(Field)
def gold(c, i, y):
    nodes, transitions, edges = split(c, i, y)
    y[:] = 0.0
    first = c.starts[i]
    for t in range(nodes.shape[0]):
        if c.y[first + t] >= 0:
            nodes[t, c.y[first + t]] = 1.0
    for e in range(c.edge_starts[i + 1] - c.edge_starts[i]):
        at = c.edge_starts[i] + e
        j, k = c.y[first + c.ends[at, 0]], c.y[first + c.ends[at, 1]]
        if j >= 0 and k >= 0:
            transitions[c.kinds[at], j, k] += 1.0
            if edges.shape[0] > 0:
                edges[e, j, k] = 1.0


@implements(Field)
def labels(c, i, y, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = 0  # no output at all is best of scores that are not finite
        for k in range(K):
            if y[t * K + k] > 0.5:
                out[t] = k


@implements(Field)
def gold_labels(c, i, out):
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = c.y[c.starts[i] + t]


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Field)
def num_weights(c: Field) -> int:
    return c.num_node_features * c.num_labels + (c.num_kinds + c.num_edge_features) * c.num_labels**2


@implements(Field)
def offsets(c: Field) -> np.ndarray:
    K, examples = c.num_labels, np.arange(len(c.starts), dtype=np.int64)
    observed = c.edge_starts if c.num_edge_features else 0 * examples
    return c.starts * K + (examples * c.num_kinds + observed) * K * K


@implements(Field)
def add_expected_features(c: Field, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    K, lengths, edge_counts = c.num_labels, np.diff(c.starts), np.diff(c.edge_starts)
    wx, wt, we = _split_weights.python(c, out)
    graph = np.repeat(np.arange(len(lengths)), lengths)
    own = np.arange(c.starts[-1]) - c.starts[graph]
    ft.add_transpose_times(c.x, offsets[graph] + own * K, mu, wx)
    tied = offsets[:-1] + lengths * K
    ft.add_blocks(tied, mu, wt.reshape(wt.size))
    if c.num_edge_features:
        graph = np.repeat(np.arange(len(lengths)), edge_counts)
        own = np.arange(c.edge_starts[-1]) - c.edge_starts[graph]
        ft.add_transpose_times(c.edges, tied[graph] + (c.num_kinds + own) * K * K, mu, we)


@implements(Field)
def take(c: Field, examples: np.ndarray) -> Field:
    nodes, joined = ranges(c.starts, examples), ranges(c.edge_starts, examples)
    return build(
        ft.take_rows(c.x, nodes),
        np.diff(c.starts)[examples],
        c.y[nodes],
        c.num_labels,
        c.ends[joined],
        np.diff(c.edge_starts)[examples],
        ft.take_rows(c.edges, joined) if c.num_edge_features else None,
        c.kinds[joined],
        c.counts[nodes],
        c.num_kinds,
        max_width=int(c.starts[-1]),
    )


@implements(Field)
def block(c: Field, first: int, last: int) -> Field:
    (a, b), (d, e) = c.starts[[first, last]], c.edge_starts[[first, last]]
    fields: dict[str, Any] = {name: getattr(c, name)[a:b] for name in ("counts", "y", "order")}
    return c._replace(
        **fields,
        x=ft.block_rows(c.x, a, b),
        edges=ft.block_rows(c.edges, d, e) if c.num_edge_features else c.edges,
        starts=frozen(c.starts[first : last + 1] - a, np.int64),
        edge_starts=frozen(c.edge_starts[first : last + 1] - d, np.int64),
        ends=c.ends[d:e],
        kinds=c.kinds[d:e],
        separator_starts=c.separator_starts[a : b + 1],
        edges_of=frozen(c.edges_of[a : b + 1] - d, np.int64),
        gram_starts=c.gram_starts[first : last + 1],
        edge_gram_starts=c.edge_gram_starts[first : last + 1],
    )
