"""A search problem with dead ends: tokens get label 0 or 1 from the left, and after a 1 no operator is left.

``python -m tests.algorithms.dead_end`` prints, as JSON, what searches and learners say of it, and of one whose
operators overshoot the end.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms.mistake_driven import decoding
from algorithms.runtime.errors import UserError
from algorithms.runtime.sparse_sum import add
from algorithms.search import problem as search
from algorithms.structures import interface as parts
from tests.algorithms.learners import learned

LENGTH, LABELS = 3, 2


class Trap(NamedTuple):
    """Sequences of three tokens, right labels y (n, 3); weight k is of label k. Operators decide ``stride``."""

    y: np.ndarray
    stride: int


def made(*rows: list[int], stride: int = 1) -> Trap:
    return Trap(np.array(rows, np.int32), stride)


@parts.implements(parts.num_examples, Trap)
def _(p):
    return p.y.shape[0]


@parts.implements(parts.num_outputs, Trap)
def _(p, i):
    return LENGTH


@parts.implements(parts.gold_labels, Trap)
def _(p, i, out):
    out[:] = p.y[i]


@parts.num_weights.register
def _(p: Trap) -> int:
    return LABELS


@parts.implements(search.state_width, Trap)
def _(p):
    return 2


@parts.implements(search.num_moves, Trap)
def _(p):
    return LABELS


@parts.implements(search.start, Trap)
def _(p, i, state):
    state[:] = 0


@parts.implements(search.is_goal, Trap)
def _(p, i, state):
    return state[0] == LENGTH


@parts.implements(search.after, Trap)
def _(p, i, state, move, out):
    out[0], out[1] = state[0] + p.stride, move


@parts.implements(search.num_decided, Trap)
def _(p, move):
    return p.stride


@parts.implements(search.good_moves, Trap)
def _(p, i, state, out):
    out[0] = p.y[i, state[0]]
    return 1 - state[1]


@parts.implements(search.memory_sizes, Trap)
def _(p, i):
    return 0, 0


@parts.implements(search.move_scores, Trap)
def _(p, i, state, w, known, flags, out):
    out[:] = w if state[1] == 0 else -np.inf


@parts.implements(search.add_step, Trap)
def _(p, i, state, move, c, total):
    add(total, move, c)


@parts.implements(search.write_labels, Trap)
def _(p, i, state, move, out):
    out[state[0]] = move


@parts.implements(search.num_states, Trap)
def _(p, i):
    return (LENGTH + 1) * LABELS


@parts.implements(search.state_number, Trap)
def _(p, i, state):
    return state[0] * LABELS + state[1]


@parts.implements(search.bounds, Trap)
def _(p, i, w, known, flags, out):
    out[:] = 100.0


def said(call: Callable[[], Any]) -> str:
    """What a call says that a user can mend; anything else is not caught."""
    try:
        call()
    except UserError as error:
        return str(error)
    return "found"


def predicted(problem: Trap, w: list[float], beam: int | str, rows: str) -> str:
    return said(lambda: decoding.predictions(problem, np.array(w), beam=beam, decode="same", rows=rows))


def results() -> dict[str, str]:
    """Of each search and learner: ``found``, or the sentence that it ends with."""
    fine, trap = made([0, 0, 0], [0, 0, 1]), made([0, 0, 0], [0, 1, 0])
    found = {}
    for rows in ("outputs", "steps"):
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
                run = learned(algorithm, problem, 3, rows=rows, **params)
                found[f"{algorithm}, {name}, {rows}"] = said(lambda run=run: list(run))
    return found | {
        "a-star": predicted(fine, [0.0, 1.0], "a-star", "outputs"),
        "a-star, NaN": predicted(fine, [np.nan, np.nan], "a-star", "outputs"),
    }


if __name__ == "__main__":
    print(json.dumps(results()))
