"""Beam search over any search problem (``algorithms.search.problem``), kept so that paths can be read back.

laso2005, section 4.1: every path of a queue is expanded by all operators, and the best ``beam`` of those that
result go on. Paths compete in rows, and which do is left open where operators decide different numbers of
outputs, as chunks of different lengths do. Either paths of as many steps compete, finished ones included
(``BY_STEPS``; with a beam of 1 this is greedy search), or paths that have decided as many outputs
(``BY_OUTPUTS``).

A search has no way on where none of its paths has an operator that can be applied, or only such whose scores are
NaN: it is at its last row then, and no path there is finished (``lost``).

During learning a path whose steps so far are y-good may be down-weighted by a margin, and all y-good paths of a
row are noted, whether or not they stay in the queue: they are the siblings of laso2005, Figure 2.
"""

from typing import NamedTuple

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.runtime.sparse_sum import ROUNDING
from algorithms.search import problem as search
from algorithms.structures import interface as parts

FINISHED = -1  # the move of a path that had come to its end before
BY_STEPS, BY_OUTPUTS = False, True


class Queue(NamedTuple):
    """The paths of all rows of a search, the best path of a row first.

    states: int64 (rows, beam, state width). scores, ranks: float64 (rows, beam), a rank being a score less the
    margin of a y-good path. parents, moves: int64 (rows, beam): which path of an earlier row, row * beam +
    place, a path extends, and by which operator. good: bool (rows, beam). sizes: int64 (rows,).
    """

    states: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    parents: np.ndarray
    moves: np.ndarray
    good: np.ndarray
    sizes: np.ndarray


@kernel
def queue(rows, beam, width):
    """Room for a search of so many rows."""
    return Queue(
        np.empty((rows, beam, width), np.int64),
        np.empty((rows, beam)),
        np.empty((rows, beam)),
        np.empty((rows, beam), np.int64),
        np.empty((rows, beam), np.int64),
        np.empty((rows, beam), np.bool_),
        np.zeros(rows, np.int64),
    )


@kernel
def num_rows(problem, i):
    """How many rows a search has at most: every step decides at least one output."""
    return parts.num_outputs(problem, i) + 1


@kernel
def begin(problem, i, q):
    """Row 0: the start, which is y-good. Returns whether it is a goal."""
    q.sizes[:] = 0
    q.sizes[0] = 1
    q.scores[0, 0] = q.ranks[0, 0] = 0.0
    q.parents[0, 0], q.moves[0, 0] = 0, FINISHED
    q.good[0, 0] = True
    search.start(problem, i, q.states[0, 0])
    return search.is_goal(problem, i, q.states[0, 0])


@kernel
def insert(q, r, score, rank, parent, move, good):
    """Put a path into row r, if it is among the best that there is room for; of equal ones the first stays."""
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


@kernel
def row_after(problem, r, move, by_outputs):
    """The row of a path that an operator makes of one in row r."""
    return r + search.num_decided(problem, move) if by_outputs else r + 1


@kernel
def expand(problem, i, w, q, r, by_outputs, margin, known, flags, scores, siblings):
    """Put the children of row r into their rows, and those that are y-good into ``siblings``, too.

    Row r + 1 is complete then. ``margin`` is what y-good paths are down-weighted by, in the units of ``w``;
    ``scores``: room for all operators. Returns whether all paths of row r + 1 are finished.
    """
    room, places = q.scores.shape[1], siblings.scores.shape[1]
    moves, kept = np.empty(scores.shape[0], np.int64), np.empty(scores.shape[0])
    ranks, sizes = q.ranks, q.sizes
    rows = sizes.shape[0]
    for h in range(sizes[r]):
        state, before, good, path = q.states[r, h], q.scores[r, h], q.good[r, h], r * room + h
        if search.is_goal(problem, i, state):
            rank = before - margin if good else before
            insert(q, r + 1, before, rank, path, FINISHED, good)
            if good and places:
                insert(siblings, r + 1, before, before, path, FINISHED, True)
            continue
        search.move_scores(problem, i, state, w, known, flags, scores)
        right = search.good_moves(problem, i, state, moves) if good else 0
        for m in range(right):
            kept[m] = before + scores[moves[m]]
            scores[moves[m]] = -np.inf
        for move in range(scores.shape[0]):
            total = before + scores[move]
            if total > -np.inf:
                to = row_after(problem, r, move, by_outputs)
                if to < rows and (sizes[to] < room or total > ranks[to, room - 1]):
                    insert(q, to, total, total, path, move, False)
        for m in range(right):  # last, so that those that are not y-good go first where scores are equal
            to = row_after(problem, r, moves[m], by_outputs)
            if to >= rows:
                continue
            if places:
                insert(siblings, to, kept[m], kept[m], path, moves[m], True)
            insert(q, to, kept[m], kept[m] - margin, path, moves[m], True)
    return settle(problem, i, q, q, r + 1)


@kernel
def settle(problem, i, before, q, r):
    """Find the states of the paths in row r; their parents are in ``before``. Whether all are finished."""
    room, done = before.scores.shape[1], True
    for h in range(q.sizes[r]):
        parent, move, state = q.parents[r, h], q.moves[r, h], q.states[r, h]
        if move == FINISHED:
            state[:] = before.states[parent // room, parent % room]
        else:
            search.after(problem, i, before.states[parent // room, parent % room], move, state)
            done = search.is_goal(problem, i, state) and done
    return done


@kernel
def lost(q, r):
    """Whether a search that is not done in row r has no row to go on to."""
    return r + 1 >= q.sizes.shape[0]


@kernel
def any_good(q, r):
    """Whether a path in the row can still lead to the right output."""
    return q.good[r, : q.sizes[r]].any()


@kernel
def add_paths(problem, i, q, first, last, mass, total):
    """total += the features of paths: of path h of row r ``mass[r, h]`` times, from row ``first`` on; mass = 0.

    A step that several paths share is added once.
    """
    room = q.scores.shape[1]
    for r in range(last, first, -1):
        for h in range(q.sizes[r]):
            c, parent = mass[r, h], q.parents[r, h]
            if c != 0.0:
                mass[r, h] = 0.0
                mass[parent // room, parent % room] += c
                if abs(c) > ROUNDING and q.moves[r, h] != FINISHED:
                    state = q.states[parent // room, parent % room]
                    search.add_step(problem, i, state, q.moves[r, h], c, total)
    mass[first] = 0.0


@kernel
def find(problem, i, w, beam, by_outputs, out):
    """out[t] = the labels of the best path that a beam search ends with; returns its score, -inf if it is lost."""
    rows, width = num_rows(problem, i), search.state_width(problem)
    q, siblings = queue(rows, beam, width), queue(rows, 0, width)
    scores = np.empty(search.num_moves(problem))
    floats, marks = search.memory_sizes(problem, i)
    known, flags = np.empty(floats), np.zeros(marks, np.int8)
    done = begin(problem, i, q)
    q.good[0, 0] = False
    r = 0
    while not (done and q.sizes[r] > 0):
        if lost(q, r):
            return -np.inf
        done = expand(problem, i, w, q, r, by_outputs, 0.0, known, flags, scores, siblings)
        r += 1
    path, score = r * beam, q.scores[r, 0]
    while path >= beam:
        row, h = path // beam, path % beam
        path = q.parents[row, h]
        if q.moves[row, h] != FINISHED:
            search.write_labels(problem, i, q.states[path // beam, path % beam], q.moves[row, h], out)
    return score
