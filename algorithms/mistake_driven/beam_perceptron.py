"""Perceptron training with beam search: standard, early and max-violation updates.

``early``: as soon as no path in the queue is y-good (Collins and Roark, Incremental parsing with the perceptron
algorithm, 2004). ``max-violation``: where the best path is most ahead of the gold path (Huang, Fayong and Guo,
Structured perceptron with inexact search, 2012). The gold path may still win in the end. ``standard``: at the end
(Collins 2002), whether or not the gold path was still in the queue. Afterwards, each goes on to the next example.
"""

from collections.abc import Iterator

import numpy as np

from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven import best_output, epochs
from structbench.algorithms.mistake_driven.averaging import Averaged, perceptron_step, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import empty_sum
from structbench.algorithms.search import beam as bm
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts

STANDARD, EARLY, MAX_VIOLATION = range(3)
ROUNDING = 1e-9  # of scores: of violations that differ by less, the first counts


def learn(
    objective: Objective,
    rng: np.random.Generator,
    name: str,
    kind: int,
    beam: int | str,
    compare_at: str,
    average: epochs.Average,
) -> Iterator[Iterate]:
    """Run a perceptron of one of the three kinds from w = 0; ``beam`` may be ``inf`` for the standard one."""
    split, by_outputs = objective.split, compare_at == "decisions"
    total = empty_sum(parts.num_weights(split))

    def visit(tick: np.ndarray, w: Averaged) -> int:
        if beam == "inf":
            return best_output.visit(split, tick, False, True, 0.0, w)
        return _visit_examples(split, tick, beam, by_outputs, kind, w, total)

    yield from epochs.learn(split, rng, visit, name, average, ticks=1 if beam == "inf" else epochs.TICKS)


@kernel
def _visit_examples(problem, examples, beam, by_outputs, kind, w, total):
    """Learn from these examples; see ``epochs.Visit``."""
    space = bm.workspace(problem, examples[0], beam)
    for i in examples:
        q, right, none = bm.queue(problem, i, beam), bm.queue(problem, i, 1), bm.queue(problem, i, 0)
        known, flags = bm.memory(problem, i)
        done = bm.begin(problem, i, q)
        bm.begin(problem, i, right)
        r, at, most = 0, 0, 0.0
        while not (done and q.sizes[r] > 0 and right.sizes[r] > 0):
            if bm.lost(q, r):
                return i
            done = bm.expand(problem, i, w.v, q, r, by_outputs, 0.0, known, flags, space, none)
            if right.sizes[r] > 0:
                _extend(problem, i, w.v, right, r, by_outputs, known, flags, space)
            r += 1
            if right.sizes[r] == 0:
                continue
            done = bm.settle(problem, i, right, right, r) and done
            ahead = q.scores[r, 0] - right.scores[r, 0]
            if kind == EARLY and not bm.any_good(q, r):
                at = r
                break
            least = most + ROUNDING * max(1.0, abs(right.scores[r, 0]))
            if kind == MAX_VIOLATION and not q.good[r, 0] and (at == 0 or ahead > least):
                at, most = r, ahead
        if kind != MAX_VIOLATION and at == 0 and not q.good[r, 0]:
            at = r
        if at > 0:
            mass, other = np.zeros((at + 1, beam)), np.zeros((at + 1, 1))
            mass[at, 0], other[at, 0] = -1.0, 1.0
            bm.add_paths(problem, i, q, 0, at, mass, total)
            bm.add_paths(problem, i, right, 0, at, other, total)
            perceptron_step(w, total)
        visited(w)
    return -1


@kernel
def _extend(problem, i, w, right, r, by_outputs, known, flags, space):
    """Extend the gold path in row r by the first of its y-good operators."""
    state, score = right.states[r, 0], right.scores[r, 0]
    scores, moves = space.scores[0], space.moves
    if search.is_goal(problem, i, state):
        bm.insert(right, r + 1, score, score, r, bm.FINISHED, True)
        return
    search.move_scores(problem, i, state, w, known, flags, scores)
    if search.good_moves(problem, i, state, moves) == 0:
        return
    to = bm.row_after(problem, i, r, state, moves[0], space.after, by_outputs)
    if to < right.sizes.shape[0]:
        score += scores[moves[0]]
        bm.insert(right, to, score, score, r, moves[0], True)
