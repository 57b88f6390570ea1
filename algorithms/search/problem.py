"""The operations of a search problem: outputs built step by step, for beams and for learning within search.

laso2005, section 3.1 and 3.3: a search problem has states, operators and a goal test. For learning it has a test
whether a state can still lead to the gold output (it is *y-good*). Here a state is a row of ``state_width``
integers, and an operator is a number. The score of a path is the sum of the scores of its steps. Each is a linear
function of the features of one step. A path's features add up to those of its output.

The first integer of a state is the number of decisions made. A structure is a search problem if it implements
these operations, whether or not it implements the operations of ``parts`` for exact inference. Kernels that use
them (``algorithms.search.beam``) run on all search problems.
"""

from structbench.algorithms.runtime.arrays import Flags, Floats, Ints, Labels
from structbench.algorithms.runtime.sparse_sum import Sum
from structbench.algorithms.structures import interface  # noqa: F401 - its operations get their numbers first, everywhere
from structbench.algorithms.structures.compiled import operation

SEARCH, COMPLETION_BOUNDS = "search", "completion bounds"

# ---- compiled: the states of one example -----------------------------------------------------------


@operation(SEARCH)
def state_width(problem) -> int:
    """How many integers a state has."""


@operation(SEARCH)
def num_moves(problem) -> int:
    """Operators are numbered 0 .. num_moves - 1 in every state."""


@operation(SEARCH)
def start(problem, i: int, state: Ints) -> None:
    """state[:] = where the search begins."""


@operation(SEARCH)
def is_goal(problem, i: int, state: Ints) -> bool:
    """Whether the output is complete."""


@operation(SEARCH)
def after(problem, i: int, state: Ints, move: int, out: Ints) -> None:
    """out[:] = the state that an operator leads to."""


@operation(SEARCH)
def num_decided(problem, move: int) -> int:
    """How many decisions an operator makes, at least 1, in every state."""


@operation(SEARCH)
def good_moves(problem, i: int, state: Ints, out: Ints) -> int:
    """The operators that lead from a y-good state to y-good states, in ``out``; returns how many.

    ``out`` has room for all operators. For learning, these operators are correct.
    """


@operation(SEARCH)
def memory_sizes(problem, i: int) -> tuple[int, int]:
    """How many floats and how many flags ``move_scores`` may use to remember scores between calls."""


@operation(SEARCH)
def move_scores(problem, i: int, state: Ints, w: Floats, known: Floats, flags: Flags, out: Floats) -> None:
    """out[m] = w . (features of the step that operator m makes from a state), -inf where it cannot be applied.

    ``known`` (float64) and ``flags`` (int8) have the sizes of ``memory_sizes``. They are the same in all calls for
    an example with the same w. All flags are 0 in the first call, and after w has changed.
    """


@operation(SEARCH)
def add_step(problem, i: int, state: Ints, move: int, c: float, total: Sum) -> None:
    """total += c times the features of the step that an operator makes from a state; ``total``: a ``Sum``."""


# For the A* search of ``algorithms.search.a_star``; a problem without a bound leaves them out.


@operation(COMPLETION_BOUNDS)
def num_states(problem, i: int) -> int:
    """How many states there are, or a larger number. All paths to one state have the same completions."""


@operation(COMPLETION_BOUNDS)
def state_number(problem, i: int, state: Ints) -> int:
    """0 .. num_states - 1."""


@operation(COMPLETION_BOUNDS)
def bounds(problem, i: int, w: Floats, known: Floats, flags: Flags, out: Floats) -> None:
    """out[t] >= the score of any completion of a path with t decisions (a state's first number is t).

    Consistent: no step of a path raises the sum of its score and its bound. ``known``, ``flags``: as of
    ``move_scores``.
    """


@operation(SEARCH)
def write_labels(problem, i: int, state: Ints, move: int, out: Labels) -> None:
    """out[t] = the labels that the step decides, as ``parts.labels`` writes them. The others stay."""
