"""EM-style training of the l1-norm M3N, an adaptive M3N (l1m3n2009, section 4.3, Algorithm 3 and Theorem 2).

The adaptive M3N (problem P2) gives each feature a scale tau_k of its own,

    min over w and tau of sum_i loss_i(w) + C / 2 sum_k w_k^2 / tau_k,     tau_k >= 0, sum_k tau_k = 1.

The best tau for a w is ``|w_k| / ||w||_1`` (equation 4), which leaves C ||w||_1^2 / 2: the penalty ``l1-squared``.
The two steps alternate, scaled by the number of features, as in the paper. A tau_k that underflows is 0, and its
feature is dropped. In the paper a dropped feature never comes back, and EM may end at a fixed point far from the
optimum. Here it returns where the dual variables say that the optimum needs it. There, kept features have
``|w(u)_k| = C ||w||_1``, and dropped ones no more.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.sparse_margin.adaptive_m3n import rescaled
from structbench.algorithms.structures import interface as parts

DROP = 1e-4  # the paper's
MISSED = 1.01  # how many times C ||w||_1 the |w(u)_k| of a dropped feature must be
RETURN = 10  # tau_k of those that return, in units of what is dropped


@algorithm(
    loss="polyhedral", penalties=("l1-squared",), needs=("parts", "argmax", "cliques"), references=("l1m3n2009",)
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    drop: Annotated[float, ">= 0", "< 0.1"] = DROP,
    revive: bool = True,
    share: Annotated[float, "> 0", "< 1"] = 0.5,
) -> Iterator[Iterate]:
    """Run EM from equal scales. Yields after each sweep of SMO over all examples.

    SMO's two dynamic programmes for an example are two visits. A look at the gap is one visit to each example.

    Args:
        drop: features whose tau_k, in units of the average over all features, is below this are dropped (the
            paper's 1e-4). They still count in the certificate: its gap stays open if one was dropped wrongly.
        revive: dropped features may return; without, as in the paper, they may not.
        share: of the whole duality gap, to which each M3N is solved.
    """
    require_labels(objective.split, "l1m3n-em")
    C, K = objective.C, parts.num_weights(objective.split)
    yield Iterate(np.zeros(K), 0)

    def rescale(w: np.ndarray, dual_weights: np.ndarray, scale: np.ndarray) -> np.ndarray:
        sizes = np.abs(w)
        total = sizes.sum()
        if total == 0:
            return np.zeros(K)
        tau = sizes / total
        tau[K * tau < drop] = 0.0
        if revive:
            tau[(tau == 0) & (np.abs(dual_weights) > MISSED * C * total)] = RETURN * max(drop, DROP) / K
        return tau / tau.sum() / C

    yield from rescaled(objective, rng, np.full(K, 1 / (K * C)), rescale, share)
