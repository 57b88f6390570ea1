"""Chains whose weights are float32, and whose visits read them shrunk towards 0."""

from structbench.algorithms.structures.chain.single_precision import ShortChain, packed_weights
from structbench.algorithms.structures.chain.soft import soft_scores
from structbench.algorithms.structures.compiled import implements, use_default
from structbench.algorithms.structures.soft_views import soft_layout

SoftShortChain = soft_layout("SoftShortChain", ShortChain)


@implements(SoftShortChain)
def scores(c, i, w, out):
    soft_scores(c, i, packed_weights(c, w), out)


use_default(SoftShortChain, "add_features_if_short")
