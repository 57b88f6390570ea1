"""Naive SMO: bi-coordinate updates of every pair of outputs of every example in turn (klein2011, "SMO").

At the start alpha_i(y_i) = 1 / C: all mass is on the gold outputs. A step moves mass between two outputs,

    t = (e_i(y1) - e_i(y2) - w . (f(x_i, y2) - f(x_i, y1))) / ||f(x_i, y2) - f(x_i, y1)||^2,
    alpha_i(y1) <- min(alpha_i(y1) + t, alpha_i(y1) + alpha_i(y2)),   alpha_i(y2) <- max(alpha_i(y2) - t, 0),

or back, where t < 0. A pass takes O(n Y^2) updates; ``smo`` makes only the one that matters most.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent.listed_outputs import begin, end, recompute_dual, room, zeros
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts

SETTLED = 1e-15  # of all mass: what rounding may move in a pass


@algorithm(
    label="Naive SMO",
    loss="polyhedral",
    needs=("parts", "argmax", "k-best"),
    random={"order": ("permuted",)},
    settings=Settings(figures=()),
    references=("klein2011",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    order: Literal["permuted", "cyclic"] = "permuted",
) -> Iterator[Iterate]:
    """Run naive SMO. It ends when a pass moves next to nothing. All pairs of one example together are a visit.

    Args:
        order: as of ``coordinate_descent``.

    Raises:
        UserError: a label is unknown, or an example has more outputs than can be listed.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    require_labels(split, "naive-smo")
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 0)
    alphas = zeros(split, "naive-smo")
    alphas.alpha[alphas.starts[:-1] + alphas.right] = 1 / objective.C
    losses = np.zeros(n)
    visits, moved = 0, np.inf
    while moved > SETTLED * n / objective.C:
        moved = 0.0
        for examples in split_pass(one_pass(rng, n, order)):
            moved += _visit_examples(split, examples, alphas, w, losses)
            visits += len(examples)
            conjugate = objective.C * float(losses.sum())
            again = partial(recompute_dual, split, objective.C, alphas)
            yield Iterate(w, visits, Dual(conjugate, recompute=again))


@kernel
def _visit_examples(split, examples, alphas, w, losses):
    """Update all pairs of these examples; ``losses``: e . alpha of each. Returns the mass moved."""
    memory = room(split, examples, alphas.starts)
    total = 0.0
    for i in examples:
        visit = begin(split, i, alphas, w, memory)
        Y, own, _, s, e, step, _, _ = visit
        for a in range(own.shape[0]):
            for b in range(a + 1, own.shape[0]):
                both = own[a] + own[b]
                if both == 0.0:
                    continue
                for r in range(step.shape[0]):
                    step[r] = Y[a, r] - Y[b, r]
                norm = parts.squared_norm(split, i, step)
                slope = dot(e, step) + dot(s, step)
                if norm > 0.0:
                    t = min(max(slope / norm, -own[a]), own[b])
                else:
                    t = own[b] if slope > 0.0 else (-own[a] if slope < 0.0 else 0.0)
                if t != 0.0:
                    own[a] = min(max(own[a] + t, 0.0), both)
                    own[b] = both - own[a]
                    total += abs(t)
                    parts.add_gram(split, i, -t, step, s)
        losses[i] = end(split, i, visit, w)[0]
    return total
