"""M3Ns whose features are rescaled again and again: the EM-style loop of l1m3n2009, section 4.3.

Step 1 solves the M3N min_w sum_i loss_i(w) + sum_k w_k^2 / (2 scale_k), by SMO from the dual variables of the last
M3N. Step 2 chooses new scales from its w. While the scales are far from their limits, an M3N need not be solved
well. SMO stops when the M3N's own duality gap is a share of the gap of the whole problem.
"""

from collections.abc import Callable, Iterator

import numpy as np

from structbench.algorithms.coordinate_ascent.linked_smo import Linked
from structbench.algorithms.learning.objective import Iterate, Objective, Value

RELAXATION = 1.5  # as in ``algorithms.coordinate_ascent.smo``


def rescaled(
    objective: Objective,
    rng: np.random.Generator,
    scale: np.ndarray,
    rescale: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    share: float,
) -> Iterator[Iterate]:
    """Alternate the two steps; ``rescale(w, w(u), scale)`` makes the new scales. Yields after each sweep of SMO.

    It ends when all scales are 0: then w = 0.
    """
    smo, nothing = Linked(objective, rng, RELAXATION, share), np.zeros(len(scale))
    iterations = 0

    def gap(value: Value) -> float:
        """The gap of the M3N: losses + penalty - (conj - penalty), the penalties w . w(u) / 2 each."""
        return value.primal - objective.penalty_value(smo.w) - smo.conjugate + float(smo.w @ smo.dual_weights)

    while scale.any():
        smo.link(scale, nothing, 0.0)
        yield from smo.solve(gap, _notes(iterations, scale))
        iterations += 1
        scale = rescale(smo.w, smo.dual_weights, scale)
    smo.link(scale, nothing, 0.0)
    yield smo.point(_notes(iterations, scale))


def _notes(iterations: int, scale: np.ndarray) -> dict[str, float]:
    return {"iterations": float(iterations), "kept": float(np.count_nonzero(scale))}
