"""Costs of labels: entry (j, k) of a matrix is the cost of label k where label j is gold.

``HAMMING``, the default, is an empty matrix: every wrong label costs 1. So is ``SHARE``, where it costs 1 over the
number of the example's labels: an output costs the share of its labels that are wrong.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from structbench.algorithms.runtime.arrays import Matrix, frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.handles import unwrap

HAMMING = frozen(np.empty((0, 0)), np.float64)
SHARE = frozen(np.empty((0, 1)), np.float64)


@kernel(inline=True)
def add_costs_of_labels(costs, right, weight, out, begin, K):
    """out[begin + k] += weight * the cost of label k, for K labels; each costs 1 if ``right`` is -1."""
    if right < 0 or costs.shape[0] == 0:
        for k in range(K):
            if k != right:
                out[begin + k] += weight
    else:
        for k in range(K):
            out[begin + k] += weight * costs[right, k]


@kernel(inline=True)
def is_share(costs):
    """Tell whether the cost of an output is the share of its labels that are wrong."""
    return costs.shape[0] == 0 and costs.shape[1] > 0


def checked(costs: Any, num_labels: int, labels: Sequence[str] = ()) -> Matrix:
    """The matrix as structures hold it, float64 (num_labels, num_labels). Messages give the names in ``labels``.

    Raises:
        UserError: it has another shape, a gold label has a cost, or a wrong label costs below 1 or is infinite.
    """
    costs = np.asarray(costs, np.float64)
    if costs.shape != (num_labels, num_labels):
        raise UserError(f"expected costs for {num_labels} x {num_labels} labels, not {costs.shape}")
    wrong = ~np.eye(num_labels, dtype=bool)
    for bad, must in (
        ((costs != 0) & ~wrong, "be 0"),
        (~((costs >= 1) & np.isfinite(costs)) & wrong, "be 1 or more, and finite"),
    ):
        if bad.any():
            at = tuple(np.argwhere(bad)[0])
            right, label = (labels[k] if labels else k for k in at)
            raise UserError(f"the cost of label {label} where {right} is right must {must}, not {costs[at]:g}")
    return frozen(costs, np.float64)


def require_hamming(split: Any, algorithm: str) -> None:
    """Check that an algorithm that supports only Hamming costs gets no others.

    Raises:
        UserError: the split has a matrix of costs, or its outputs cost the share of wrong labels.
    """
    if getattr(unwrap(split), "costs", HAMMING).shape != HAMMING.shape:
        raise UserError(f"{algorithm} counts every wrong label as 1: it takes no data with costs")
