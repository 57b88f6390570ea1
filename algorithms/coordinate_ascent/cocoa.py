"""Online EG on blocks of examples in parallel, whose changes can be safely summed (CoCoA+; Ma et al. 2015).

The examples of a round are cut into K blocks. Each block visits its own by the steps of online EG (``eg``). It
raises not the dual but its share of a lower bound of it:

    sum_k [ gain_k - w(u) . t_k / C - sigma ||t_k||^2 / (2 C) ]  <=  D(u + all changes) - D(u).

Here gain_k is the change of conj(u) by block k alone, and t_k that of w(u). sigma sum_k ||t_k||^2 must be at least
||sum_k t_k||^2, which always holds for sigma = K (their section 3, with gamma = 1). For that a block only needs
weights of its own, w(u) + sigma t_k; then all t_k are added. For an elastic net they are soft(w(u), A) + sigma
t_k, as ||soft(v + t)||^2 is at most ||soft(v)||^2 + 2 soft(v) . t + ||t||^2. Not in the paper: each round has new
blocks. The next sigma is the least that would have sufficed in this round, times a margin. The dual value is known
exactly, so that a round that lowered it is taken back and repeated with at least twice the sigma.

After each round the blocks' changes are added up, over all weights. The rounds of a pass sweep over 8 million
weights, but they are at least 3 and at most 50, or ten a block.

The bits depend on the number of blocks, not of threads. Memory: as ``eg``, a vector of weights a thread, one more,
and a number for each part of a round's examples.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.exponentiated_gradient import dual_variables as dv
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.penalties import soft
from structbench.algorithms.learning.sampling import TICKS, split_pass, ticks
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import starts_of
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.long_vectors import BLOCK, inner, num_blocks
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import soft_features

MARGIN, MARGIN_GROWTH, MAX_MARGIN = 1.25, 1.2, 2.0
FEWEST, MOST, SWEPT = 3, 50, 2**23  # rounds a pass, and weights that they sweep over


def check(split: Any, *, blocks: int, **others: Any) -> None:
    """Check that each block has an example.

    Raises:
        UserError: there are more blocks than examples.
    """
    n = parts.num_examples(split)
    if blocks > n:
        raise UserError(f"cocoa: blocks={blocks} are more than the {n} training examples: give at most {n}")


@algorithm(
    label="CoCoA+",
    penalties=("l2", "elastic-A"),
    needs=("parts", "argmax", "marginals"),
    check=check,
    promises=Promises(monotone=True),
    settings=Settings(
        figures=(),  # on one thread it is EG, and slower
        tests=({"blocks": 3},),
    ),
    references=("ma2015", "eg2008"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    blocks: Annotated[int, ">= 1"] = 2,
    order: Literal["gap", "permuted"] = "gap",
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, "> 0"] = 0.5,
    grow: Annotated[float, ">= 1"] = 1.05,
) -> Iterator[Iterate]:
    """Run online EG on blocks. Yields w = 0, as all algorithms, then w(u) / C of the first u, after n visits.

    Args:
        blocks: K, how many threads can work at once; with 1 this is ``eg``.
        order: as of ``eg``, whose other orders may visit an example twice in a round without need.
        start, eta, grow: as of ``eg``. Step sizes are adaptive.
    """
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
    state = dv.State(objective, start, eta)
    visits = len(state.eta)
    yield state.iterate(objective, visits, {})
    team = _Blocks(objective, state, blocks, grow, order == "gap")
    rounds = min(MOST, 10 * blocks, max(FEWEST, SWEPT // max(1, len(state.w))))
    a_tick = -(-rounds // TICKS)  # rounds, whose examples are drawn together: a draw by gap looks at all gaps
    for tick in ticks(rng, len(state.eta), order, state.gaps, max(1, rounds // a_tick)):
        visits += sum(team.round(drawn) for drawn in split_pass(tick, a_tick))
        yield state.iterate(objective, visits, {"sigma": team.sigma, "taken_back": team.taken_back})


class _Blocks:
    """What rounds need besides the duals: the ``sigma`` of the next round, and how many were ``taken_back``."""

    def __init__(self, objective: Objective, state: dv.State, blocks: int, grow: float, by_gap: bool) -> None:
        self.objective, self.state, self.blocks = objective, state, blocks
        self.grow, self.by_gap = grow, by_gap
        self.sigma, self.margin, self.taken_back = float(blocks), MARGIN, 0
        size = len(state.w)
        self.lengths = np.diff(state.offsets)
        self.local = np.empty((min(blocks, parallel.threads()), size))
        self.new = np.empty(size)
        self.current = False  # whether all rows of ``local`` are soft(w(u), A)
        self.kept = np.empty(0)
        self.sums = np.empty((num_blocks(size), 3))
        w = soft(state.w, state.threshold)
        self.square = inner(w, w)

    def round(self, drawn: np.ndarray) -> int:
        """Visit these examples; returns the visits made."""
        if self.blocks == 1:
            return dv.sweep(self.objective, self.objective.C, self.state, drawn, True, self.grow, self.by_gap)[0]
        examples, starts, each = cut(drawn, self.blocks, self.lengths)
        state, objective, visits = self.state, self.objective, 0
        before, bounds = state.conjugate(objective), starts_of(self.lengths[each] + 2)
        self.kept = self.kept if len(self.kept) >= bounds[-1] else np.empty(bounds[-1])
        own = each, bounds, self.kept, state.offsets, state.u, state.conjugates
        parallel.for_each(_keep, len(each), *own)
        while True:
            made, apart, together, square = self._visit(examples, starts)
            visits += made
            conjugate, penalty = state.conjugate(objective), square / (2 * objective.C)
            rise = conjugate - before - (square - self.square) / (2 * objective.C)
            least = together / apart if apart > 0 else 1.0
            if self.sigma >= self.blocks or rise >= -dv.SLACK * (1 + abs(conjugate) + penalty):
                break
            self.taken_back += 1
            self.margin = min(MAX_MARGIN, MARGIN_GROWTH * self.margin)
            parallel.for_each(_restore, len(each), state.split, *own)
            visits += len(each)
            self.sigma = min(float(self.blocks), 2 * max(self.sigma, least))
        state.w, self.new, self.square, self.current = self.new, state.w, square, True
        self.sigma = min(float(self.blocks), max(1.0, self.margin * least))
        return visits

    def _visit(self, examples: np.ndarray, starts: np.ndarray) -> tuple[int, float, float, float]:
        """Visit the blocks; ``new`` becomes w(u) after them, all rows of ``local`` soft(new, A).

        Returns:
            Visits, sum_k ||t_k||^2, ||sum_k t_k||^2 and ||soft(new, A)||^2.
        """
        split, objective, duals = self.state.split, self.objective, self.state.duals()
        visits = np.zeros(self.blocks, np.int64)
        self.sums[:] = 0.0
        for first in range(0, self.blocks, len(self.local)):
            count = min(len(self.local), self.blocks - first)
            parallel.for_each(
                _visit_blocks, count, split, objective.loss_terms, objective.C, examples, starts[first:], duals,
                self.local, self.current and first == 0, self.grow, self.by_gap, self.sigma, self.state.threshold,
                visits[first:],
            )  # fmt: skip
            parallel.for_each(
                _add_up, len(self.sums), self.state.w, self.local, count, first == 0, first + count == self.blocks,
                self.sigma, self.state.threshold, self.new, self.sums,
            )  # fmt: skip
        self.current = False
        own, together, square = self.sums.sum(axis=0)
        return int(visits.sum()), float(own), float(together), float(square)


def cut(drawn: np.ndarray, blocks: int, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut the examples of a round into blocks with equally many parts; no example is in two blocks.

    Args:
        lengths: the parts of each example.

    Returns:
        The examples block by block, within a block in the order of the draws. Where each block begins, shape
        (blocks + 1,). The distinct examples, in the order of their first draws.
    """
    examples, each, starts = np.empty_like(drawn), np.empty_like(drawn), np.zeros(blocks + 1, np.int64)
    count = _cut(drawn, blocks, lengths, examples, each, starts)
    return examples, starts, each[:count]


