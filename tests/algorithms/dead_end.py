"""A search problem with dead ends: tokens get label 0 or 1 from the left, and after a 1 no operator is left.

``results`` is what searches and learners say of it, and of one whose operators overshoot the end.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import LabelRows
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.sparse_sum import add
from structbench.algorithms.search import decoding
from structbench.algorithms.search import problem as search  # noqa: F401 - the operations that are implemented here
from structbench.algorithms.structures.compiled import implements
from tests.algorithms.learners import learned

LENGTH, LABELS = 3, 2


class Trap(NamedTuple):
    """Sequences of three tokens, right labels y (n, 3); weight k is of label k. Operators decide ``stride``."""

    y: LabelRows
    stride: int

    id = "trap"


def made(*rows: list[int], stride: int = 1) -> Trap:
    return Trap(np.array(rows, np.int32), stride)


@implements(Trap)
def num_examples(p):
    return p.y.shape[0]


@implements(Trap)
def num_decisions(p, i):
    return LENGTH


@implements(Trap)
def gold_labels(p, i, out):
    out[:] = p.y[i]


@implements(Trap)
def num_weights(p) -> int:
    return LABELS


@implements(Trap)
def state_width(p):
    return 2


@implements(Trap)
def num_moves(p):
    return LABELS


@implements(Trap)
def start(p, i, state):
    state[:] = 0


@implements(Trap)
def is_goal(p, i, state):
    return state[0] == LENGTH


@implements(Trap)
def after(p, i, state, move, out):
    out[0], out[1] = state[0] + p.stride, move


@implements(Trap)
def num_decided(p, move):
    return p.stride


@implements(Trap)
def good_moves(p, i, state, out):
    out[0] = p.y[i, state[0]]
    return 1 - state[1]


@implements(Trap)
def memory_sizes(p, i):
    return 0, 0


@implements(Trap)
def move_scores(p, i, state, w, known, flags, out):
    out[:] = w if state[1] == 0 else -np.inf


@implements(Trap)
def add_step(p, i, state, move, c, total):
    add(total, move, c)


@implements(Trap)
def write_labels(p, i, state, move, out):
    out[state[0]] = move


@implements(Trap)
def num_states(p, i):
    return (LENGTH + 1) * LABELS


@implements(Trap)
def state_number(p, i, state):
    return state[0] * LABELS + state[1]


@implements(Trap)
def bounds(p, i, w, known, flags, out):
    out[:] = 100.0


def said(call: Callable[[], Any]) -> str:
    """What a call says that a user can mend; anything else is not caught."""
    try:
        call()
    except UserError as error:
        return str(error)
    return "found"


def predicted(problem: Trap, w: list[float], beam: int | str, rows: str) -> str:
    return said(lambda: decoding.predictions(problem, np.array(w), beam=beam, decode="same", compare_at=rows))


def results() -> dict[str, str]:
    """Of each search and learner: ``found``, or the sentence that it ends with."""
    fine, trap = made([0, 0, 0], [0, 0, 1]), made([0, 0, 0], [0, 1, 0])
    found = {}
    for rows in ("decisions", "steps"):
        found |= {
            f"greedy, into the trap, {rows}": predicted(fine, [0.0, 1.0], 1, rows),
            f"greedy, past it, {rows}": predicted(fine, [1.0, 0.0], 1, rows),
            f"beam, {rows}": predicted(fine, [0.0, 1.0], 2, rows),
            f"NaN, {rows}": predicted(fine, [np.nan, np.nan], 2, rows),
            f"-inf, {rows}": predicted(fine, [-np.inf, -np.inf], 2, rows),
            f"overshooting, {rows}": predicted(made([0, 0, 0], stride=2), [1.0, 0.0], 2, rows),
        }
        for algorithm, params in (("laso", {"beam": 1}), ("early-update", {}), ("max-violation", {})):
            for name, problem in (("fine", fine), ("trap", trap)):
                run = learned(algorithm, problem, 3, compare_at=rows, **params)
                found[f"{algorithm}, {name}, {rows}"] = said(lambda run=run: list(run))
    return found | {
        "a-star": predicted(fine, [0.0, 1.0], "a-star", "decisions"),
        "a-star, NaN": predicted(fine, [np.nan, np.nan], "a-star", "decisions"),
    }
