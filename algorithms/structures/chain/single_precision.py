"""Chains whose weights are float32, so that a visit reads and writes half as much memory.

Each column of node features has a row of weights that crosses as few cache lines as it can. Transitions stay
float64, because every visit adds to them.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import single_precision
from structbench.algorithms.structures.chain.model import Chain
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled import blocks, operations
from structbench.algorithms.structures.labelled.views import split, split_weights
from structbench.algorithms.structures.layouts import layout


@layout
class ShortChain(operations.Labelled):
    """The fields of a chain. Its weights are the rows of nodes, transitions (float64), and the rows of edges."""

    layouts = (Chain,)

    def packed(self, w: np.ndarray) -> np.ndarray:
        """Memory in which ``w`` is stored, the weights of transitions as float64."""
        K = self.num_labels
        memory = single_precision.room(self.num_node_features, K, K * K * (8 + 4 * self.num_edge_features))
        nodes, transitions, edges = packed_weights.python(self, memory)
        nodes[:, :K], transitions[:], edges[:] = split_weights.python(self, w)
        return memory

    def unpacked(self, memory: np.ndarray) -> np.ndarray:
        """The weights in such a memory."""
        w = np.empty(parts.num_weights(self))
        nodes, transitions, edges = split_weights.python(self, w)
        theirs = packed_weights.python(self, memory)
        nodes[:], transitions[:], edges[:] = theirs[0][:, : self.num_labels], theirs[1], theirs[2]
        return w


@implements(Chain)
def in_float32(c: Chain) -> ShortChain:
    return ShortChain(*c)


@kernel
def packed_weights(c, memory):
    """Views of packed weights: nodes (columns, K or more), transitions (K, K), edges (edge columns, K K)."""
    K, width = c.num_labels, single_precision.row_width(c.num_labels)
    first = c.num_node_features * width // 2
    last = first + K * K
    edges = memory[last:].view(np.float32)[: c.num_edge_features * K * K]
    nodes = memory[:first].view(np.float32).reshape((-1, width))
    return nodes, memory[first:last].reshape((K, K)), edges.reshape((-1, K * K))


@implements(ShortChain)
def scores(c, i, w, out):
    nodes, transitions, edges = split(c, i, out)
    wx, wt, we = packed_weights(c, w)
    blocks.scores(c.x, c.starts[i], wx, nodes)
    copy_to(wt, transitions)
    blocks.scores(c.edges, c.starts[i] + 1, we, blocks.pairs(edges))


@implements(ShortChain)
def add_features(c, i, weight, mu, w):
    _add(c, i, weight, mu, w)


@implements(ShortChain)
def add_features_if_short(c, i, weight, mu, along, limit, w):
    square = (_add(c, i, weight, mu, w) - 2.0 * weight * along) / (weight * weight)
    if square > limit:
        _add(c, i, -weight, mu, w)
    return square


@kernel
def _add(c, i, weight, mu, w):
    """``add_features``; returns by how much ||w||^2 grows."""
    K, (nodes, transitions, edges) = c.num_labels, split(c, i, mu)
    wx, wt, we = packed_weights(c, w)
    growth = blocks.add_features(c.x, c.starts[i], weight, nodes, wx)
    growth += blocks.add_tied(weight, transitions.reshape(K * K), wt.reshape(K * K))
    return growth + blocks.add_features(c.edges, c.starts[i] + 1, weight, blocks.pairs(edges), we)