@kernel
def _cut(drawn, blocks, lengths, examples, each, starts):
    """Fill the three arrays that ``cut`` returns; returns how many examples are distinct."""
    draws, count, total, done = np.zeros(lengths.shape[0], np.int64), 0, 0, 0
    for i in drawn:
        if draws[i] == 0:
            each[count] = i
            count += 1
        draws[i] += 1
        total += lengths[i]
    own = draws  # from the second loop on, the block of each example
    for i in each[:count]:
        work = draws[i] * lengths[i]
        done += work
        block = blocks * (2 * done - work) // (2 * total)
        starts[block + 1] += draws[i]
        own[i] = block
    for block in range(blocks):
        starts[block + 1] += starts[block]
    place = starts.copy()
    for i in drawn:
        examples[place[own[i]]] = i
        place[own[i]] += 1
    return count


@kernel
def _keep(first, last, each, starts, kept, offsets, u, conjugates):
    """kept = s_i and the conjugates of these examples; mu_i follows from s_i."""
    for k in range(first, last):
        s, copy = dv.scores_and_marginals(u, offsets, each[k])[0], kept[starts[k] : starts[k + 1]]
        m = s.shape[0]
        copy_to(s, copy[:m])
        copy[m], copy[m + 1] = conjugates[0, each[k]], conjugates[1, each[k]]


