"""Minimum error training: the sum of the best outputs' own losses, made smaller by exact line searches.

klein2011, "Minimize Training Error?": min_w sum_i e_i(argmax_y w . f_i(y)), neither continuous nor convex.
F. J. Och, Minimum error rate training in statistical machine translation, 2003: one direction after another, w
goes where on that line the error over lists of outputs is least (``error_line``); after each round the lists grow
by the k best outputs at the new w. On its lists the error never rises; of classes all are listed, so that it is
the training error. A line takes a pass over the examples: this is for small problems.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.learning.objective import Iterate, Objective, require_labels
from algorithms.mistake_driven import output_lists
from algorithms.mistake_driven.error_line import least
from algorithms.structures import interface as parts

LOSSES = ("none",)
PENALTIES = ("none",)
NEEDS = ("parts", "argmax", "k-best")
LABEL = "Minimum error"
DRAWS = True


def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    directions: Literal["coordinates", "random"] = "coordinates",
    lines: Annotated[int, ">= 1"] = 20,
    k: Annotated[int, ">= 2", "<= 1000"] = 20,
) -> Iterator[Iterate]:
    """Run minimum error training from w = 0; yields after each line, which is a visit to each example.

    It ends without training error, or when every weight has been tried in vain since the last step. Notes:
    ``updates``, lines on which w moved, and ``listed_loss``, the sum of losses on the lists.

    Args:
        directions: single weights in a new order each time, or normally distributed.
        lines: line searches of a round, after which the lists grow by the best outputs at w.
        k: outputs by which the list of an example grows, at most.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    require_labels(split, "minimum-error")
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 1.0, 0, None, {"updates": 0})
    lists, visits, updates, in_vain = output_lists.empty(split), 0, 0, 0
    lines_to_come = _directions(directions, len(w), rng)
    while True:
        known = len(lists.losses)
        lists = output_lists.grown(split, lists, k, w)
        visits += n
        a, b = np.empty((2, len(lists.losses)))
        output_lists.scores(split, lists, w, a)
        loss = output_lists.loss_of_best(lists, a)
        if len(lists.losses) > known:
            in_vain = 0
        elif loss == 0 or in_vain >= len(w):
            return
        for _ in range(lines):
            place, direction = next(lines_to_come)
            output_lists.scores(split, lists, direction, b)
            visits += n
            found, gamma = least(lists, a, b)
            in_vain += place >= 0
            if found < loss:
                there = w + gamma * direction
                output_lists.scores(split, lists, there, b)
                reached = output_lists.loss_of_best(lists, b)
                if reached < loss:  # as the line says, but for rounding
                    w, a, b, loss = there, b, a, reached
                    updates, in_vain = updates + 1, 0
            yield Iterate(w, 1.0, visits, None, {"updates": updates, "listed_loss": float(loss)})


def _directions(kind: str, size: int, rng: np.random.Generator) -> Iterator[tuple[int, np.ndarray]]:
    """Directions without end, with the place of the only weight that each changes, or -1."""
    while True:
        if kind == "random":
            yield -1, rng.normal(size=size)
            continue
        for j in rng.permutation(size):
            direction = np.zeros(size)
            direction[j] = 1.0
            yield int(j), direction
