"""Linear chains: sequences of labels with node features, tied transitions and, if given, edge features.

Parts of an example of T tokens and K labels, in this order: T x K nodes; one K x K block of transitions,
tied, hence counted over all positions; and, where edges are observed, T - 1 blocks of K x K. Weights, in
the same order: (node columns, K), (K, K), (edge columns, K, K).
"""

from typing import NamedTuple

import numpy as np

from algorithms.runtime import parallel
from algorithms.runtime.arrays import Floats, Ints, Labels, frozen
from algorithms.runtime.vector_math import copy_to
from algorithms.structures import features as ft
from algorithms.structures import inner_products
from algorithms.structures import interface as parts
from algorithms.structures.chain import touched as chain_touched
from algorithms.structures.chain.views import split, split_weights
from algorithms.structures.compiled import implements


class Chain(NamedTuple):
    """A split of n sequences; token t of sequence i is row starts[i] + t of the arrays per token.

    x: node features, one row a token. edges: features of the pair (token before, token), one row a token,
    the first of each sequence empty. starts: int64 (n + 1,). y: int32, -1 for a label never seen in
    training. grams: x_t . x_u for all pairs of tokens of a sequence, one after another from
    gram_starts[i]; edge_grams likewise.
    """

    id = "chain"

    x: ft.Features
    edges: ft.Features
    starts: Ints
    y: Labels
    gram_starts: Ints
    grams: Floats
    edge_grams: Floats
    num_labels: int
    num_node_features: int
    num_edge_features: int


