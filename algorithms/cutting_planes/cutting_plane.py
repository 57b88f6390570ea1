"""Cutting planes for the hinge, a slack for each example: SVM-struct with margin rescaling.

Tsochantaridis et al. 2005, Algorithm 1. Every example has a working set W_i of outputs. Inference at the weights v
= w(u) / C finds yhat_i = argmax_y e_i(y) + v . f(x_i, y). It joins W_i if it violates its constraint,

    e_i(yhat_i) + v . f(x_i, yhat_i) > max_{y in W_i} [e_i(y) + v . f(x_i, y)] + epsilon.

After each batch of examples the quadratic program over all working sets is solved again,

    max  sum_i E_{u_i}[e_i] - ||w(u)||^2 / (2 C)    over distributions u_i on W_i.

It has a simplex for each of the n examples, and too many outputs for a Gram matrix of all. Coordinate ascent over
the examples solves it, starting from the current u (``simplex_qp``).
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.cutting_planes import working_sets as ws
from structbench.algorithms.cutting_planes.simplex_qp import conjugate_gradients, optimise
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, blocks
from structbench.algorithms.learning.tolerances import ROUNDING, shrunk
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

TICKS = 10  # batches of examples, and yields, per pass
SHARE = 0.4  # of the mean violation: the tolerance


def _warm(objective: Objective) -> None:
    """Call kernels that a run may need late."""
    split = objective.split
    sets = ws.initial(split)
    conjugate_gradients(split, objective.C, sets, ws.weights(split, sets))


@algorithm(
    label="SVM-struct",
    loss="polyhedral",
    needs=("parts", "argmax"),
    warm=_warm,
    references=("tsochantaridis2005",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, "> 0"] = 1e-9,
    patience: Annotated[int, ">= 1"] = 10,
) -> Iterator[Iterate]:
    """Run n-slack cutting planes. Visits are searches for violated constraints; yields after each batch.

    Args:
        epsilon: constraints violated by less are not added, and the quadratic program is solved to a gap of n
            epsilon. It shrinks with E_u[e] where that is below 1e-5 an example, with a hard margin. While the mean
            violation is large, 0.4 of it replaces epsilon: far from the optimum more precision is not worth its
            time. A pass at epsilon itself that changes nothing ends the run; then P - D <= 2.5 n epsilon.
            SVM-struct's default is 0.1.
        patience: outputs whose probability was 0 at the end of this many passes in a row are dropped.

    A program that does not converge ends the run, at the weights that it reached.
    """
    split, C, n = objective.split, objective.C, parts.num_examples(objective.split)
    yield Iterate(np.zeros(parts.num_weights(split)), 0, scale=1 / C)
    sets = ws.initial(split)
    w = ws.weights(split, sets)
    tenths = np.array_split(np.arange(n), min(TICKS, n))
    batches = [each for some in tenths for each in blocks(split, int(some[0]), int(some[-1]) + 1)]
    violations = np.full(n, np.nan)
    tolerance, visits, solved = np.inf, 0, True
    while True:
        moved = False
        for first, offsets in batches:
            count = len(offsets) - 1
            y, excess = np.empty(offsets[-1]), np.empty(count)
            found = violations[first : first + count]
            parallel.for_each(_search, count, split, C, w, sets, first, offsets, y, found, excess)
            visits += count
            least = max(epsilon * shrunk(ws.conjugate(sets), n), ROUNDING)
            before, tolerance = tolerance, max(least, SHARE * float(np.nanmean(violations)))
            violated = excess > tolerance
            if violated.any() or max(before, tolerance) > least:
                sets = ws.extended(split, sets, first, violated, offsets, y, patience)
                solved = optimise(split, C, n * tolerance, sets, w, rng)
                moved = True
            notes = {"epsilon": tolerance, "outputs": float(len(sets.alpha))}
            dual = Dual(ws.conjugate(sets), recompute=partial(_recompute_dual, split, sets))
            yield Iterate(w, visits, dual, notes, scale=1 / C)
            if not solved:
                return
        sets.idle[:] = np.where(sets.alpha > 0, 0, sets.idle + 1)
        if not moved:
            return


def _recompute_dual(split: Any, sets: ws.WorkingSets) -> tuple[float, np.ndarray]:
    """E_u[e] and w(u) of the stored probabilities."""
    conjugate = ws.conjugate(sets)
    little = shrunk(conjugate, len(sets.starts) - 1) < 1
    return conjugate, ws.weights_of_little_mass(split, sets) if little else ws.weights(split, sets)


@kernel
def _search(first, last, split, C, w, sets, begin, offsets, y, violations, excess):
    """The cost-augmented argmax y of each example of a batch; ``begin`` is the number of its first example.

    ``violations``: by how much y beats the average over u_i, which is the example's share of the duality gap.
    ``excess``: by how much it beats the best output of the working set.
    """
    for j in range(first, last):
        y_j = y[offsets[j] : offsets[j + 1]]
        s = np.empty(y_j.shape[0])
        parts.scores(split, begin + j, w, s)
        s /= C
        average, slack = 0.0, -np.inf
        for p in range(sets.starts[begin + j], sets.starts[begin + j + 1]):
            h = sets.losses[p] + ws.score(sets, p, s)
            average += sets.alpha[p] * h
            slack = max(slack, h)
        parts.add_costs(split, begin + j, 1.0, s)
        best = parts.argmax(split, begin + j, s, y_j)
        violations[j] = best - average
        excess[j] = best - slack
