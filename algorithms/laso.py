"""Learning as search optimization: updates whenever no path in the beam can lead to the right output.

laso2005, section 3. Search goes on from the y-good paths after an update. For y-good siblings S of the paths N in
the queue that are not y-good (Figure 2, Eq. 2),

    delta = sum_{n in S} f(x, n) / |S| - sum_{n in N} f(x, n) / |N|

and w <- w + delta (``update=perceptron``), or, with the approximate large margin algorithm (Gentile 2001, Eq. 3),

    w <- proj(w + C k^(-1/2) proj(delta)),   y-good paths down-weighted by (1 - alpha) B k^(-1/2)

in the k-th generation of the weights, proj(u) = u / max(1, ||u||_2). The defaults of B and C are those of
Theorem 4, by which there are then at most (2 / gamma^2) (2 / alpha - 1)^2 + 8 / alpha - 4 updates on data that are
separable with margin gamma.

``beam=inf`` is exact search (section 4.1): an update follows only where the best output is wrong, and the sum over
N becomes the expectation under p(y | x; w), which forward-backward gives (``algorithms.lattice``).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from numba import njit

from algorithms import beam as bm
from algorithms import decoding, lattice, online
from algorithms.averaged import GENERATION, LARGEST, SCALE, UPDATES, Averaged, alma_step, perceptron_step, visited
from algorithms.objective import Iterate, Objective
from algorithms.structures import parts, search

LOSSES = ("none",)
PENALTIES = ("none",)
STRUCTURES = ("chain", "segments", "joint")
predictions = decoding.predictions


def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    update: Literal["perceptron", "alma"] = "perceptron",
    beam: decoding.Beam | Literal["inf"] = 5,
    decode: decoding.Beam | Literal["same", "inf", "a-star"] = "same",
    alpha: Annotated[float, "> 0", "<= 1"] = 0.9,
    B: Annotated[float, ">= 0"] = 0.0,
    C: Annotated[float, "> 0"] = 2.0**0.5,
    average: online.Average = "growing",
) -> Iterator[Iterate]:
    """Run LaSO from w = 0, passing over the examples in a new order each time.

    Args:
        beam: paths kept after each round; ``inf`` searches exactly.
        decode: the beam of prediction; ``a-star`` is exact, too.
        alpha, B, C: of alma; alpha is the share of the largest margin to be missed by at most, B = 0 stands for
            sqrt(8) / alpha.
        average: predict with the average of the weights after each example, as the paper always does:
            ``uniform``, of all alike; ``growing``, of what they were before alma's projections, so that later ones
            weigh more; or with the last ones.
    """
    split = objective.split
    alma = np.array([alpha, B or 8**0.5 / alpha, C] if update == "alma" else [1.0, 0.0, 0.0])
    settled = partial(_settled, split, beam) if update == "alma" and beam != "inf" else lambda w: {}
    yield from online.learn(split, rng, _visitor(split, beam, alma), "laso", average, settled)


def _settled(split: Any, beam: int, w: Averaged) -> dict[str, float]:
    """The margin of the last weights, of norm 1 and with features divided by the largest norm of a difference.

    It is the least, over all rounds of the searches for all training outputs, by which the best y-good path leads
    the best that is not. With a beam of 1 no path that any weights could meet is left out: the margin is gamma of
    Theorem 4, or less.
    """
    if not w.numbers[UPDATES]:
        return {}
    unit = w.v / np.sqrt(w.v @ w.v)
    return {"margin": float(_least_lead(split, unit, beam)) / max(1.0, float(w.numbers[LARGEST]))}


def _visitor(split: Any, beam: int | str, alma: np.ndarray) -> Callable[[np.ndarray, Averaged], None]:
    if beam == "inf":
        return lambda tick, w: lattice.visit(split, tick, True, alma, w)
    total = search.empty_sum()
    return lambda tick, w: _visit_examples(split, tick, beam, alma, w, total)


@njit(cache=True, error_model="numpy")
def _visit_examples(problem, examples, beam, alma, w, total):
    alpha, B, C = alma
    width = search.state_width(problem)
    scores = np.empty(search.num_moves(problem))
    siblings = bm.queue(1, beam, width)
    for i in examples:
        rounds = bm.rounds_of(problem, i)
        q, mass = bm.queue(rounds, beam, width), np.zeros((rounds, beam), np.int64)
        floats, marks = search.memory_sizes(problem, i)
        known, flags = np.empty(floats), np.zeros(marks, np.int8)
        bm.begin(problem, i, q)
        r, done = 0, search.is_goal(problem, i, q.states[0, 0])
        while not done:
            margin = (1 - alpha) * B / np.sqrt(w.numbers[GENERATION]) / w.numbers[SCALE]
            done = bm.expand(problem, i, w.v, q, r, margin, known, flags, scores, siblings)
            r += 1
            if bm.any_good(q, r) and not (done and not q.good[r, 0]):
                continue
            _add_difference(problem, i, q, r, siblings, mass, total)
            if C > 0:
                alma_step(w, total, C)
            else:
                perceptron_step(w, total)
            flags[:] = 0
            r, done = _restart(problem, i, q, r, siblings)
            if q.sizes[r] > 1:
                _score_again(problem, i, w.v, q, r, known, flags, scores)
        visited(w)


@njit(cache=True, error_model="numpy")
def _add_difference(problem, i, q, r, siblings, mass, total):
    """total += Eq. (2)'s difference, of the siblings of round r and those of its paths that are not y-good."""
    S, wrong = siblings.sizes[0], 0
    for h in range(q.sizes[r]):
        wrong += 0 if q.good[r, h] else 1
    for h in range(q.sizes[r]):
        if not q.good[r, h]:
            mass[r, h] = -S
    for s in range(S):
        parent = siblings.parents[0, s]
        mass[r - 1, parent] += wrong
        if siblings.moves[0, s] != bm.FINISHED:
            search.add_step(problem, i, q.states[r - 1, parent], siblings.moves[0, s], 1.0 / S, total)
    bm.add_paths(problem, i, q, r, mass, 1.0 / (S * wrong), total)