def build(
    x: ft.Features,
    lengths: np.ndarray,
    y: np.ndarray,
    num_labels: int,
    edges: ft.Features | None = None,
) -> Chain:
    """A split from node features, sequence lengths (n,), labels (tokens,) and, maybe, edge features.

    Raises:
        ValueError: lengths, rows and labels disagree, a sequence is empty, or a label is out of range.
    """
    lengths = np.asarray(lengths, np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    y = frozen(y, np.int32)
    tokens = int(starts[-1])
    rows, columns = ft.shape(x)
    if len(lengths) and lengths.min() < 1:
        raise ValueError(f"sequence {int(lengths.argmin())} has no tokens")
    if rows != tokens or len(y) != tokens:
        raise ValueError(f"lengths add up to {tokens} tokens, but there are {rows} rows and {len(y)} labels")
    if len(y) and not (y.min() >= -1 and y.max() < num_labels):
        raise ValueError(f"labels must lie in -1 .. {num_labels - 1}, not {y.min()} .. {y.max()}")
    edges = ft.empty() if edges is None else edges
    edge_rows, edge_columns = ft.shape(edges)
    if edge_columns and edge_rows != tokens:
        raise ValueError(f"{tokens} tokens but {edge_rows} rows of edge features")
    if edge_columns and abs(ft.as_matrix(edges)[starts[:-1]]).sum() != 0:
        raise ValueError("the first token of a sequence has no edge: its row of edge features must be empty")
    starts = frozen(starts, np.int64)
    gram_starts = frozen(np.concatenate([[0], np.cumsum(lengths**2)]), np.int64)
    grams = np.zeros(gram_starts[-1])
    parallel.for_each(inner_products.fill, len(lengths), x, starts, gram_starts, grams)
    edge_grams = np.zeros(gram_starts[-1] if edge_columns else 0)
    if edge_columns:
        parallel.for_each(inner_products.fill, len(lengths), edges, starts, gram_starts, edge_grams)
    kept = frozen(grams, np.float64), frozen(edge_grams, np.float64)
    return Chain(x, edges, starts, y, gram_starts, *kept, int(num_labels), columns, edge_columns)


@implements(Chain)
def num_examples(c):
    return c.starts.shape[0] - 1


@implements(Chain)
def num_outputs(c, i):
    return c.starts[i + 1] - c.starts[i]


@implements(Chain)
def num_parts(c, i):
    length = c.starts[i + 1] - c.starts[i]
    observed = length - 1 if c.num_edge_features > 0 else 0
    return length * c.num_labels + (1 + observed) * c.num_labels * c.num_labels


@implements(Chain)
def scores(c, i, w, out):
    nodes, transitions, edges = split(c, i, out)
    wx, wt, we = split_weights(c, w)
    nodes[:] = 0.0
    for t in range(nodes.shape[0]):
        ft.add_row_times(c.x, c.starts[i] + t, wx, nodes[t])
    copy_to(wt, transitions)
    for t in range(edges.shape[0]):
        block = edges[t].reshape(c.num_labels * c.num_labels)
        block[:] = 0.0
        ft.add_row_times(c.edges, c.starts[i] + t + 1, we, block)


@implements(Chain)
def add_losses(c, i, weight, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        right = c.y[c.starts[i] + t]
        for k in range(K):
            if k != right:
                out[t * K + k] += weight


@implements(Chain)
def add_features(c, i, weight, mu, w):
    nodes, transitions, edges = split(c, i, mu)
    wx, wt, we = split_weights(c, w)
    K = c.num_labels
    row = np.empty(K)
    for t in range(nodes.shape[0]):
        for k in range(K):
            row[k] = weight * nodes[t, k]
        ft.add_outer(c.x, c.starts[i] + t, row, wx, 0, wx.shape[0])
    for j in range(K):
        for k in range(K):
            wt[j, k] += weight * transitions[j, k]
    if edges.shape[0] > 0:
        scaled = np.empty(K * K)
        for t in range(edges.shape[0]):
            block = edges[t].reshape(K * K)
            for k in range(K * K):
                scaled[k] = weight * block[k]
            ft.add_outer(c.edges, c.starts[i] + t + 1, scaled, we, 0, we.shape[0])


@implements(Chain)
def touched(c, i, mu, out):
    nodes, transitions, edges = split(c, i, mu)
    return chain_touched.fill(c.x, c.edges, c.starts[i], c.num_node_features, nodes, transitions, edges, out)


@implements(Chain)
def squared_norm(c, i, mu):
    nodes, transitions, edges = split(c, i, mu)
    K = c.num_labels
    length = nodes.shape[0]
    total = inner_products.squared_norm(c.grams[c.gram_starts[i] : c.gram_starts[i + 1]], length, 0, nodes)
    for j in range(K):
        for k in range(K):
            total += transitions[j, k] * transitions[j, k]
    if edges.shape[0] > 0:
        blocks = edges.reshape((edges.shape[0], K * K))
        grams = c.edge_grams[c.gram_starts[i] : c.gram_starts[i + 1]]
        total += inner_products.squared_norm(grams, length, 1, blocks)
    return total


@implements(Chain)
def add_gram(c, i, weight, mu, out):
    nodes, transitions, edges = split(c, i, mu)
    out_nodes, out_transitions, out_edges = split(c, i, out)
    K = c.num_labels
    length = nodes.shape[0]
    inner_products.add_product(
        c.grams[c.gram_starts[i] : c.gram_starts[i + 1]], length, 0, weight, nodes, out_nodes
    )
    for j in range(K):
        for k in range(K):
            out_transitions[j, k] += weight * transitions[j, k]
    observed = edges.shape[0]
    if observed > 0:
        grams = c.edge_grams[c.gram_starts[i] : c.gram_starts[i + 1]]
        blocks, out_blocks = edges.reshape((observed, K * K)), out_edges.reshape((observed, K * K))
        inner_products.add_product(grams, length, 1, weight, blocks, out_blocks)


@implements(Chain)
def gold(c, i, y):
    nodes, transitions, edges = split(c, i, y)
    y[:] = 0.0
    before = -1
    for t in range(nodes.shape[0]):
        right = c.y[c.starts[i] + t]
        if right >= 0:
            nodes[t, right] = 1.0
        if before >= 0 and right >= 0:
            transitions[before, right] += 1.0
            if edges.shape[0] > 0:
                edges[t - 1, before, right] = 1.0
        before = right


@implements(Chain)
def labels(c, i, y, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        for k in range(K):
            if y[t * K + k] > 0.5:
                out[t] = k


@implements(Chain)
def gold_labels(c, i, out):
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = c.y[c.starts[i] + t]


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Chain)
def label_sequences(c: Chain) -> parts.LabelSequences:
    return parts.LabelSequences(c.x, c.y, c.starts, c.num_labels, c.num_edge_features)


@implements(Chain)
def with_used_features(c: Chain, w: np.ndarray) -> tuple[Chain, np.ndarray]:
    K = c.num_labels
    first, second = c.num_node_features * K, (c.num_node_features + K) * K
    x, nodes = ft.used_columns(c.x, w[:first].reshape(-1, K))
    edges, pairs = ft.used_columns(c.edges, w[second:].reshape(-1, K * K))
    smaller = c._replace(x=x, edges=edges, num_node_features=len(nodes), num_edge_features=len(pairs))
    return smaller, np.concatenate([nodes.ravel(), w[first:second], pairs.ravel()])


@implements(Chain)
def num_weights(c: Chain) -> int:
    return c.num_node_features * c.num_labels + (1 + c.num_edge_features) * c.num_labels**2


@implements(Chain)
def offsets(c: Chain) -> np.ndarray:
    K = c.num_labels
    sequences = np.arange(len(c.starts), dtype=np.int64)
    blocks = sequences if c.num_edge_features == 0 else c.starts  # T - 1 observed edges and the tied one
    return c.starts * K + blocks * K * K


@implements(Chain)
def add_expected_features(c: Chain, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    K = c.num_labels
    lengths = np.diff(c.starts)
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(c.starts[-1]) - c.starts[sequence]
    wx, wt, we = split_weights.python(c, out)
    ft.add_transpose_times(c.x, offsets[sequence] + position * K, mu, wx)
    tied = offsets[:-1] + lengths * K
    ft.add_blocks(tied, mu, wt.reshape(K * K))
    if c.num_edge_features:
        edge_starts = tied[sequence] + K * K * position
        edge_starts[position == 0] = 0  # no edge there: its row is empty, so any valid start will do
        ft.add_transpose_times(c.edges, edge_starts, mu, we)


@implements(Chain)
def take(c: Chain, examples: np.ndarray) -> Chain:
    lengths = np.diff(c.starts)[examples]
    tokens = np.concatenate([np.arange(c.starts[i], c.starts[i + 1]) for i in examples])
    edges = ft.take_rows(c.edges, tokens) if c.num_edge_features else None
    return build(ft.take_rows(c.x, tokens), lengths, c.y[tokens], c.num_labels, edges)


@implements(Chain)
def block(c: Chain, first: int, last: int) -> Chain:
    a, b = c.starts[first], c.starts[last]
    return c._replace(
        x=ft.block_rows(c.x, a, b),
        edges=ft.block_rows(c.edges, a, b) if c.num_edge_features else c.edges,
        starts=frozen(c.starts[first : last + 1] - a, np.int64),
        y=c.y[a:b],
        gram_starts=c.gram_starts[first : last + 1],
    )
