"""Beam search over any search problem (``algorithms.search.problem``), kept so that paths can be read back.

laso2005, section 4.1: all operators expand every path of a queue, and the best ``beam`` of the results go on.
Paths compete in rows. The paper does not say which, if operators decide different numbers of labels, as chunks of
different lengths do. Either paths with equally many steps compete, finished ones included (``BY_STEPS``; with a
beam of 1 this is greedy search). Or paths with equally many decisions compete (``BY_OUTPUTS``).

A search is lost if none of its paths has an operator that can be applied with a score other than NaN. Then it is
at its last row, and no path there is finished (``lost``).

During learning, a margin may down-weight a path whose steps so far are y-good. All y-good paths of a row are
noted, whether or not they stay in the queue: they are the siblings of laso2005, Figure 2.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import ROUNDING
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts

FINISHED = -1  # the move of a path that was finished before
BY_STEPS, BY_OUTPUTS = False, True
BLOCK = 64  # operators that are handled together


class Queue(NamedTuple):
    """The paths of all rows of a search, the best path of a row first.

    ``states``: int64 (rows, beam, state width). ``scores``, ``ranks``: float64 (rows, beam). A rank is a score
    less the margin of a y-good path. ``parents``, ``moves``: int64 (rows, beam), the path of an earlier row, row *
    beam + place, that a path extends, and the operator. ``good``: bool (rows, beam). ``sizes``: int64 (rows,).
    """

    states: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    parents: np.ndarray
    moves: np.ndarray
    good: np.ndarray
    sizes: np.ndarray


@kernel
def queue(problem, i, beam):
    """Room for a search of the most rows: every step decides at least one label."""
    rows, width = parts.num_decisions(problem, i) + 1, search.sizes(problem, i).state
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
def begin(problem, i, q):
    """Row 0: the start, which is y-good. Returns whether it is a goal."""
    q.sizes[:] = 0
    q.sizes[0] = 1
    q.scores[0, 0] = q.ranks[0, 0] = 0.0
    q.parents[0, 0], q.moves[0, 0] = 0, FINISHED
    q.good[0, 0] = True
    search.start(q.states[0, 0])
    return search.is_goal(problem, i, q.states[0, 0])


@kernel(inline=True)
def insert(q, r, score, rank, parent, move, good):
    """Put a path into row r if it is among the best that fit. Of equal paths the first stays."""
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
def memory(problem, i):
    """Memory for ``move_scores`` that remembers nothing yet."""
    sizes = search.sizes(problem, i)
    return np.empty(sizes.floats), np.zeros(sizes.flags, np.int8)


@kernel
def row_after(problem, i, r, state, move, after, by_outputs):
    """The row of the path that an operator makes from a path in row r that is in a state; ``after``: its state."""
    search.after(problem, i, state, move, after)
    return r + after[0] - state[0] if by_outputs else r + 1


class Workspace(NamedTuple):
    """Memory of ``expand``, for searches of one problem.

    ``scores``: float64 (beam, operators), from each state of a row. ``moves``, ``kept``: int64 and float64
    (operators,). ``firsts``: int64 (blocks + 1,), where each block of operators begins; a block's operators decide
    equally many labels. ``decided``: int64 (blocks,), how many. ``idle``: bool (beam, blocks), blocks from which
    no path in a state can have a child any more. ``paths``: int64 (beam,), the first path of each state.
    ``after``: int64 (state width,).
    """

    scores: np.ndarray
    moves: np.ndarray
    kept: np.ndarray
    firsts: np.ndarray
    decided: np.ndarray
    idle: np.ndarray
    paths: np.ndarray
    after: np.ndarray


@kernel
def workspace(problem, i, beam):
    """Memory for queues of this beam, from any example of the problem."""
    width, moves, _, _, _ = search.sizes(problem, i)
    firsts, decided, blocks = np.empty(moves + 1, np.int64), np.empty(moves, np.int64), 0
    start, after = np.empty(width, np.int64), np.empty(width, np.int64)
    search.start(start)
    for move in range(moves):
        outputs = row_after(problem, i, 0, start, move, after, BY_OUTPUTS)
        if blocks == 0 or outputs != decided[blocks - 1] or move == firsts[blocks - 1] + BLOCK:
            firsts[blocks], decided[blocks] = move, outputs
            blocks += 1
    firsts[blocks] = moves
    return Workspace(
        np.empty((beam, moves)),
        np.empty(moves, np.int64),
        np.empty(moves),
        firsts[: blocks + 1],
        decided[:blocks],
        np.empty((beam, blocks), np.bool_),
        np.empty(beam, np.int64),
        after,
    )


@kernel
def expand(problem, i, w, q, r, by_outputs, margin, known, flags, space, siblings):
    """Put the children of row r into their rows, and y-good children also into ``siblings``.

    Row r + 1 is complete then. ``margin`` down-weights y-good paths, in the units of ``w``. Returns whether all
    paths of row r + 1 are finished.

    In a wide beam most paths are in the same state as a better path, and share the scores of its operators. If the
    better path has no child from a block of operators, they have none either.
    """
    room, places, rows = q.scores.shape[1], siblings.scores.shape[1], q.sizes.shape[0]
    scores, moves, kept, firsts, decided, idle, paths, after = space
    met = 0
    for h in range(q.sizes[r]):
        state, before, good, path = q.states[r, h], q.scores[r, h], q.good[r, h], r * room + h
        if search.is_goal(problem, i, state):
            rank = before - margin if good else before
            insert(q, r + 1, before, rank, path, FINISHED, good)
            if good and places:
                insert(siblings, r + 1, before, before, path, FINISHED, True)
            continue
        s = _met_before(q, r, h, paths, met)
        if s == met:
            search.move_scores(problem, i, state, w, known, flags, scores[s])
            paths[s] = h
            idle[s] = False
            met += 1
        of_state = scores[s]
        right = search.good_moves(problem, i, state, moves) if good else 0
        for m in range(right):
            kept[m] = of_state[moves[m]]
            of_state[moves[m]] = -np.inf
        for b in range(decided.shape[0]):
            to = r + decided[b] if by_outputs else r + 1
            if to < rows and (good or not idle[s, b]):  # a y-good path may rank below worse ones
                found = _insert_block(q, to, of_state, firsts[b], firsts[b + 1], before, path)
                idle[s, b] = not (found or good)
        for m in range(right):  # last, so that those that are not y-good go first where scores are equal
            of_state[moves[m]] = kept[m]
            to, score = row_after(problem, i, r, state, moves[m], after, by_outputs), before + kept[m]
            if to >= rows:
                continue
            if places:
                insert(siblings, to, score, score, path, moves[m], True)
            insert(q, to, score, score - margin, path, moves[m], True)
    return settle(problem, i, q, q, r + 1)


@kernel(inline=True)
def _met_before(q, r, h, paths, met):
    """The place among the first ``met`` of these paths of row r whose state is that of path h, or ``met``."""
    for s in range(met):
        same = True
        for k in range(q.states.shape[2]):
            same = same and q.states[r, paths[s], k] == q.states[r, h, k]
        if same:
            return s
    return met


@kernel(inline=True)
def _insert_block(q, r, scores, first, end, before, parent):
    """Put the children of a path by operators ``first``, ... into row r. Whether any was good enough."""
    bar, above = _bar(q, r), 0
    for m in range(end - first):  # without branches, so that it runs in vector registers
        above += before + scores[first + m] > bar
    if above == 0:
        return False
    for move in range(first, end):
        total = before + scores[move]
        if total > bar:
            insert(q, r, total, total, parent, move, False)
            bar = _bar(q, r)
    return True


@kernel(inline=True)
def _bar(q, r):
    """The rank that a path must exceed to go into row r."""
    room = q.ranks.shape[1]
    return q.ranks[r, room - 1] if q.sizes[r] == room else -np.inf


@kernel
def settle(problem, i, before, q, r):
    """Compute the states of the paths in row r; their parents are in ``before``. Whether all are finished."""
    room, done = before.scores.shape[1], True
    for h in range(q.sizes[r]):
        parent, move, state = q.parents[r, h], q.moves[r, h], q.states[r, h]
        if move == FINISHED:
            copy_to(before.states[parent // room, parent % room], state)
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
    """Whether a path in the row can still lead to the gold output."""
    return q.good[r, : q.sizes[r]].any()


@kernel
def add_paths(problem, i, q, first, last, mass, total):
    """total += the features of paths: path h of row r ``mass[r, h]`` times, from row ``first`` on. Sets mass = 0.

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
    """out[t] = the labels of the best path that a beam search ends with. Returns its score, -inf if lost."""
    q, siblings, space = queue(problem, i, beam), queue(problem, i, 0), workspace(problem, i, beam)
    known, flags = memory(problem, i)
    done = begin(problem, i, q)
    q.good[0, 0] = False
    r = 0
    while not (done and q.sizes[r] > 0):
        if lost(q, r):
            return -np.inf
        done = expand(problem, i, w, q, r, by_outputs, 0.0, known, flags, space, siblings)
        r += 1
    path, score = r * beam, q.scores[r, 0]
    while path >= beam:
        row, h = path // beam, path % beam
        path = q.parents[row, h]
        if q.moves[row, h] != FINISHED:
            search.write_labels(problem, i, q.states[path // beam, path % beam], q.moves[row, h], out)
    return score
