"""The latent SVM: the hinge with hidden choices h, by the concave-convex procedure on cutting planes.

klein2011 on latent variables ("Likelihood, Structured"); Yu and Joachims 2009. The objective is a difference of
two convex functions,

    L(w) = sum_i max_{y,h} [e_i(y) + w . f(x_i, y, h)] - sum_i max_h w . f(x_i, y_i, h) + C ||w||^2 / 2.

A round makes the second sum linear: it fixes the best hidden choices h_i of the gold outputs at the current
weights. The rest, P_h(w) >= L(w), is equal there. It is the margin-rescaled SVM with gold outputs (y_i, h_i),
solved by planes as in ``one_slack``. So L never rises by more than that program's tolerance.

Each convex program is certified. Nothing bounds how far L is from its least value: the first weights decide which
minimum a run finds. If nothing is hidden, there is one round, and it is the SVM.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.cutting_planes.planes import ROUNDING, Planes
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import best_gold
from structbench.algorithms.learning.objective import Hints, Iterate, Objective, require_labels
from structbench.algorithms.learning.whole_costs import require_whole_costs
from structbench.algorithms.losses.terms import costs_and_scores
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts


@algorithm(label="Latent SVM", loss="none", needs=("argmax",), references=("yu2009", "klein2011"))
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    strength: Annotated[float, "> 0"] = 1.0,
    epsilon: Annotated[float, "> 0"] = 1e-3,
) -> Iterator[Iterate]:
    """Run rounds until one lowers L by no more than ``epsilon`` of it. A plane, and a choice of h, is n visits.

    The first h are the best at random weights, where no two tie. Other h shift all planes equally, so that planes
    serve all rounds. After each round, planes without a share of the last solution are dropped. A round also ends
    where no plane is violated by more than rounding.

    Notes: ``latent``, L, and ``certified``, the relative gap of the last convex program, both NaN before the first
    program; ``rounds``.

    Args:
        strength: C, as of other learners of the hinge.
        epsilon: relative.

    Raises:
        UserError: a label is unknown, outputs cost the share of their labels that are wrong, or a quadratic
            program does not converge.
    """
    C = strength
    split, n, size = objective.split, parts.num_examples(objective.split), parts.num_weights(objective.split)
    require_labels(split, "latent-svm")
    require_whole_costs(split, "latent-svm")
    w, worst, right, known = np.zeros(size), np.empty(size), np.empty(size), np.empty(size)
    notes: dict[str, float | str] = {"latent": np.nan, "certified": np.nan, "rounds": 0}
    yield Iterate(w, 0, notes=notes)
    _best_right_outputs(split, rng.normal(size=size), right)
    visits, latent = n, np.inf
    planes, dual = Planes(C), 0.0
    while True:
        while True:
            value, loss = _worst_outputs(split, w, worst)
            visits += n
            along = float(right @ w)
            primal = value - along + C * float(w @ w) / 2
            gap = (primal - dual) / (abs(primal) or 1.0)
            if gap <= epsilon or not planes.below(value - along, 0.0, abs(value) + abs(along), n):
                break
            yield Iterate(w, visits, notes=notes)
            planes.add(right - worst, loss)
            w, dual = _optimum(planes, size)
        known[:], before = right, latent
        latent = value - _best_right_outputs(split, w, right) + C * float(w @ w) / 2
        visits += n
        notes = {"latent": latent, "certified": gap, "rounds": int(notes["rounds"]) + 1}
        yield Iterate(w, visits, notes=notes, hints=Hints(evaluate_now=True))
        if before - latent <= max(epsilon, ROUNDING) * abs(latent):
            return
        planes.drop(1)
        planes = planes.shifted(right - known)
        if planes.a:
            w, dual = _optimum(planes, size)


def _optimum(planes: Planes, size: int) -> tuple[np.ndarray, float]:
    """The w that minimises the largest plane plus C ||w||^2 / 2, and that value.

    Raises:
        UserError: the quadratic program does not converge.
    """
    w = np.empty(size)
    if not planes.optimise(w):
        raise UserError(
            f"latent-svm: the quadratic program over {len(planes.b)} planes does not converge: choose a larger "
            "strength or a larger epsilon"
        )
    w /= planes.C
    return w, float(planes.alpha @ planes.b) - planes.C * float(w @ w) / 2


@kernel
def _worst_outputs(split, w, out):
    """sum_i max_y e_i(y) + w . f(x_i, y), the sum of the e_i there; ``out`` becomes that of the features."""
    out[:] = 0.0
    value = loss = 0.0
    for i in range(parts.num_examples(split)):
        s = np.empty(parts.num_parts(split, i))
        y, costs = np.empty_like(s), np.empty_like(s)
        costs_and_scores(split, i, w, 1.0, costs, s)
        value += parts.argmax(split, i, s, y)
        loss += dot(costs, y)
        parts.add_features(split, i, 1.0, y, out)
    return value, loss


@kernel
def _best_right_outputs(split, w, out):
    """sum_i max_h w . f(x_i, y_i, h); ``out`` becomes the sum of the features there."""
    out[:] = 0.0
    for i in range(parts.num_examples(split)):
        s = np.empty(parts.num_parts(split, i))
        y = np.empty_like(s)
        parts.scores(split, i, w, s)
        best_gold(split, i, s, y)
        parts.add_features(split, i, 1.0, y, out)
    return dot(out, w)
