"""Prediction with sparse weights: features whose weights are all 0 are left out of the scores."""

from functools import singledispatch
from typing import Any

import numpy as np

from algorithms.structures import features as ft
from algorithms.structures.chain.model import Chain
from algorithms.structures.multiclass import Multiclass
from algorithms.structures.segments.model import Segments
from algorithms.structures.segments.shared_columns import renumber

WORTH = 0.25  # narrow if at most this share of the features is left: on CoNLL-2000 that pays from some 0.3 on down


@singledispatch
def narrow(split: Any, w: np.ndarray) -> tuple[Any, np.ndarray]:
    """A split and weights with the same scores for everything, but without the features whose weights are all 0.

    Both come back as they are where too few features are of that kind, and of structures that are not known here.
    """
    return split, w


@narrow.register
def _(m: Multiclass, w: np.ndarray) -> tuple[Multiclass, np.ndarray]:
    x, W = _narrow(m.x, w.reshape(-1, m.num_labels))
    return m._replace(x=x), W.ravel()


@narrow.register
def _(c: Chain, w: np.ndarray) -> tuple[Chain, np.ndarray]:
    K = c.num_labels
    first, second = c.num_node_features * K, (c.num_node_features + K) * K
    x, nodes = _narrow(c.x, w[:first].reshape(-1, K))
    edges, pairs = _narrow(c.edges, w[second:].reshape(-1, K * K))
    narrower = c._replace(x=x, edges=edges, num_node_features=len(nodes), num_edge_features=len(pairs))
    return narrower, np.concatenate([nodes.ravel(), w[first:second], pairs.ravel()])


@narrow.register
def _(c: Segments, w: np.ndarray) -> tuple[Segments, np.ndarray]:
    first = c.num_features * c.num_labels
    x, W = _narrow(c.x, w[:first].reshape(-1, c.num_labels))
    if x is c.x:
        return c, w
    local, columns, column_starts = renumber(x, c.piece_starts)
    shared = {"local": local, "columns": columns, "column_starts": column_starts}
    return c._replace(x=x, num_features=len(W), **shared), np.concatenate([W.ravel(), w[first:]])


def _narrow(x: ft.Features, W: np.ndarray) -> tuple[ft.Features, np.ndarray]:
    kept = np.flatnonzero(W.any(axis=1))
    if len(kept) > WORTH * len(W):
        return x, W
    kept = kept if len(kept) else np.arange(min(1, len(W)))  # a structure without features is one of another kind
    return ft.take_columns(x, kept), W[kept]


def num_bytes(w: np.ndarray) -> int:
    """Memory of the weights that are not 0, each with its place, or of all, whichever is less."""
    return min(w.nbytes, int(np.count_nonzero(w)) * (w.itemsize + np.dtype(np.int32).itemsize))
