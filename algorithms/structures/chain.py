"""Linear chains: sequences of labels with node features, tied transitions and, if given, edge features.

Parts of an example of T tokens and K labels, in this order: T x K nodes; one K x K block of transitions,
tied, hence counted over all positions; and, where edges are observed, T - 1 blocks of K x K. Weights, in
the same order: (node columns, K), (K, K), (edge columns, K, K).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from algorithms import parallel
from algorithms.structures import features as ft
from algorithms.structures import parts

WIDE = 300.0  # scores that differ by more than this need the logarithmic recursions


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
    if len(y) and not (-1 <= y.min() and y.max() < num_labels):
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
    parallel.for_each(_fill_grams, len(lengths), x, starts, gram_starts, grams)
    edge_grams = np.zeros(gram_starts[-1] if edge_columns else 0)
    if edge_columns:
        parallel.for_each(_fill_grams, len(lengths), edges, starts, gram_starts, edge_grams)
    frozen = ft.frozen(grams, np.float64), ft.frozen(edge_grams, np.float64)
    return Chain(x, edges, starts, y, gram_starts, *frozen, int(num_labels), columns, edge_columns)


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_grams(begin, end, x, starts, gram_starts, grams):
    for i in range(begin, end):
        first, length = starts[i], starts[i + 1] - starts[i]
        G = grams[gram_starts[i] : gram_starts[i + 1]].reshape((length, length))
        for t in range(length):
            for u in range(t + 1):
                G[t, u] = ft.row_dot(x, first + t, first + u)
                G[u, t] = G[t, u]


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
def _split_weights(c, w):
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
    wx, wt, we = _split_weights(c, w)
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
    wx, wt, we = _split_weights(c, w)
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


@parts.implements(parts.squared_norm, Chain)
def _(c, i, mu):
    nodes, transitions, edges = _split(c, i, mu)
    K = c.num_labels
    length = nodes.shape[0]
    total = _gram_norm(c.grams[c.gram_starts[i] : c.gram_starts[i + 1]], length, 0, nodes)
    for j in range(K):
        for k in range(K):
            total += transitions[j, k] * transitions[j, k]
    if edges.shape[0] > 0:
        blocks = edges.reshape((edges.shape[0], K * K))
        grams = c.edge_grams[c.gram_starts[i] : c.gram_starts[i + 1]]
        total += _gram_norm(grams, length, 1, blocks)
    return total


@njit(cache=True, error_model="numpy", fastmath={"reassoc"})
def _gram_norm(gram, length, first, rows):
    """|| sum_t x_{first + t} (outer) rows_t ||^2 from the Gram matrix of the x."""
    G = gram.reshape((length, length))
    total = 0.0
    for t in range(rows.shape[0]):
        for u in range(t + 1):
            g = G[first + t, first + u]
            if g != 0.0:
                dot = 0.0
                for k in range(rows.shape[1]):
                    dot += rows[t, k] * rows[u, k]
                total += g * dot if u == t else 2.0 * g * dot
    return total


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
    if _spread(nodes, transitions, edges) < WIDE:
        return _scaled_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)
    return _log_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)


@njit(cache=True, error_model="numpy")
def _range(block):
    """Largest minus smallest entry."""
    low = high = block[0]
    for k in range(1, block.shape[0]):
        low = min(low, block[k])
        high = max(high, block[k])
    return high - low


@njit(cache=True, error_model="numpy")
def _spread(nodes, transitions, edges):
    """A bound on how far apart the messages to the labels of one position can be, in logarithms.

    Every forward message has at least the share exp(-spread) / K of its position's largest one, at any
    length, so that below ``WIDE`` the recursions with exponentials cannot underflow. NaN gives NaN.
    """
    widest = 0.0
    for t in range(nodes.shape[0]):
        widest = max(widest, _range(nodes[t]))
    K = transitions.shape[0]
    steepest = 0.0
    for t in range(edges.shape[0]):
        steepest = max(steepest, _range(edges[t].reshape(K * K)))
    return widest + steepest + _range(transitions.reshape(K * K))


@njit(cache=True, error_model="numpy")
def _scaled_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """Forward-backward with normalised messages: two K x K products and one outer product a position."""
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    step = 1 if observed else 0
    factors = np.empty((max(edges.shape[0], 1), K, K))  # exp(transition + edge - its largest)
    transposed = np.empty((max(edges.shape[0], 1), K, K))
    log_z = 0.0
    for t in range(factors.shape[0]):
        top = -np.inf
        for j in range(K):
            for k in range(K):
                factors[t, j, k] = transitions[j, k] + (edges[t, j, k] if observed else 0.0)
                top = max(top, factors[t, j, k])
        for j in range(K):
            for k in range(K):
                factors[t, j, k] = np.exp(factors[t, j, k] - top)
                transposed[t, k, j] = factors[t, j, k]
        log_z += top if observed else top * (T - 1)

    potentials = np.empty((T, K))  # exp(node - its position's largest)
    alpha = np.empty((T, K))
    norms = np.empty(T)
    for t in range(T):
        top = nodes[t, 0]
        for k in range(1, K):
            top = max(top, nodes[t, k])
        for k in range(K):
            potentials[t, k] = np.exp(nodes[t, k] - top)
        row = alpha[t]
        if t == 0:
            for k in range(K):
                row[k] = potentials[t, k]
        else:
            row[:] = 0.0
            A = factors[(t - 1) * step]
            for j in range(K):
                before = alpha[t - 1, j]
                for k in range(K):
                    row[k] += before * A[j, k]
            for k in range(K):
                row[k] *= potentials[t, k]
        total = 0.0
        for k in range(K):
            total += row[k]
        for k in range(K):
            row[k] /= total
        norms[t] = total
        log_z += top + np.log(total)

    mu_transitions[:] = 0.0
    beta = np.ones(K)
    after = np.empty(K)  # potential * beta / norm of the position that follows
    for t in range(T - 1, -1, -1):
        for k in range(K):
            mu_nodes[t, k] = alpha[t, k] * beta[k]
        if t == 0:
            break
        for k in range(K):
            after[k] = potentials[t, k] * beta[k] / norms[t]
        A = factors[(t - 1) * step]
        for j in range(K):
            before = alpha[t - 1, j]
            if observed:
                for k in range(K):
                    mu_edges[t - 1, j, k] = before * A[j, k] * after[k]
                    mu_transitions[j, k] += mu_edges[t - 1, j, k]
            else:
                for k in range(K):
                    mu_transitions[j, k] += before * after[k]
        A = transposed[(t - 1) * step]
        beta[:] = 0.0
        for k in range(K):
            for j in range(K):
                beta[j] += A[k, j] * after[k]
    if not observed:
        for j in range(K):
            for k in range(K):
                mu_transitions[j, k] *= factors[0, j, k]
    return log_z


@njit(cache=True, error_model="numpy")
def _log_sum_exp(v):
    top = v[0]
    for k in range(1, v.shape[0]):
        top = max(top, v[k])
    total = 0.0
    for k in range(v.shape[0]):
        total += np.exp(v[k] - top)
    return top + np.log(total)


@njit(cache=True, error_model="numpy")
def _log_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """The same in logarithms, for scores of any spread."""
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    alpha = np.empty((T, K))
    beta = np.zeros((T, K))
    terms = np.empty(K)
    alpha[0] = nodes[0]
    for t in range(1, T):
        for k in range(K):
            for j in range(K):
                terms[j] = alpha[t - 1, j] + transitions[j, k] + (edges[t - 1, j, k] if observed else 0.0)
            alpha[t, k] = nodes[t, k] + _log_sum_exp(terms)
    log_z = _log_sum_exp(alpha[T - 1])
    for t in range(T - 2, -1, -1):
        for j in range(K):
            for k in range(K):
                score = transitions[j, k] + (edges[t, j, k] if observed else 0.0)
                terms[k] = score + nodes[t + 1, k] + beta[t + 1, k]
            beta[t, j] = _log_sum_exp(terms)
    mu_transitions[:] = 0.0
    for t in range(T):
        for k in range(K):
            mu_nodes[t, k] = np.exp(alpha[t, k] + beta[t, k] - log_z)
        if t == 0:
            continue
        for j in range(K):
            for k in range(K):
                score = transitions[j, k] + (edges[t - 1, j, k] if observed else 0.0)
                p = np.exp(alpha[t - 1, j] + score + nodes[t, k] + beta[t, k] - log_z)
                mu_transitions[j, k] += p
                if observed:
                    mu_edges[t - 1, j, k] = p
    return log_z


@parts.implements(parts.argmax, Chain)
def _(c, i, s, y):
    """Viterbi, backwards first, so that ties go to the smallest labels from the first token on."""
    nodes, transitions, edges = _split(c, i, s)
    y_nodes, y_transitions, y_edges = _split(c, i, y)
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    following = np.zeros((T, K), np.int32)
    value = np.zeros(K)  # of the best completion after position t, by the label at t
    gain = np.empty(K)
    for t in range(T - 2, -1, -1):
        for k in range(K):
            gain[k] = value[k] + nodes[t + 1, k]
        for j in range(K):
            best = 0
            top = -np.inf
            for k in range(K):
                total = gain[k] + transitions[j, k] + (edges[t, j, k] if observed else 0.0)
                if total > top:
                    best = k
                    top = total
            following[t, j] = best
            value[j] = top
    label = 0
    top = -np.inf
    for k in range(K):
        if value[k] + nodes[0, k] > top:
            label = k
            top = value[k] + nodes[0, k]
    y[:] = 0.0
    for t in range(T):
        y_nodes[t, label] = 1.0
        if t < T - 1:
            after = following[t, label]
            y_transitions[label, after] += 1.0
            if observed:
                y_edges[t, label, after] = 1.0
            label = after
    return top


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


@parts.expected_features.register
def _(c: Chain, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    K = c.num_labels
    lengths = np.diff(c.starts)
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(c.starts[-1]) - c.starts[sequence]
    wx, wt, we = _split_weights(c, out)
    ft.transpose_times(c.x, offsets[sequence] + position * K, mu, wx)
    tied = offsets[:-1] + lengths * K
    _sum_blocks(tied, mu, wt.reshape(K * K))
    if c.num_edge_features:
        edge_starts = tied[sequence] + K * K * position
        edge_starts[position == 0] = 0  # no edge there: its row is empty, so any valid start will do
        ft.transpose_times(c.edges, edge_starts, mu, we)


@njit(cache=True, error_model="numpy")
def _sum_blocks(starts, mu, out):
    out[:] = 0.0
    for i in range(starts.shape[0]):
        for k in range(out.shape[0]):
            out[k] += mu[starts[i] + k]


@parts.take.register
def _(c: Chain, examples: np.ndarray) -> Chain:
    lengths = np.diff(c.starts)[examples]
    tokens = np.concatenate([np.arange(c.starts[i], c.starts[i + 1]) for i in examples])
    edges = ft.take_rows(c.edges, tokens) if c.num_edge_features else None
    return build(ft.take_rows(c.x, tokens), lengths, c.y[tokens], c.num_labels, edges)
