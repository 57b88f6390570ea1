"""Sequential minimal optimisation of the max-margin dual on clique marginals (Taskar et al. 2003, section 5).

Every example keeps the marginals b_i of its dual distribution u_i on the cliques of the structure's graph. At the
start all mass is on y_i, so that w(u) = 0 (the baseline of eg2004, section 5). A visit moves mass from one output
y2 to another y1. The scores g(y) = e_i(y) + w(u) . f(x_i, y) / C are the gradient of the dual. The
Karush-Kuhn-Tucker conditions fail most for

    y1 = argmax_y g(y),   y2 = argmin_y g(y) over the outputs all of whose cliques have mass,

two dynamic programmes. A mass t moves the dual by t (g(y1) - g(y2)) - t^2 ||f(y1) - f(y2)||^2 / (2 C), so that

    t = C (g(y1) - g(y2)) / ||f(x_i, y1) - f(x_i, y2)||^2, at most the least mass of a clique of y2 not in y1,
    b_i <- b_i + t (cliques(y1) - cliques(y2)),   w(u) <- w(u) - t (f(x_i, y1) - f(x_i, y2)).

For classes this is bi-coordinate descent on the pair of labels that matters most ("smarter SMO" of klein2011).
``relaxation`` > 1 is successive overrelaxation (O. L. Mangasarian and D. R. Musicant, IEEE Trans. Neural Networks
10, 1999). ``relaxation=1, average=false, transfers=1, shrinking=false`` is the algorithm of the papers. Memory:
one number a clique.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from structbench.algorithms.learning import certificate
from structbench.algorithms.learning.averages import averaged
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.inference import room, room_of
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, require_labels
from structbench.algorithms.learning.precision import Precision, Storage, any_precision
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.learning.tolerances import ROUNDING, shrunk
from structbench.algorithms.losses.terms import costs_and_scores
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import prefetch
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import cliques
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.cliques import movable_mass, move_mass

FLOOR = 1e-12  # a clique with at most this mass has none: it is rounding
SETTLED = 1e-12  # a violation that rounding may make, relative to the scores
LONGEST_REST = 50  # passes
# The share of tick k, from 1, in the average is RECENT / (k - 1 + RECENT), but at least LEAST.
RECENT, LEAST = 6, 0.03


@algorithm(
    label="SMO",
    loss="polyhedral",
    needs=any_precision("parts", "argmax", "cliques"),
    random={"order": ("random", "permuted")},
    settings=Settings(contests=({},), tests=({"transfers": 5}, {"average": False}, {"shrinking": False})),
    references=("taskar2003",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    order: Literal["random", "permuted", "cyclic"] = "permuted",
    transfers: Annotated[int, ">= 1"] = 1,
    relaxation: Annotated[float, "> 0", "< 2"] = 1.5,
    average: bool = True,
    shrinking: bool = True,
    precision: Precision = "float64",
) -> Iterator[Iterate]:
    """Run SMO from u_i = y_i. Each of the two dynamic programmes before a transfer counts as a visit.

    With ``shrinking``, it ends when every example, checked since the last transfer, meets the conditions.

    Args:
        order: examples with replacement, a new permutation each pass, or always in file order.
        transfers: how many transfers of mass a visit makes at most. After the first, the scores of the example
            follow from its Gram matrix, without another pass over its features.
        relaxation: with 1, a visit makes each transfer the best one; more goes that many times as far. The dual
            never falls: a transfer t <= relaxation t* raises it by (g(y1) - g(y2)) t (1 - relaxation / 2) or more.
            With several transfers 1 is better: more goes beyond the optimum within the visit, and back.
        average: yield as weights an average of w(u) / C over time, which favours late points. u stays the dual
            point. The primal value of w(u) / C itself goes up and down.
        shrinking: leave an example that meets the conditions twice out for one pass. Each time that it meets them
            again, leave it out for twice as many and one more, up to 50.
        precision: of the features and weights that visits read; ``float32`` is for classes and chains.
    """
    require_labels(objective.split, "smo")
    duals = at_gold(objective.split)
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
    points = passes(duals, objective, rng, order, transfers, shrinking, relaxation, precision)

    def share(k: int) -> float:
        return 1.0 if duals.settled else max(RECENT / (k - 1 + RECENT), LEAST)

    yield from averaged(points, share) if average else points


class Duals(NamedTuple):
    """The dual variables of all examples and w(u).

    ``b``: clique marginals, those of example i at starts[i]:starts[i + 1]. ``losses``: E_{u_i}[e_i] (n,).
    ``resting``: passes for which each example is left out, and for how many after its next visit in vain, int64
    (2, n).
    """

    starts: np.ndarray
    b: np.ndarray
    w: np.ndarray
    losses: np.ndarray
    resting: np.ndarray

    @property
    def settled(self) -> bool:
        """Whether every example met the conditions at its last visit; false without ``shrinking``."""
        return bool(self.resting[1].min() > 0)


def at_gold(split: Any) -> Duals:
    """All mass on the gold outputs."""
    n = parts.num_examples(split)
    return Duals(*cliques.gold(split), np.zeros(parts.num_weights(split)), np.zeros(n), np.zeros((2, n), np.int64))


def passes(
    duals: Duals,
    objective: Objective,
    rng: np.random.Generator,
    order: str,
    transfers: int,
    shrinking: bool,
    relaxation: float = 1.0,
    precision: Precision = "float64",
) -> Iterator[Iterate]:
    """Visit the examples until all meet the conditions. Yields w(u) / C some ten times a pass.

    The arguments are those of ``solve``.
    """
    n = len(duals.losses)
    recompute_dual = partial(certificate.of_cliques, objective, duals.starts, duals.b)
    storage, last, visits = Storage(objective.split, precision), False, 0
    duals = duals._replace(w=storage.packed(duals.w))
    while not (last and duals.settled):
        last = duals.settled
        if last:
            duals.resting[0] = 0  # they may violate the conditions since
        for examples in split_pass(one_pass(rng, n, order)):
            made = _visit_examples(
                storage.split, objective.C, examples, transfers, relaxation, LONGEST_REST if shrinking else 0,
                shrunk(float(duals.losses.sum()), n), duals,
            )  # fmt: skip
            visits += made
            if made:  # not all are left out
                dual = Dual(float(duals.losses.sum()), recompute=recompute_dual)
                yield Iterate(storage.unpacked(duals.w), visits, dual, scale=1 / objective.C)


@kernel
def _visit_examples(split, C, examples, transfers, relaxation, longest_rest, tolerance, duals):
    """Visit these examples in turn; returns the inference calls made. ``tolerance``: as ``violating_pair``."""
    starts, b, w, losses, resting = duals
    strength = relaxation * C
    memory, of_cliques = room(split, examples, 6), room_of(starts, examples, 2)
    calls, count, awake = 0, 0, np.empty_like(examples)
    for i in examples:
        awake[count] = i
        count += 0 if rests(resting, i) else 1
    for k in range(count):
        i, later = awake[k], awake[min(k + 1, count - 1)]
        parts.prefetch(split, later)
        prefetch(b, starts[later], starts[later + 1])
        prefetch(losses, later, later + 1)
        m, b_i = parts.num_parts(split, i), b[starts[i] : starts[i + 1]]
        e, g, y1, y2 = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m]
        step, moved = memory[4, :m], memory[5, :m]
        costs_and_scores(split, i, w, C, e, g)
        moved[:] = 0.0
        made = 0
        while made < transfers:
            calls += 2
            violation = violating_pair(split, i, g, b_i, y1, y2, tolerance)
            if violation == 0.0:
                break
            for r in range(m):
                step[r] = y1[r] - y2[r]
            t, differ = movable_mass(split, i, y1, y2, b_i, of_cliques)
            norm = parts.squared_norm(split, i, step)
            if t * norm > strength * violation:
                t = strength * violation / norm
            move_mass(t, b_i, of_cliques, differ)
            for r in range(m):
                moved[r] += t * step[r]
            made += 1
            if made < transfers:
                parts.add_gram(split, i, -t / C, step, g)
        if made > 0:
            parts.add_features(split, i, -1.0, moved, w)
            losses[i] += dot(e, moved)
        update_shrinking(resting, i, made > 0, longest_rest)
    return calls


# ---- shared with visits of ``linked_smo``, where w is not w(u) / C and moves differently --------------------


@kernel
def violating_pair(split, i, g, b, y1, y2, tolerance):
    """y1, y2 = the outputs between which mass must move. Returns by how much they violate the conditions, or 0.

    ``tolerance``: how many times ``FLOOR`` and ``SETTLED`` count, see ``learning.tolerances``.
    """
    top = parts.argmax(split, i, g, y1)
    violation = top - parts.argmin_in_support(split, i, g, b, FLOOR * tolerance, y2)
    return violation if violation > max(SETTLED * tolerance, ROUNDING) * (1.0 + abs(top)) else 0.0


@kernel
def rests(resting, i):
    """Whether the example is left out this time."""
    if resting[0, i] > 0:
        resting[0, i] -= 1
        return True
    return False


@kernel
def update_shrinking(resting, i, moved, longest):
    """The more often in a row an example met the conditions, the longer it is left out."""
    if moved:
        resting[1, i] = 0
    else:
        resting[0, i] = resting[1, i]
        resting[1, i] = min(2 * resting[1, i] + 1, longest)
