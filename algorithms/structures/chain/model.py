"""Linear chains: sequences of labels with node features, tied transitions and, if given, edge features.

Parts of an example of T tokens and K labels, in this order: T x K nodes; one K x K block of transitions,
tied, hence counted over all positions; and, where edges are observed, T - 1 blocks of K x K. Weights, in
the same order: (node columns, K), (K, K), (edge columns, K, K).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from algorithms.runtime import parallel
from algorithms.structures import features as ft
from algorithms.structures import inner_products
from algorithms.structures import interface as parts
from algorithms.structures.chain import cliques as chain_cliques
from algorithms.structures.chain import touched as chain_touched
from algorithms.structures.chain.forward_backward import forward_backward, viterbi


class Chain(NamedTuple):
    """A split of n sequences; token t of sequence i is row starts[i] + t of the arrays per token.

    x: node features, one row a token. edges: features of the pair (token before, token), one row a token,
    the first of each sequence empty. starts: int64 (n + 1,). y: int32, -1 for a label never seen in
    training. grams: x_t . x_u for all pairs of tokens of a sequence, one after another from
    gram_starts[i]; edge_grams likewise.
    """

    x: ft.Features
    edges: ft.Features
    starts: np.ndarray
    y: np.ndarray
    gram_starts: np.ndarray
    grams: np.ndarray
    edge_grams: np.ndarray
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
    y = ft.frozen(y, np.int32)
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
    starts = ft.frozen(starts, np.int64)
    gram_starts = ft.frozen(np.concatenate([[0], np.cumsum(lengths**2)]), np.int64)
    grams = np.zeros(gram_starts[-1])
    parallel.for_each(inner_products.fill, len(lengths), x, starts, gram_starts, grams)
    edge_grams = np.zeros(gram_starts[-1] if edge_columns else 0)
    if edge_columns:
        parallel.for_each(inner_products.fill, len(lengths), edges, starts, gram_starts, edge_grams)
    frozen = ft.frozen(grams, np.float64), ft.frozen(edge_grams, np.float64)
    return Chain(x, edges, starts, y, gram_starts, *frozen, int(num_labels), columns, edge_columns)


@njit(cache=True, error_model="numpy")
def _split(c, i, v):
    """Views of a part vector: nodes (T, K), transitions (K, K), edges (T - 1 or 0, K, K)."""
    K = c.num_labels
    length = c.starts[i + 1] - c.starts[i]
    nodes = v[: length * K].reshape((length, K))
    transitions = v[length * K : length * K + K * K].reshape((K, K))
    observed = length - 1 if c.num_edge_features > 0 else 0
    edges = v[length * K + K * K : length * K + K * K + observed * K * K].reshape((observed, K, K))
    return nodes, transitions, edges


@njit(cache=True, error_model="numpy")
def split_weights(c, w):
    """Views of the weights: nodes (columns, K), transitions (K, K), edges (edge columns, K * K)."""
    K = c.num_labels
    a = c.num_node_features * K
    b = a + K * K
    return w[:a].reshape((-1, K)), w[a:b].reshape((K, K)), w[b:].reshape((-1, K * K))


@parts.implements(parts.num_examples, Chain)
def _(c):
    return c.starts.shape[0] - 1


@parts.implements(parts.num_outputs, Chain)
def _(c, i):
    return c.starts[i + 1] - c.starts[i]


@parts.implements(parts.num_parts, Chain)
def _(c, i):
    length = c.starts[i + 1] - c.starts[i]
    observed = length - 1 if c.num_edge_features > 0 else 0
    return length * c.num_labels + (1 + observed) * c.num_labels * c.num_labels


@parts.implements(parts.scores, Chain)
def _(c, i, w, out):
    nodes, transitions, edges = _split(c, i, out)
    wx, wt, we = split_weights(c, w)
    nodes[:] = 0.0
    for t in range(nodes.shape[0]):
        ft.add_row_times(c.x, c.starts[i] + t, wx, nodes[t])
    transitions[:] = wt
    for t in range(edges.shape[0]):
        block = edges[t].reshape(c.num_labels * c.num_labels)
        block[:] = 0.0
        ft.add_row_times(c.edges, c.starts[i] + t + 1, we, block)


@parts.implements(parts.add_losses, Chain)
def _(c, i, weight, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        right = c.y[c.starts[i] + t]
        for k in range(K):
            if k != right:
                out[t * K + k] += weight


@parts.implements(parts.add_features, Chain)
def _(c, i, weight, mu, w):
    nodes, transitions, edges = _split(c, i, mu)
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


@parts.implements(parts.touched, Chain)
def _(c, i, mu, out):
    nodes, transitions, edges = _split(c, i, mu)
    return chain_touched.fill(c.x, c.edges, c.starts[i], c.num_node_features, nodes, transitions, edges, out)


@parts.implements(parts.squared_norm, Chain)
def _(c, i, mu):
    nodes, transitions, edges = _split(c, i, mu)
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


@parts.implements(parts.add_gram, Chain)
def _(c, i, weight, mu, out):
    nodes, transitions, edges = _split(c, i, mu)
    out_nodes, out_transitions, out_edges = _split(c, i, out)
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


@parts.implements(parts.gold, Chain)
def _(c, i, y):
    nodes, transitions, edges = _split(c, i, y)
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


@parts.implements(parts.labels, Chain)
def _(c, i, y, out):
    K = c.num_labels
    for t in range(c.starts[i + 1] - c.starts[i]):
        for k in range(K):
            if y[t * K + k] > 0.5:
                out[t] = k


@parts.implements(parts.gold_labels, Chain)
def _(c, i, out):
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = c.y[c.starts[i] + t]


# ---- inference -------------------------------------------------------------------------------------


@parts.implements(parts.marginals, Chain)
def _(c, i, s, mu):
    nodes, transitions, edges = _split(c, i, s)
    mu_nodes, mu_transitions, mu_edges = _split(c, i, mu)
    return forward_backward(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)


@parts.implements(parts.argmax, Chain)
def _(c, i, s, y):
    nodes, transitions, edges = _split(c, i, s)
    y_nodes, y_transitions, y_edges = _split(c, i, y)
    return viterbi(nodes, transitions, edges, y_nodes, y_transitions, y_edges)


# ---- cliques: the nodes, then the pairs of neighbours, position by position -------------------------


@njit(cache=True, error_model="numpy")
def _split_cliques(c, i, b):
    """Views of clique marginals: nodes (T, K), pairs (T - 1, K, K)."""
    K = c.num_labels
    length = c.starts[i + 1] - c.starts[i]
    return b[: length * K].reshape((length, K)), b[length * K :].reshape((length - 1, K, K))


@parts.implements(parts.num_cliques, Chain)
def _(c, i):
    length = c.starts[i + 1] - c.starts[i]
    return length * c.num_labels + (length - 1) * c.num_labels * c.num_labels


@parts.implements(parts.clique_marginals, Chain)
def _(c, i, s, b):
    nodes, transitions, edges = _split(c, i, s)
    b_nodes, b_pairs = _split_cliques(c, i, b)
    return forward_backward(nodes, transitions, edges, b_nodes, np.empty_like(transitions), b_pairs)


@parts.implements(parts.cliques_of_output, Chain)
def _(c, i, y, b):
    K = c.num_labels
    b[:] = 0.0
    nodes, pairs = _split_cliques(c, i, b)
    before = -1
    for t in range(nodes.shape[0]):
        label = 0
        for k in range(K):
            if y[t * K + k] > 0.5:
                label = k
        nodes[t, label] = 1.0
        if t > 0:
            pairs[t - 1, before, label] = 1.0
        before = label


@parts.implements(parts.parts_of_cliques, Chain)
def _(c, i, b, mu):
    b_nodes, b_pairs = _split_cliques(c, i, b)
    nodes, transitions, edges = _split(c, i, mu)
    nodes[:] = b_nodes
    transitions[:] = 0.0
    for t in range(b_pairs.shape[0]):
        transitions += b_pairs[t]
    if edges.shape[0] > 0:
        edges[:] = b_pairs


@parts.implements(parts.entropy, Chain)
def _(c, i, b):
    nodes, pairs = _split_cliques(c, i, b)
    return chain_cliques.entropy(nodes, pairs)


@parts.implements(parts.entropy_slopes, Chain)
def _(c, i, b, d):
    nodes, pairs = _split_cliques(c, i, b)
    d_nodes, d_pairs = _split_cliques(c, i, d)
    return chain_cliques.entropy_slopes(nodes, pairs, d_nodes, d_pairs)


@parts.implements(parts.support_argmin, Chain)
def _(c, i, s, b, floor, y):
    s_nodes, s_transitions, s_edges = _split(c, i, s)
    b_nodes, b_pairs = _split_cliques(c, i, b)
    y_nodes, y_transitions, y_edges = _split(c, i, y)
    blocked_nodes, blocked = chain_cliques.blocked(s_nodes, s_transitions, s_edges, b_nodes, b_pairs, floor)
    none = np.zeros_like(s_transitions)
    spare = np.empty_like(blocked)
    value = -viterbi(blocked_nodes, none, blocked, y_nodes, y_transitions, spare)
    if value == np.inf:
        y[:] = 0.0
    elif y_edges.shape[0] > 0:
        y_edges[:] = spare
    return value


@parts.implements(parts.smallest_clique, Chain)
def _(c, i, b, y, other):
    nodes, pairs = _split_cliques(c, i, b)
    K = c.num_labels
    return chain_cliques.smallest(
        nodes, pairs, y[: nodes.size].reshape((-1, K)), other[: nodes.size].reshape((-1, K))
    )


@parts.implements(parts.log_conditionals, Chain)
def _(c, i, b, s):
    b_nodes, b_pairs = _split_cliques(c, i, b)
    nodes, transitions, edges = _split(c, i, s)
    chain_cliques.log_conditionals(b_nodes, b_pairs, nodes, transitions, edges)


# ---- a whole split ---------------------------------------------------------------------------------


@parts.num_weights.register
def _(c: Chain) -> int:
    return c.num_node_features * c.num_labels + (1 + c.num_edge_features) * c.num_labels**2


@parts.part_offsets.register
def _(c: Chain) -> np.ndarray:
    K = c.num_labels
    sequences = np.arange(len(c.starts), dtype=np.int64)
    blocks = sequences if c.num_edge_features == 0 else c.starts  # T - 1 observed edges and the tied one
    return c.starts * K + blocks * K * K


@parts.add_expected_features.register
def _(c: Chain, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    K = c.num_labels
    lengths = np.diff(c.starts)
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(c.starts[-1]) - c.starts[sequence]
    wx, wt, we = split_weights(c, out)
    ft.add_transpose_times(c.x, offsets[sequence] + position * K, mu, wx)
    tied = offsets[:-1] + lengths * K
    ft.add_blocks(tied, mu, wt.reshape(K * K))
    if c.num_edge_features:
        edge_starts = tied[sequence] + K * K * position
        edge_starts[position == 0] = 0  # no edge there: its row is empty, so any valid start will do
        ft.add_transpose_times(c.edges, edge_starts, mu, we)


@parts.take.register
def _(c: Chain, examples: np.ndarray) -> Chain:
    lengths = np.diff(c.starts)[examples]
    tokens = np.concatenate([np.arange(c.starts[i], c.starts[i + 1]) for i in examples])
    edges = ft.take_rows(c.edges, tokens) if c.num_edge_features else None
    return build(ft.take_rows(c.x, tokens), lengths, c.y[tokens], c.num_labels, edges)


@parts.block.register
def _(c: Chain, first: int, last: int) -> Chain:
    a, b = c.starts[first], c.starts[last]
    return c._replace(
        x=ft.block_rows(c.x, a, b),
        edges=ft.block_rows(c.edges, a, b) if c.num_edge_features else c.edges,
        starts=ft.frozen(c.starts[first : last + 1] - a, np.int64),
        y=c.y[a:b],
        gram_starts=c.gram_starts[first : last + 1],
    )
