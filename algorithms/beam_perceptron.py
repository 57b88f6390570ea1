"""Perceptron updates from a whole beam search: where in it the best path is compared with the right one.

``early``: Collins and Roark, Incremental parsing with the perceptron algorithm, 2004: as soon as no path in the
queue is y-good. ``max-violation``: Huang, Fayong and Guo, Structured perceptron with inexact search, 2012: where
the best path is most ahead of the right one, even if that comes out first in the end. ``standard``: at the end
(Collins 2002), whether or not the right path was still in the queue. In all of them search then goes on to the
next example.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit

from algorithms import beam as bm
from algorithms import lattice, online
from algorithms.averaged import perceptron_step, visited
from algorithms.objective import Iterate, Objective
from algorithms.structures import search

STANDARD, EARLY, MAX_VIOLATION = range(3)
ROUNDING = 1e-9  # of scores: of violations that are alike but for it the first counts
PLAIN = np.array([1.0, 0.0, 0.0])  # no margin


def learn(
    objective: Objective, rng: np.random.Generator, name: str, kind: int, beam: int | str, average: online.Average
) -> Iterator[Iterate]:
    """Run a perceptron of one of the three kinds from w = 0; ``beam`` may be ``inf`` for the standard one."""
    split = objective.split
    if beam == "inf":
        yield from online.learn(split, rng, lambda t, w: lattice.visit(split, t, False, PLAIN, w), name, average)
        return
    total = search.empty_sum()
    yield from online.learn(
        split, rng, lambda t, w: _visit_examples(split, t, beam, kind, w, total), name, average
    )


@njit(cache=True, error_model="numpy")
def _visit_examples(problem, examples, beam, kind, w, total):
    width = search.state_width(problem)
    scores = np.empty(search.num_moves(problem))
    siblings = bm.queue(1, 1, width)
    for i in examples:
        rounds = bm.rounds_of(problem, i)
        q, right = bm.queue(rounds, beam, width), bm.queue(rounds, 1, width)
        floats, marks = search.memory_sizes(problem, i)
        known, flags = np.empty(floats), np.zeros(marks, np.int8)
        bm.begin(problem, i, q)
        bm.begin(problem, i, right)
        r, at, most = 0, 0, 0.0
        done = search.is_goal(problem, i, q.states[0, 0])
        while not done:
            done = bm.expand(problem, i, w.v, q, r, 0.0, known, flags, scores, siblings)
            done = _extend(problem, i, w.v, right, r, known, flags, scores) and done
            r += 1
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
            mass, other = np.zeros((at + 1, beam), np.int64), np.zeros((at + 1, 1), np.int64)
            mass[at, 0], other[at, 0] = -1, 1
            bm.add_paths(problem, i, q, at, mass, 1.0, total)
            bm.add_paths(problem, i, right, at, other, 1.0, total)
            perceptron_step(w, total)
        visited(w)


@njit(cache=True, error_model="numpy")
def _extend(problem, i, w, right, r, known, flags, scores):
    """One more round of the path that is right, by the first of its y-good operators; whether it is finished."""
    state = right.states[r, 0]
    move, score = bm.FINISHED, right.scores[r, 0]
    if not search.is_goal(problem, i, state):
        search.move_scores(problem, i, state, w, known, flags, scores)
        moves = np.empty(scores.shape[0], np.int64)
        search.good_moves(problem, i, state, moves)
        move = moves[0]
        score += scores[move]
    right.sizes[r + 1] = 0
    bm.insert(right, r + 1, score, score, 0, move, True)
    return not bm.settle(problem, i, right, r, right, r + 1, 0)
