"""The proximal point method for the l1-norm M3N: SMO maximises its dual, an augmented Lagrangian.

Rockafellar 1976; for l1 penalties Tomioka, Suzuki and Sugiyama 2011. A step

    w_{t+1} = argmin_w sum_i loss_i(w) + C ||w||_1 / 2 + ||w - w_t||^2 / (2 sigma)

has the dual max_u conj(u) - sigma / 2 sum_k soft(w_{t,k} / sigma + w(u)_k)^2, soft of threshold C / 2. The weights
are w_{t+1} = sigma soft(w_t / sigma + w(u)), most of them exactly 0. The dual is smooth in w(u), so that moves of
mass within single examples reach its optimum. P1 of l1m3n2009 is a linear program. So a finite number of exact
steps suffices. Here a step ends when its own gap is a share of the whole gap.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.coordinate_ascent.linked_smo import Linked
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective, Value, require_labels
from structbench.algorithms.structures import interface as parts


@algorithm(
    loss="polyhedral",
    penalties=("l1",),
    needs=("parts", "argmax", "cliques"),
    references=("l1m3n2009", "rockafellar1976augmented", "tomioka2011"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    sigma: Annotated[float, "> 0"] = 1.0,
    grow: Annotated[float, ">= 1"] = 1.0,
    share: Annotated[float, "> 0", "< 1"] = 0.3,
) -> Iterator[Iterate]:
    """Run proximal steps from w = 0. Yields after each sweep of SMO. Visits are counted as by ``l1m3n-em``.

    Args:
        sigma: the length of steps, in units of 1 / C. Fewer long steps are needed, but each takes more sweeps.
        grow: sigma is multiplied by this after each step.
        share: of the whole duality gap, to which each step is solved.
    """
    require_labels(objective.split, "l1m3n-proximal")
    C = objective.C
    size = parts.num_weights(objective.split)
    yield Iterate(np.zeros(size), 0)
    smo = Linked(objective, rng, 1.0, share)
    length, steps = sigma / C, 0
    center = np.zeros(size)

    def gap(value: Value) -> float:
        """P + ||w - center||^2 / (2 length), less its dual value: conj - (||w||^2 - ||center||^2) / (2 length)."""
        w, move = smo.w, smo.w - center
        return value.primal - smo.conjugate + float(move @ move + w @ w - center @ center) / (2 * length)

    while True:
        smo.link(np.full(size, length), center / length, C / 2)
        yield from smo.solve(gap, {"steps": float(steps), "sigma": length})
        center = smo.w.copy()
        steps += 1
        length *= grow
