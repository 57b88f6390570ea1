"""Chains whose weights are float32, and whose visits read them shrunk towards 0."""

from typing import Any

from structbench.algorithms.structures.chain.single_precision import ShortChain, packed_weights
from structbench.algorithms.structures.chain.soft import soft_scores
from structbench.algorithms.structures.compiled import implements, use_default
from structbench.algorithms.structures.layouts import extended

SoftShortChain = extended("SoftShortChain", ShortChain, threshold=float)


@implements(ShortChain)
def with_threshold(c: ShortChain, threshold: float) -> Any:
    return SoftShortChain(*c, threshold)


@implements(SoftShortChain)
def scores(c, i, w, out):
    soft_scores(c, i, packed_weights(c, w), out)


use_default(SoftShortChain, "add_features_if_short")
