"""Cutting planes for the hinge with one slack: a plane per round, made of all examples' worst outputs.

Joachims, Finley and Yu 2009, Algorithm 3 (margin rescaling). Inference at the weights v on every example, yhat_i =
argmax_y e_i(y) + v . f(x_i, y), makes the plane

    a_t = sum_i f(x_i, y_i) - f(x_i, yhat_i),    b_t = sum_i e_i(yhat_i),    sum_i loss_i(w) >= b_t - w . a_t,

exact at v. The next weights are v = w(alpha) / C. The quadratic program over all planes gives alpha (``planes``).
It means u_i = sum_t alpha_t [y = yhat_i of plane t], the same mixture for all examples.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.cutting_planes.planes import Planes
from structbench.algorithms.cutting_planes.working_sets import initial, weights
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="1-slack cutting planes",
    loss="polyhedral",
    needs=("parts", "argmax"),
    random=False,
    references=("joachims2009",),
    settings=Settings(tests=({"best": True},)),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, "> 0"] = 1e-9,
    patience: Annotated[int, ">= 1"] = 50,
    best: bool = False,
) -> Iterator[Iterate]:
    """Run 1-slack cutting planes; a round is n visits and a yield.

    Args:
        epsilon: the run ends when the newest plane, at the weights it was made at, lies at most n epsilon above
            all others. Then the mean loss is at most epsilon above the slack, and P - D <= n epsilon.
        patience: planes whose alpha was 0 in this many rounds in a row are dropped.
        best: the weights are those with the least objective before the newest program. The dual point stays its.

    A program that does not converge ends the run, at the weights before it.
    """
    split, C, n = objective.split, objective.C, parts.num_examples(objective.split)
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 0, scale=1 / C)
    right = initial(split)
    a = weights(split, right)
    planes = Planes(C)
    planes.add(a, float(right.losses.sum()))  # the constraint xi >= 0: a and b are 0 if all labels are known
    visits, solved, least, kept = 0, True, np.inf, w
    while True:
        losses, risks = objective.losses_and_conjugates(w / C, a)
        np.negative(a, out=a)
        visits += n
        loss = float(losses.sum())
        if best and loss + float(w @ w) / (2 * C) < least:
            least, kept = loss + float(w @ w) / (2 * C), w.copy()
        violated = planes.below(loss, n * epsilon, loss, n)
        if violated:
            planes.add(a, float(risks.sum()))
            solved = planes.optimise(w)
            planes.drop(patience)
        value = float(planes.alpha @ planes.b)
        dual = Dual(value, w if best else None, partial(planes.dual_point, len(w)))
        notes = {"planes": float(len(planes.b))}
        yield Iterate(kept, visits, dual, notes, scale=1 / C)
        if not violated or not solved:
            return