@njit(cache=True, error_model="numpy")
def _restart(problem, i, q, r, siblings):
    """The siblings of round r become its queue; returns the round, and whether all of them are finished.

    A single one begins a search of its own, at round 0: what it shares with all that comes from it is not looked
    at again.
    """
    done, S = True, siblings.sizes[0]
    to = 0 if S == 1 else r
    for s in range(S):
        if bm.settle(problem, i, q, r - 1, siblings, 0, s):
            done = False
    q.sizes[to] = S
    for s in range(S):
        q.states[to, s] = siblings.states[0, s]
        q.scores[to, s] = q.ranks[to, s] = siblings.scores[0, s]
        q.parents[to, s], q.moves[to, s] = siblings.parents[0, s], siblings.moves[0, s]
        q.good[to, s] = True
    return to, done


@njit(cache=True, error_model="numpy")
def _score_again(problem, i, w, q, last, known, flags, scores):
    """Scores of all paths up to a round with new weights: those of siblings of different pasts are compared."""
    for r in range(1, last + 1):
        for h in range(q.sizes[r]):
            parent, move = q.parents[r, h], q.moves[r, h]
            score = q.scores[r - 1, parent]
            if move != bm.FINISHED:
                search.move_scores(problem, i, q.states[r - 1, parent], w, known, flags, scores)
                score += scores[move]
            q.scores[r, h] = q.ranks[r, h] = score


@njit(cache=True, error_model="numpy")
def _least_lead(problem, w, beam):
    """The least lead of the best y-good path over the best that is not, over all rounds of all searches."""
    width = search.state_width(problem)
    scores = np.empty(search.num_moves(problem))
    siblings = bm.queue(1, 1, width)
    least = np.inf
    for i in range(parts.num_examples(problem)):
        rounds = bm.rounds_of(problem, i)
        q = bm.queue(rounds, beam + 1, width)  # with room for a path of the other kind
        floats, marks = search.memory_sizes(problem, i)
        known, flags = np.empty(floats), np.zeros(marks, np.int8)
        bm.begin(problem, i, q)
        r, done = 0, search.is_goal(problem, i, q.states[0, 0])
        while not done:
            done = bm.expand(problem, i, w, q, r, 0.0, known, flags, scores, siblings)
            r += 1
            good, bad = -np.inf, -np.inf
            for h in range(q.sizes[r]):
                if q.good[r, h]:
                    good = max(good, q.scores[r, h])
                else:
                    bad = max(bad, q.scores[r, h])
            least = min(least, good - bad)
            if beam == 1:  # only the right path goes on, as in learning
                r, done = _restart(problem, i, q, r, siblings)
    return least
