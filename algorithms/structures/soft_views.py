"""Any structure with scores from soft-thresholded weights instead of w (``learning.penalties`` says why).

A visit shrinks the weights that its example's parts use, asks the structure for its scores, and puts the weights
back. So one thread at a time may use the weights. Chains and classes shrink rows as they read them
(``soft_features``), which is faster.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from structbench.algorithms.structures.compiled import OPERATIONS, implements, use_default
from structbench.algorithms.structures.layouts import extended
from structbench.algorithms.structures.soft_features import soft

FEW = 1024  # weights for which there is memory at first


def soft_view(structure: Any, threshold: float) -> Any:
    """The same examples for visits that read soft(w), see ``with_threshold``."""
    return _kind(type(structure))(*structure, threshold)


def soft_layout(name: str, plain: type) -> type:
    """The layout of ``plain`` with a threshold, for structures that shrink weights in a way of their own."""
    kind = extended(name, plain, threshold=float)
    use_default(kind, "add_features_if_short")  # its layout's way takes ||w||^2, not ||soft(w)||^2

    @implements(plain)
    def with_threshold(structure: Any, threshold: float) -> Any:
        return kind(*structure, threshold)

    return kind


@cache
def _kind(plain: type) -> type:
    """The view's type. A structure's own way to add features knows how ||w||^2 grows: it is not ||soft(w)||^2."""
    kind = extended(f"Soft{plain.__name__}", plain, threshold=float)
    support, unshrunk = (
        OPERATIONS[name].kernel(cast(Callable, OPERATIONS[name].of(plain)))
        for name in ("feature_support", "scores")
    )

    def scores(c, i, w, out):
        ones, used = np.ones(out.shape[0]), np.empty(FEW, np.int64)
        count = support(c, i, ones, used)
        if count > FEW:
            used = np.empty(count, np.int64)
            support(c, i, ones, used)
        kept = np.empty(count)
        for p in range(count):
            kept[p] = w[used[p]]
        for p in range(count):
            w[used[p]] = soft(kept[p], c.threshold)
        unshrunk(c, i, w, out)
        for p in range(count):
            w[used[p]] = kept[p]

    OPERATIONS["scores"].implementations[kind] = scores
    use_default(kind, "add_features_if_short")
    return kind
