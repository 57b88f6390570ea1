"""SMO first, then exponentiated gradient: the hybrid that eg2004 proposes in its last paragraph.

SMO (``smo``) keeps the clique marginals b_i of u_i. EG (``eg``) keeps scores s_i with u_i = p(s_i). At the switch
the conditional probabilities of b_i become scores (eg2004, section 5),

    s_i = logarithms of the conditionals of (1 - eps) b_i + eps b_i(uniform),

since a probability of 0 has no logarithm. Parts may be tied, as the transitions of a chain without observed edges.
Then in general no s_i has these clique marginals. EG can only have the same part marginals mu_i, on which alone
w(u) depends. Iterative scaling (Darroch and Ratcliff 1972) finds scores that have them:

    s_r <- s_r + log(mu_r / mu_r(s)) / M,   M the most parts that an output has.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.exponentiated_gradient import eg
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

MATCHED = 1e-9  # largest difference of marginals that ends the scaling


@algorithm(
    label="SMO, then EG",
    loss="polyhedral",
    needs=("parts", "argmax", "marginals", "cliques"),
    random={"order": ("random", "permuted")},
    references=("eg2004", "darroch1972"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    smo_passes: Annotated[float, "> 0"] = 10.0,
    transfers: Annotated[int, ">= 1"] = 5,
    eps: Annotated[float, "> 0", "< 1"] = 1e-3,
    scaling: Annotated[int, ">= 0"] = 20,
    order: Literal["random", "permuted", "cyclic"] = "permuted",
    eta: Annotated[float, "> 0"] = 0.5,
    adaptive: bool = True,
    grow: Annotated[float, ">= 1"] = 1.05,
) -> Iterator[Iterate]:
    """Run SMO for some passes, then online EG from where it stands.

    Notes: ``switch``, the passes before the switch, and ``switch_loss``, the share of the dual value that it cost.

    Args:
        smo_passes: passes of SMO; both of its inference calls before a transfer count.
        transfers: see ``smo``.
        eps: how far the marginals are moved towards those of the uniform distribution at the switch.
        scaling: most steps of iterative scaling at the switch; each is a visit, and counting parts is one.
        order: of both; see ``eg``.
        eta, adaptive, grow: of EG's step sizes; see ``eg``.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    require_labels(split, "smo-eg")
    yield Iterate(np.zeros(parts.num_weights(split)), 0)
    duals = smo.at_gold(split)
    for point in smo.passes(duals, objective, rng, order, transfers, shrinking=True, relaxation=1.0):
        yield point
        if point.visits >= smo_passes * n:
            break
    before = objective.dual_value(float(duals.losses.sum()), point.vector)
    scores, calls = scores_of(split, duals, eps, scaling)
    visits = point.visits + calls
    notes: dict[str, float | str] = {"switch": visits / n}
    for point in eg.continued(objective, rng, scores, order, eta, adaptive, grow):
        if point.dual and "switch_loss" not in notes:
            after = objective.dual_value(point.dual.conjugate, point.vector)
            notes["switch_loss"] = (before - after) / (abs(before) or 1.0)
        yield point._replace(visits=visits + point.visits, notes={**point.notes, **notes})


def scores_of(split: Any, duals: smo.Duals, eps: float, scaling: int) -> tuple[np.ndarray, int]:
    """The part scores of all examples that represent SMO's marginals, one after another, and the visits made."""
    offsets, n = parts.offsets(split), parts.num_examples(split)
    scores, calls = np.empty(offsets[-1]), np.empty(n, np.int64)
    parallel.for_each(_switch, n, split, eps, scaling, duals.starts, duals.b, offsets, scores, calls)
    return scores, int(calls.sum())


@kernel
def _switch(first, last, split, eps, scaling, starts, b, offsets, scores, calls):
    for i in range(first, last):
        s = scores[offsets[i] : offsets[i + 1]]
        uniform, mu, wanted = np.empty(starts[i + 1] - starts[i]), np.empty(s.shape[0]), np.empty(s.shape[0])
        s[:] = 0.0
        parts.clique_marginals(split, i, s, uniform)
        calls[i] = 1
        inner = (1.0 - eps) * b[starts[i] : starts[i + 1]] + eps * uniform
        parts.log_conditionals(split, i, inner, s)
        parts.parts_of_cliques(split, i, inner, wanted)
        if scaling > 0:
            most = parts.argmax(split, i, np.ones(s.shape[0]), mu)
            calls[i] += 1
        for _ in range(scaling):
            parts.marginals(split, i, s, mu)
            calls[i] += 1
            if np.abs(mu - wanted).max() <= MATCHED:
                break
            for r in range(s.shape[0]):
                if wanted[r] > 0.0:  # a part that no output has is 0 in both
                    s[r] += np.log(wanted[r] / mu[r]) / most