@kernel
def _restore(first, last, split, each, starts, kept, offsets, u, conjugates):
    """The reverse of ``_keep``."""
    for k in range(first, last):
        s, mu = dv.scores_and_marginals(u, offsets, each[k])
        m, copy = s.shape[0], kept[starts[k] : starts[k + 1]]
        copy_to(copy[:m], s)
        conjugates[0, each[k]], conjugates[1, each[k]] = copy[m], copy[m + 1]
        parts.marginals(split, each[k], s, mu)


@kernel
def _visit_blocks(
    first, last, split, loss, C, examples, starts, duals, local, current, grow, measure, sigma, A, visits
):
    """Visit the examples of blocks, each with a row of ``local`` for soft(w(u), A) + sigma t_k.

    ``current``: the rows are soft(w(u), A) already.
    """
    for k in range(first, last):
        own = local[k]
        if not current:
            soft_features.soften(duals.w, A, own)
        arrays = duals.offsets, own, duals.u, duals.conjugates, duals.eta, duals.gaps
        mine = dv.Duals(*arrays, duals.factors, duals.first_eta, duals.slack)
        block = examples[starts[k] : starts[k + 1]]
        visits[k] = dv.visit_examples(split, loss, C, block, mine, True, grow, measure, sigma)[0]


@kernel(fastmath=("reassoc", "nsz"))
def _add_up(first, last, w, local, count, begin, end, sigma, A, new, sums):
    """new = w (if ``begin``) + t_1 + ..., of ``count`` rows; the sums are those of ``_Blocks._visit``, by slices.

    If ``end``, all rows become soft(new, A), while they are in cache.
    """
    shrunk = np.empty(BLOCK)
    for block in range(first, last):
        a, b = block * BLOCK, min((block + 1) * BLOCK, len(w))
        old, now = w[a:b], new[a:b]
        if begin:
            copy_to(old, now)
        before = shrunk[: b - a]
        soft_features.soften(old, A, before)
        for k in range(count):
            theirs, own = local[k, a:b], 0.0
            for r in range(b - a):
                t = (theirs[r] - before[r]) * (1 / sigma)
                now[r] += t
                own += t * t
            sums[block, 0] += own
        together, square = 0.0, 0.0
        for r in range(b - a):
            together += (now[r] - old[r]) * (now[r] - old[r])
            before[r] = soft_features.soft(now[r], A)
            square += before[r] * before[r]
        sums[block, 1], sums[block, 2] = together, square
        if end:
            for k in range(local.shape[0]):
                copy_to(before, local[k, a:b])
