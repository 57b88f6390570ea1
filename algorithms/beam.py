"""Beam search over any search problem (``algorithms.structures.search``), kept so that paths can be read back.

laso2005, section 4.1: round by round, every unfinished path of the queue is expanded by all operators, and the
best ``beam`` of the paths that result, finished ones included, go on to the next round. So paths in one queue
have the same number of steps, but for those that are finished. The search ends when all are.

During learning a path whose steps so far are y-good may be down-weighted by a margin, and the y-good children of a
round are noted, whether or not they stay in the queue: they are the siblings of laso2005, Figure 2.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from algorithms.structures import (
    chain_search,  # noqa: F401 - registers chains as search problems
    parts,
    search,
    segment_search,  # noqa: F401
)

FINISHED = -1  # the move of a path that had come to its end before


class Queue(NamedTuple):
    """The queues of all rounds of a search: round r is row r, its best path first.

    states: int64 (rounds, beam, state width). scores, ranks: float64 (rounds, beam), a rank being a score less
    the margin of a y-good path. parents, moves: int64 (rounds, beam), the path of the round before that a path
    extends, and by which operator. good: bool (rounds, beam). sizes: int64 (rounds,).
    """

    states: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    parents: np.ndarray
    moves: np.ndarray
    good: np.ndarray
    sizes: np.ndarray


@njit(cache=True, error_model="numpy")
def queue(rounds, beam, width):
    """Room for a search of at most so many rounds."""
    return Queue(
        np.empty((rounds, beam, width), np.int64),
        np.empty((rounds, beam)),
        np.empty((rounds, beam)),
        np.empty((rounds, beam), np.int64),
        np.empty((rounds, beam), np.int64),
        np.empty((rounds, beam), np.bool_),
        np.zeros(rounds, np.int64),
    )


@njit(cache=True, error_model="numpy")
def rounds_of(problem, i):
    """How many rounds a search has at most, its beginning included: every step decides at least one output."""
    return parts.num_outputs(problem, i) + 1


@njit(cache=True, error_model="numpy")
def begin(problem, i, q):
    """Round 0: the start, which is y-good."""
    q.sizes[0] = 1
    q.scores[0, 0] = q.ranks[0, 0] = 0.0
    q.parents[0, 0], q.moves[0, 0] = 0, FINISHED
    q.good[0, 0] = True
    search.start(problem, i, q.states[0, 0])


@njit(cache=True, error_model="numpy")
def insert(q, r, score, rank, parent, move, good):
    """Put a path into round r, if it is among the best that there is room for; of equal ones the first stays."""
    size, room = q.sizes[r], q.scores.shape[1]
    if size == room:
        if not rank > q.ranks[r, size - 1]:
            return
        size -= 1
    at = size
    while at > 0 and rank > q.ranks[r, at - 1]:
        q.scores[r, at], q.ranks[r, at] = q.scores[r, at - 1], q.ranks[r, at - 1]
        q.parents[r, at], q.moves[r, at] = q.parents[r, at - 1], q.moves[r, at - 1]
        q.good[r, at] = q.good[r, at - 1]
        at -= 1
    q.scores[r, at], q.ranks[r, at], q.parents[r, at], q.moves[r, at], q.good[r, at] = (
        score, rank, parent, move, good,
    )  # fmt: skip
    q.sizes[r] = size + 1


@njit(cache=True, error_model="numpy")
def expand(problem, i, w, q, r, margin, known, flags, scores, siblings):
    """Fill round r + 1 with the best children of round r, and the one of ``siblings`` with the y-good ones.

    ``margin`` is what y-good paths are down-weighted by, in the units of ``w``; ``scores``: room for all
    operators. Returns whether all paths of round r + 1 are finished.
    """
    q.sizes[r + 1] = siblings.sizes[0] = 0
    room = q.scores.shape[1]
    moves, kept = np.empty(scores.shape[0], np.int64), np.empty(scores.shape[0])
    for h in range(q.sizes[r]):
        state, before, good = q.states[r, h], q.scores[r, h], q.good[r, h]
        if search.is_goal(problem, i, state):
            rank = before - margin if good else before
            insert(q, r + 1, before, rank, h, FINISHED, good)
            if good:
                insert(siblings, 0, before, before, h, FINISHED, True)
            continue
        search.move_scores(problem, i, state, w, known, flags, scores)
        right = search.good_moves(problem, i, state, moves) if good else 0
        for m in range(right):
            kept[m] = before + scores[moves[m]]
            scores[moves[m]] = -np.inf
        lowest = q.ranks[r + 1, room - 1] if q.sizes[r + 1] == room else -np.inf
        for move in range(scores.shape[0]):
            total = before + scores[move]
            if total > lowest:
                insert(q, r + 1, total, total, h, move, False)
                lowest = q.ranks[r + 1, room - 1] if q.sizes[r + 1] == room else -np.inf
        for m in range(right):  # last, so that those that are not y-good go first where scores are equal
            insert(siblings, 0, kept[m], kept[m], h, moves[m], True)
            insert(q, r + 1, kept[m], kept[m] - margin, h, moves[m], True)
    done = True
    for h in range(q.sizes[r + 1]):
        if settle(problem, i, q, r, q, r + 1, h):
            done = False
    return done


@njit(cache=True, error_model="numpy")
def settle(problem, i, before, r, q, s, h):
    """Find the state of path h of round s; its parent is in round r of ``before``. Whether it is unfinished."""
    parent, move = q.parents[s, h], q.moves[s, h]
    if move == FINISHED:
        q.states[s, h] = before.states[r, parent]
        return False
    search.after(problem, i, before.states[r, parent], move, q.states[s, h])
    return not search.is_goal(problem, i, q.states[s, h])


@njit(cache=True, error_model="numpy")
def any_good(q, r):
    """Whether a path in the queue can still lead to the right output."""
    return q.good[r, : q.sizes[r]].any()


@njit(cache=True, error_model="numpy")
def add_paths(problem, i, q, last, mass, unit, total):
    """total += the features of paths: of path h of round r, from round 0 on, ``mass[r, h] unit``; mass becomes 0.

    ``mass`` is of whole numbers, so that steps which all paths share cancel exactly. A step that several share is
    added once.
    """
    for r in range(last, 0, -1):
        for h in range(q.sizes[r]):
            c, parent = mass[r, h], q.parents[r, h]
            if c != 0:
                mass[r, h] = 0
                mass[r - 1, parent] += c
                if q.moves[r, h] != FINISHED:
                    search.add_step(problem, i, q.states[r - 1, parent], q.moves[r, h], c * unit, total)
    mass[0] = 0


@njit(cache=True, error_model="numpy")
def find(problem, i, w, beam, out):
    """out[t] = the labels of the best path that a beam search ends with; returns its score."""
    rounds, width = rounds_of(problem, i), search.state_width(problem)
    q, siblings = queue(rounds, beam, width), queue(1, 1, width)
    scores = np.empty(search.num_moves(problem))
    floats, marks = search.memory_sizes(problem, i)
    known, flags = np.empty(floats), np.zeros(marks, np.int8)
    begin(problem, i, q)
    q.good[0, 0] = False
    r, done = 0, search.is_goal(problem, i, q.states[0, 0])
    while not done:
        done = expand(problem, i, w, q, r, 0.0, known, flags, scores, siblings)
        r += 1
    score, h = q.scores[r, 0], 0
    while r > 0:
        parent = q.parents[r, h]
        if q.moves[r, h] != FINISHED:
            search.write_labels(problem, i, q.states[r - 1, parent], q.moves[r, h], out)
        r, h = r - 1, parent
    return score
