"""Cutting planes for the l1-norm M3N: a linear program over working sets (l1m3n2009, section 4.1, Algorithm 1).

Each round solves the program over the constraints found so far, with HiGHS from the last basis. Then it looks for
an output of each example that violates its constraint,

    w . (f(x_i, y_i) - f(x_i, y)) >= e_i(y) - xi_i.

Beyond the paper, features join the program only when their price says so, so that it is a few hundred weights
wide. Its optimum is a corner that jumps about. So outputs are also sought on the way to the best weights so far
(Ben-Ameur and Neto 2007). ``warm=0 inward=0 pruning=0`` is the paper's algorithm. The program's dual variables are
a dual point.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective, require_labels
from structbench.algorithms.learning.sparse_features import features_of, room_for
from structbench.algorithms.losses.terms import costs_and_scores
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.sparse_margin import l1m3n_proximal
from structbench.algorithms.structures import interface as parts

if TYPE_CHECKING:
    from structbench.algorithms.cutting_planes.linear_program import LinearProgram

NAME = "l1m3n-cutting-plane"
PRICED = 1e-9  # relative: how far |w(u)_k| may exceed C / 2
NEWCOMERS = 300  # features that join at once
Constraint = tuple[np.ndarray, np.ndarray, float, int]  # indices and values of a, b, and whose slack
Constraints = dict[tuple[int, bytes, bytes], Constraint]  # by slack, indices and values
WARM_FROM, WARM_LOOKS = 0.2, 40  # the share of the first passes that is left unused, and the searches in the rest
AS_GOOD = 2.0  # yield the corner if its gap is at most this times the gap of the best weights


def _warm(objective: Objective) -> None:
    """Call kernels that a run may need late: with ``warm`` passes, a search comes after some of them."""
    search = _Search(objective, 1e-9)
    program = _program(objective, search)
    search.at(program.w, program)


def _program(objective: Objective, search: "_Search") -> "LinearProgram":
    from structbench.algorithms.cutting_planes.linear_program import LinearProgram  # imports scipy

    return LinearProgram(NAME, objective.C, parts.num_weights(objective.split), search.slacks)


@algorithm(
    loss="polyhedral",
    penalties=("l1",),
    needs=("parts", "argmax"),
    warm=_warm,
    references=("l1m3n2009", "benameur2007"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, ">= 1e-9"] = 1e-9,
    warm: Annotated[int, ">= 0"] = 0,
    inward: Annotated[float, ">= 0", "< 1"] = 0.8,
    pruning: Annotated[int, ">= 0"] = 20,
) -> Iterator[Iterate]:
    """Run cutting planes from w = 0. Yields after each round. A search at one point is a visit to each example.

    Args:
        epsilon: a constraint is added if it is violated by more. The run ends where none is; then P is at most n
            epsilon above the optimum. HiGHS itself meets constraints to 1e-9.
        warm: passes of the proximal method before the first program. Some thousand are worth their time where
            programs take seconds.
        inward: a second point to search at, on the way from the corner (0) to the best weights (1). With 0, only
            the corner is searched.
        pruning: constraints that did not matter to this many programs in a row are dropped; 0 keeps all.

    Raises:
        UserError: the program has no optimum, or the gold label of a training example is not known.
    """
    require_labels(objective.split, NAME)
    split, n = objective.split, parts.num_examples(objective.split)
    size = parts.num_weights(split)
    search = _Search(objective, epsilon)
    program = _program(objective, search)
    yield Iterate(np.zeros(size), 0)
    best, lowest, bound = np.zeros(size), np.inf, 0.0
    visits = 0
    if warm:
        met: Constraints = {}
        for point in _first(problem, objective, rng, search, program, warm, met):
            visits, best = point.visits, point.vector
            yield point
        best = best.copy()
        lowest = objective.evaluate(best, None).primal
        visits += n
        if met:
            program.add_features(np.flatnonzero(best))
            _add(program, met)
            bound = _optimum(program, pruning)
    while True:
        corner = program.w.copy()
        loss, found = search.at(corner, program)
        visits += n
        at_corner = loss + objective.penalty_value(corner)
        if at_corner < lowest:
            best, lowest = corner, at_corner
        elif inward > 0:
            between = inward * best + (1 - inward) * corner
            loss, more = search.at(between, program)
            visits += n
            found |= {key: each for key, each in more.items() if key not in found}
            value = loss + objective.penalty_value(between)
            if value < lowest:
                best, lowest = between, value
        if found:
            _add(program, found)
            bound = _optimum(program, pruning)
        good = at_corner - bound <= AS_GOOD * (lowest - bound)
        chosen = corner if good or inward == 0 or not found else best
        notes = {"constraints": float(len(program.margins)), "features": float(len(program.features))}
        dual = Dual(program.conjugate, program.dual_weights)
        yield Iterate(chosen, visits, dual, notes, hints=Hints(evaluate_now=True))
        if not found:
            return


def _first(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    search: "_Search",
    program: "LinearProgram",
    passes: int,
    met: Constraints,
) -> Iterator[Iterate]:
    """Run ``passes`` passes of the proximal method; ``met`` gets the constraints that are active at its points."""
    n = search.slacks
    due, looks = WARM_FROM * passes * n, 0
    for point in l1m3n_proximal.solve(problem, objective, rng):
        visits = point.visits + looks * n
        if visits >= due:
            met |= search.at(point.vector, program)[1]
            looks += 1
            due += (1 - WARM_FROM) * passes * n / WARM_LOOKS
        if visits > 0:
            yield point._replace(visits=point.visits + looks * n)
        if visits >= passes * n:
            return


def _optimum(program: "LinearProgram", pruning: int) -> float:
    """Solve the program, add features until none has a price that says so, and drop idle constraints."""
    limit = program.C / 2 * (1 + PRICED)
    value = program.solve()
    while True:
        prices = np.abs(program.dual_weights)
        prices[program.features] = 0.0
        wanted = np.flatnonzero(prices > limit)
        if len(wanted) == 0:
            break
        program.add_features(wanted[np.argsort(-prices[wanted], kind="stable")[:NEWCOMERS]])
        value = program.solve(primal=True)
    if pruning:
        program.prune(pruning)
    return value


def _add(program: "LinearProgram", found: Constraints) -> None:
    import scipy.sparse as sp

    indices, values, margins, owners = zip(*found.values(), strict=True)
    indptr = np.concatenate([[0], np.cumsum([len(each) for each in indices])])
    shape = len(found), len(program.w)
    rows = sp.csr_array((np.concatenate(values), np.concatenate(indices), indptr), shape=shape)
    program.add_rows(rows, np.array(margins), np.array(owners))


class _Search:
    """The search for constraints, with a slack for each example."""

    def __init__(self, objective: Objective, epsilon: float) -> None:
        self.split, self.epsilon = objective.split, epsilon
        self.slacks = parts.num_examples(self.split)
        self._difference = room_for(self.split)

    def at(self, w: np.ndarray, program: "LinearProgram") -> tuple[float, Constraints]:
        """The sum of losses at w, and the constraints active there that the program's optimum violates."""
        total, found = 0.0, {}
        for i in range(self.slacks):
            loss, b, count = _worst(self.split, i, w, self._difference)
            total += loss
            a, values = self._difference.keys[:count], self._difference.values[:count]
            if b - values @ program.w[a] - program.slacks[i] > self.epsilon:
                found[i, a.tobytes(), values.tobytes()] = a.copy(), values.copy(), b, i
        return total, found


@kernel
def _worst(split, i, w, difference):
    """The loss of example i, e_i(y) of its cost-augmented argmax y, and f(x_i, y_i) - f(x_i, y).

    The last is the sum ``difference``; the third number returned is its number of weights.
    """
    m = parts.num_parts(split, i)
    e, s, y, delta = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    costs_and_scores(split, i, w, 1.0, e, s)
    parts.argmax(split, i, s, y)
    subtract_from_gold(split, i, y, delta)
    return -dot(s, delta), dot(e, y), features_of(split, i, delta, difference)
