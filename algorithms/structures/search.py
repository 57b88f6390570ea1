"""The operations of a search problem: outputs built step by step, as beams and learning within search need them.

laso2005, section 3.1 and 3.3: a search problem has states, operators, a goal test and, for learning, a test
whether a state can still lead to the right output (it is *y-good*). Here a state is a row of ``state_width``
integers, an operator a number, and the score of a path the sum of the scores of its steps, each a linear
function of the features of one step. A path's features add up to those of the output it leads to.

The first integer of a state is the number of outputs decided. A structure is a search problem if it implements
these operations, whether or not it implements those of ``parts`` for exact inference; kernels that are written
against them (``algorithms.beam``) run on all of them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from algorithms.structures.parts import operation


class Sum(NamedTuple):
    """A sparse sum of features: ``values`` float64 (weights,), 0 but at ``places[: count[0]]``, each listed once.

    ``listed``: int8 (weights,), whether a weight is among the places.
    """

    values: np.ndarray
    places: np.ndarray
    listed: np.ndarray
    count: np.ndarray


def empty_sum(num_weights: int) -> Sum:
    """0, with room for features of so many weights."""
    return Sum(
        np.zeros(num_weights),
        np.empty(num_weights, np.int32),
        np.zeros(num_weights, np.int8),
        np.zeros(1, np.int64),
    )


@njit(cache=True, error_model="numpy")
def add(total, place, value):
    """total += value at one weight."""
    if total.listed[place] == 0:
        total.listed[place] = 1
        total.places[total.count[0]] = place
        total.count[0] += 1
    total.values[place] += value


@njit(cache=True, error_model="numpy")
def clear(total):
    """total = 0, at the cost of the places it lists."""
    for p in range(total.count[0]):
        total.values[total.places[p]] = 0.0
        total.listed[total.places[p]] = 0
    total.count[0] = 0


# ---- compiled: the states of one example -----------------------------------------------------------


@operation
def state_width(problem) -> int:
    """How many integers a state has."""


@operation
def num_moves(problem) -> int:
    """Operators are numbered 0 .. num_moves - 1 in every state."""


@operation
def start(problem, i, state) -> None:
    """state[:] = where the search begins."""


@operation
def is_goal(problem, i, state) -> bool:
    """Whether the output is complete."""


@operation
def after(problem, i, state, move, out) -> None:
    """out[:] = the state that an operator leads to."""


@operation
def is_good(problem, i, state, move) -> bool:
    """Whether an operator leads from a y-good state to a y-good state; what learning calls right."""


@operation
def memory_sizes(problem, i) -> tuple[int, int]:
    """How many floats and how many flags ``move_scores`` may use to remember scores from one call to the next."""


@operation
def move_scores(problem, i, state, w, known, flags, out) -> None:
    """out[m] = w . (features of the step that operator m makes from a state), -inf where it cannot be applied.

    ``known`` (float64) and ``flags`` (int8), of the sizes that ``memory_sizes`` gives, are the same in all calls
    for an example with the same w; all flags are 0 in the first of them, and after w has changed.
    """


@operation
def add_step(problem, i, state, move, c, total) -> None:
    """total += c times the features of the step that an operator makes from a state; ``total``: a ``Sum``."""


# For the A* search of ``algorithms.best_first``; a problem without a bound leaves them out.


@operation
def num_states(problem, i) -> int:
    """How many states there are, or a larger number; the paths that lead to one have the same completions."""


@operation
def state_number(problem, i, state) -> int:
    """0 .. num_states - 1."""


@operation
def bounds(problem, i, w, known, flags, out) -> None:
    """out[t] >= the score of any completion of a path that has decided t outputs (a state's first number is t).

    Consistent: no step of a path makes the sum of its score and its bound grow. ``known``, ``flags``: as of
    ``move_scores``.
    """


@operation
def write_labels(problem, i, state, move, out) -> None:
    """out[t] = the labels that the step decides, as ``parts.labels`` writes them; the others stay."""
