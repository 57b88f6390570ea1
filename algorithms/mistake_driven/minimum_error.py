"""Minimum error training (Och 2003): exact line searches reduce the training error over k-best lists.

klein2011, "Minimize Training Error?": min_w sum_i e_i(argmax_y w . f_i(y)), neither continuous nor convex. Och
2003. It searches one direction after another. On each line w goes where the error over lists of outputs is least
(``error_line``). After each round the lists grow by the k best outputs at the new w. On its lists the error never
rises. For classes all outputs are listed, so that it is the training error. A line takes a pass over the examples:
this is for small problems.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.cutting_planes.working_sets import scores
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.mistake_driven import output_lists
from structbench.algorithms.mistake_driven.error_line import least
from structbench.algorithms.structures import interface as parts


def _warm(objective: Objective) -> None:
    """Call what a run that starts without an error does not need: a line."""
    split, w = objective.split, np.zeros(parts.num_weights(objective.split))
    lists = output_lists.grown(split, output_lists.empty(split), 2, w)
    a = np.zeros(len(lists.losses))
    least(lists, a, a)


@algorithm(
    label="Minimum error",
    loss="none",
    needs=("parts", "argmax", "k-best"),
    random=True,
    warm=_warm,
    references=("och2003",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    lines: Annotated[int, ">= 1"] = 20,
    k: Annotated[int, ">= 2", "<= 1000"] = 20,
) -> Iterator[Iterate]:
    """Run minimum error training from w = 0. Yields after each line, which is a visit to each example.

    It ends without training error. It also ends when every weight was tried in vain since w or the lists last
    changed. No weight is tried twice between two changes. Notes: ``updates``, lines on which w moved, and
    ``listed_loss``, the sum of costs on the lists.

    Args:
        lines: line searches of a round. After it the lists grow by the best outputs at w.
        k: outputs by which the list of an example grows, at most.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    require_labels(split, "minimum-error")
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 0, notes={"updates": 0})
    lists, visits, updates = output_lists.empty(split), 0, 0
    tried = np.zeros(len(w), np.bool_)  # in vain since the last change
    lines_to_come = _directions(tried, rng)
    while True:
        known = len(lists.losses)
        lists = output_lists.grown(split, lists, k, w)
        visits += n
        a = scores(split, lists, w)
        loss = output_lists.loss_of_best(lists, a)
        if len(lists.losses) > known:
            tried[:] = False
        if loss == 0 or tried.all():
            return
        for _ in range(lines):
            if loss == 0 or tried.all():
                break
            direction = next(lines_to_come)
            visits += n
            found, gamma = least(lists, a, scores(split, lists, direction))
            moves = False
            if found < loss:
                there = w + gamma * direction
                at_it = scores(split, lists, there)
                reached = output_lists.loss_of_best(lists, at_it)
                moves = reached < loss  # as the line says, unless rounding is against it
            if moves:
                w, a, loss, updates = there, at_it, reached, updates + 1
                tried[:] = False
            else:
                tried[direction.argmax()] = True
            yield Iterate(w, visits, notes={"updates": updates, "listed_loss": float(loss)})


def _directions(tried: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Single weights without end, in a new order each time, without those ``tried`` before their turn."""
    while True:
        for j in rng.permutation(len(tried)):
            if not tried[j]:
                direction = np.zeros(len(tried))
                direction[j] = 1.0
                yield direction
