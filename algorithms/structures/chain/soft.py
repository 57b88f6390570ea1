"""Scores of chains from weights shrunk towards 0 by a threshold (``soft_features``), in float64 or in float32."""

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import soft_features
from structbench.algorithms.structures.chain.model import Chain
from structbench.algorithms.structures.chain.single_precision import ShortChain, packed_weights
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled import blocks
from structbench.algorithms.structures.labelled.views import split, split_weights
from structbench.algorithms.structures.soft_views import soft_layout


@implements(soft_layout("SoftChain", Chain))
def scores(c, i, w, out):  # pyright: ignore[reportRedeclaration] - another layout's follows
    _soft_scores(c, i, split_weights(c, w), out)


@implements(soft_layout("SoftShortChain", ShortChain))
def scores(c, i, w, out):  # noqa: F811 - of the other layout
    _soft_scores(c, i, packed_weights(c, w), out)


@kernel
def _soft_scores(c, i, weights, out):
    """``scores`` from views of the weights."""
    wx, wt, we = weights
    nodes, transitions, edges = split(c, i, out)
    soft_features.fill_soft(c.x, c.starts[i], wx, c.threshold, nodes)
    for k in range(c.num_labels):
        for j in range(c.num_labels):
            transitions[k, j] = soft_features.soft(wt[k, j], c.threshold)
    soft_features.fill_soft(c.edges, c.starts[i] + 1, we, c.threshold, blocks.pairs(edges))
