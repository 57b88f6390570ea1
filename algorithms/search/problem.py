"""The operations of a search problem: outputs built step by step, for beams and for learning within search.

laso2005, section 3.1 and 3.3: a search problem has states, operators and a goal test. For learning it has a test
whether a state can still lead to the gold output (it is *y-good*). Here a state is a row of integers, and an
operator is a number. The score of a path is the sum of the scores of its steps. Each is a linear function of the
features of one step. A path's features add up to those of its output.

The first integer of a state is the number of decisions made. In a goal these are all decisions. A search begins
with none, and -1 for all other integers. A structure is a search problem if it implements these operations,
whether or not it implements the operations of ``parts`` for exact inference. Kernels that use them
(``algorithms.search.beam``) run on all search problems.
"""

from typing import NamedTuple

from structbench.algorithms.runtime.arrays import Flags, Floats, Ints, Labels
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import Sum
from structbench.algorithms.structures import interface  # its operations get their numbers first, everywhere
from structbench.algorithms.structures.compiled import operation

SEARCH, COMPLETION_BOUNDS = "search", "completion bounds"

# ---- compiled: the states of one example -----------------------------------------------------------


class Sizes(NamedTuple):
    """Of the search for one example's output; ``state`` and ``moves`` are the same for all examples.

    ``state``: how many integers a state has. ``moves``: operators are numbered 0 .. moves - 1 in every state.
    ``floats``, ``flags``: how many of each ``move_scores`` may use to remember scores between calls. ``lasts``: if
    a state is two integers, how many values the second has, from -1 on; else 0.
    """

    state: int
    moves: int
    floats: int
    flags: int
    lasts: int


@operation(SEARCH, counts=True)
def sizes(problem, i: int) -> Sizes:
    """The sizes of the search."""
    ...


@operation(SEARCH)
def after(problem, i: int, state: Ints, move: int, out: Ints) -> None:
    """out[:] = the state that an operator leads to. An operator makes equally many decisions in every state."""


@operation(SEARCH)
def good_moves(problem, i: int, state: Ints, out: Ints) -> int:
    """The operators that lead from a y-good state to y-good states, in ``out``; returns how many.

    ``out`` has room for all operators. For learning, these operators are correct. From a state that is not y-good:
    operators that begin a completion with the fewest wrong decisions, for ``dagger``.
    """
    ...


@operation(SEARCH)
def move_scores(problem, i: int, state: Ints, w: Floats, known: Floats, flags: Flags, out: Floats) -> None:
    """out[m] = w . (features of the step that operator m makes from a state), -inf where it cannot be applied.

    ``known`` (float64) and ``flags`` (int8) have the sizes of ``sizes``. They are the same in all calls for
    an example with the same w. All flags are 0 in the first call, and after w has changed.
    """


@operation(SEARCH)
def add_step(problem, i: int, state: Ints, move: int, c: float, total: Sum) -> None:
    """total += c times the features of the step that an operator makes from a state; ``total``: a ``Sum``."""


# For the A* search of ``algorithms.search.a_star``, which also needs ``lasts``. Problems without a bound omit it.


@operation(COMPLETION_BOUNDS)
def bounds(problem, i: int, w: Floats, known: Floats, flags: Flags, out: Floats) -> None:
    """out[t] >= the score of any completion of a path with t decisions (a state's first number is t).

    Consistent: no step of a path raises the sum of its score and its bound. ``known``, ``flags``: as of
    ``move_scores``.
    """


@operation(SEARCH)
def write_labels(problem, i: int, state: Ints, move: int, out: Labels) -> None:
    """out[t] = the labels that the step decides, as ``parts.labels`` writes them. The others stay."""


# ---- derived ----------------------------------------------------------------------------------------


@kernel
def start(state):
    """state[:] = where a search begins."""
    state[:] = -1
    state[0] = 0


@kernel
def is_goal(problem, i, state):
    """Whether the output is complete."""
    return state[0] == interface.num_decisions(problem, i)
