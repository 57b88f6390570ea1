"""Laplace max-margin Markov networks, variational (Zhu, Xing and Zhang, ICML 2008; l1m3n2009, section 4.3).

The posterior mean w of weights with a Laplace prior minimises P with the penalty ``laplace-LAMBDA`` of
``penalties``, the KL norm. If the prior is a mixture of Gaussians, w_k ~ N(0, tau_k), training works as for the
adaptive M3N. An M3N with 1 / s_k = E[1 / tau_k] as the strength at each weight gives w. Then come new scales

    s_k <- sqrt((w_k^2 + s_k) / lambda),

as w_k has the mean w_k and the variance s_k. No scale becomes 0: the network is only pseudo-primal sparse. Where
the scales stay, s_k = (1 + sqrt(1 + 4 lambda w_k^2)) / (2 lambda). Then w_k / s_k is half the slope of the KL norm
of 4 lambda at w_k. So the loop of parameter lambda ends at the optimum of a convex problem, whose duality gap is
known. That problem has LAMBDA = 4 lambda and C = 2 sqrt(lambda) / C' for the paper's C'.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.learning import penalties
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.sparse_margin.adaptive_m3n import rescaled
from structbench.algorithms.structures import interface as parts


@algorithm(
    loss="polyhedral", penalties=("laplace-LAMBDA",), needs=("parts", "argmax", "cliques"), references=("zhu2008",)
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    update: Literal["variational", "majorise"] = "variational",
    share: Annotated[float, "> 0", "< 1"] = 0.5,
) -> Iterator[Iterate]:
    """Run the loop from the scales of an M3N of strength C. Visits are counted as by ``l1m3n-em``.

    Args:
        update: of the scales. ``variational`` is the paper's. Under ``majorise``, w_k^2 / (2 scale_k), up to a
            constant, lies above the penalty and meets it at w_k. Both have the same fixed points.
        share: of the whole duality gap, to which each M3N is solved.
    """
    require_labels(objective.split, "lapm3n")
    C, root = objective.C, np.sqrt(penalties.penalty_number(objective.penalty))
    K = parts.num_weights(objective.split)
    yield Iterate(np.zeros(K), 0)

    def rescale(w: np.ndarray, dual_weights: np.ndarray, scale: np.ndarray) -> np.ndarray:
        if update == "variational":
            return 2 / C * np.sqrt(w * w + scale * C / root)
        return 2 * (1 + np.sqrt(1 + (root * w) ** 2)) / (C * root)

    yield from rescaled(objective, rng, np.full(K, 1 / C), rescale, share)
