"""Learning as search optimization: updates whenever no path in the beam can lead to the gold output.

laso2005, section 3. Search goes on from the y-good paths after an update. Let S be the y-good siblings, and N the
paths of the queue that rank above all y-good ones. (N is the whole queue, except where a complete output is wrong
and the gold one still in the queue: Figure 2.)

    delta = sum_{n in S} f(x, n) / |S| - sum_{n in N} f(x, n) / |N|

and w <- w + delta (``update=perceptron``), or, with the approximate large margin algorithm (Gentile 2001, Eq. 3),

    w <- proj(w + C k^(-1/2) proj(delta)),   y-good paths down-weighted by (1 - alpha) B k^(-1/2)

in the k-th generation of the weights, proj(u) = u / max(1, ||u||_2). The defaults of B and C are those of
Theorem 4. On data that are separable with margin gamma, there are then at most
(2 / gamma^2) (2 / alpha - 1)^2 + 8 / alpha - 4 updates.

``beam=inf`` is exact search (section 4.1): an update follows only if the best output is wrong. The sum over N
becomes the expectation under p(y | x; w), which forward-backward gives (``exact_updates``).
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven import epochs, exact_updates
from structbench.algorithms.mistake_driven.averaging import Averaged, alma_step, perceptron_step, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import empty_sum
from structbench.algorithms.search import beam as bm
from structbench.algorithms.search import decoding
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts


def _warm(objective: Objective) -> None:
    """Call kernels that a run may need late: the margin, when a pass makes no mistake."""
    if parts.has(objective.split, search.sizes):
        _least_lead(objective.split, np.zeros(parts.num_weights(objective.split)), 1, True)


@algorithm(
    label="LaSO",
    loss="none",
    needs=decoding.needs,
    threads=False,
    predict=decoding.predictions,
    warm=_warm,
    references=("laso2005", "gentile2001"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    update: Literal["perceptron", "alma"] = "perceptron",
    beam: decoding.Beam | Literal["inf"] = 5,
    decode: decoding.Beam | Literal["same", "inf", "a-star"] = "same",
    compare_at: Literal["decisions", "steps"] = "decisions",
    alpha: Annotated[float, "> 0", "<= 1"] = 0.9,
    B: Annotated[float, ">= 0"] = 0.0,
    C: Annotated[float, "> 0"] = 2.0**0.5,
    average: epochs.Average = "growing",
) -> Iterator[Iterate]:
    """Run LaSO from w = 0, passing over the examples in a new order each time.

    Args:
        update: the perceptron's, or alma, the approximate large margin algorithm.
        beam: paths kept in each row; ``inf`` searches exactly, and needs marginals after a mistake, no visits.
        decode: the beam of prediction; ``a-star`` is exact, too.
        compare_at: paths compete after equally many decisions, or steps (``algorithms.search.beam``).
        alpha, B, C: of alma. alpha: by which share of the largest margin it may be missed. B = 0 means
            sqrt(8) / alpha.
        average: predict with an average of the weights after each example, as the paper always does. ``uniform``
            weighs all equally. ``growing`` takes them before alma's projections, so that later weights weigh more.
            Or predict with the last weights.
    """
    split = objective.split
    by_outputs = compare_at == "decisions"
    alma = np.array([alpha, B or 8**0.5 / alpha, C] if update == "alma" else [1.0, 0.0, 0.0])
    settled = partial(_settled, split, beam, by_outputs) if update == "alma" and beam != "inf" else lambda w: {}
    visit, ticks = _visitor(split, beam, by_outputs, alma), 1 if beam == "inf" else epochs.TICKS
    yield from epochs.learn(split, rng, visit, "laso", average, settled, ticks=ticks)


def _settled(split: Any, beam: int, by_outputs: bool, w: Averaged) -> dict[str, float]:
    """The margin of the last weights, of norm 1 and with features divided by the largest norm of a difference.

    It is the least lead of the best y-good path over the best other path, over all rows of the searches for all
    training outputs. With a beam of 1 it covers every path that any weights could meet. Then it is gamma of
    Theorem 4, or less.
    """
    if not w.now[0]["updates"]:
        return {}
    unit = w.v / np.sqrt(w.v @ w.v)
    return {"margin": float(_least_lead(split, unit, beam, by_outputs)) / max(1.0, float(w.now[0]["largest"]))}


def _visitor(split: Any, beam: int | str, by_outputs: bool, alma: np.ndarray) -> epochs.Visit:
    if beam == "inf":
        return lambda tick, w: exact_updates.visit(split, tick, alma, w)
    total = empty_sum(parts.num_weights(split))
    return lambda tick, w: _visit_examples(split, tick, beam, by_outputs, alma, w, total)


@kernel
def _visit_examples(problem, examples, beam, by_outputs, alma, w, total):
    """Learn from these examples; see ``epochs.Visit``."""
    alpha, B, C = alma
    space = bm.workspace(problem, examples[0], beam)
    for i in examples:
        q, siblings = bm.queue(problem, i, beam), bm.queue(problem, i, beam)
        mass = np.zeros(q.scores.shape)
        known, flags = bm.memory(problem, i)
        done = bm.begin(problem, i, q)
        r = first = 0
        while not (done and q.sizes[r] > 0):
            if bm.lost(q, r):
                return i
            margin = (1 - alpha) * B / np.sqrt(w.now[0]["generation"]) / w.now[0]["scale"]
            done = bm.expand(problem, i, w.v, q, r, by_outputs, margin, known, flags, space, siblings)
            r += 1
            right = q.good[r, 0] if done else bm.any_good(q, r)
            if siblings.sizes[r] == 0 or right:
                continue
            _add_difference(problem, i, q, first, r, siblings, mass, total)
            if C > 0:
                alma_step(w, total, C)
            else:
                perceptron_step(w, total)
            flags[:] = 0
            done = _restart(problem, i, q, r, siblings)
            if q.sizes[r] > 1:
                _score_again(problem, i, w.v, q, first, r, known, flags, space.scores[0])
            else:  # steps that all paths share with a single path need no second look
                first = r
        visited(w)
    return -1


@kernel
def _add_difference(problem, i, q, first, r, siblings, mass, total):
    """total += Eq. (2)'s difference: the siblings in row r against its paths that rank above all y-good ones."""
    S, wrong, beam = siblings.sizes[r], 0, q.scores.shape[1]
    while wrong < q.sizes[r] and not q.good[r, wrong]:
        wrong += 1
    for h in range(wrong):
        mass[r, h] = -1.0 / wrong
    for s in range(S):
        parent, move = siblings.parents[r, s], siblings.moves[r, s]
        mass[parent // beam, parent % beam] += 1.0 / S
        if move != bm.FINISHED:
            search.add_step(problem, i, q.states[parent // beam, parent % beam], move, 1.0 / S, total)
    bm.add_paths(problem, i, q, first, r, mass, total)


@kernel
def _restart(problem, i, q, r, siblings):
    """Row r becomes its siblings, and no path is ahead of it. Whether all of them are finished."""
    done = bm.settle(problem, i, q, siblings, r)
    q.sizes[r] = siblings.sizes[r]
    for s in range(q.sizes[r]):
        q.states[r, s] = siblings.states[r, s]
        q.scores[r, s] = q.ranks[r, s] = siblings.scores[r, s]
        q.parents[r, s], q.moves[r, s], q.good[r, s] = siblings.parents[r, s], siblings.moves[r, s], True
    q.sizes[r + 1 :] = 0
    siblings.sizes[r + 1 :] = 0
    return done


@kernel
def _score_again(problem, i, w, q, first, last, known, flags, scores):
    """Score all paths between two rows with new weights: siblings with different pasts are compared."""
    room = q.scores.shape[1]
    for r in range(first + 1, last + 1):
        for h in range(q.sizes[r]):
            parent, move = q.parents[r, h], q.moves[r, h]
            score = q.scores[parent // room, parent % room]
            if move != bm.FINISHED:
                state = q.states[parent // room, parent % room]
                search.move_scores(problem, i, state, w, known, flags, scores)
                score += scores[move]
            q.scores[r, h] = q.ranks[r, h] = score


@kernel
def _least_lead(problem, w, beam, by_outputs):
    """The least lead of the best y-good path over the best other path, over all rows of all searches."""
    space = bm.workspace(problem, 0, beam + 1)
    least = np.inf
    for i in range(parts.num_examples(problem)):
        q = bm.queue(problem, i, beam + 1)  # with room for a path of the other kind
        siblings = bm.queue(problem, i, beam + 1)
        known, flags = bm.memory(problem, i)
        done = bm.begin(problem, i, q)
        r = 0
        while not (done and q.sizes[r] > 0) and not bm.lost(q, r):
            done = bm.expand(problem, i, w, q, r, by_outputs, 0.0, known, flags, space, siblings)
            r += 1
            if siblings.sizes[r] == 0:
                continue
            bad = -np.inf
            for h in range(q.sizes[r]):
                if not q.good[r, h]:
                    bad = max(bad, q.scores[r, h])
            least = min(least, siblings.scores[r, 0] - bad)
            if beam == 1:  # only the gold path goes on, as in learning
                done = _restart(problem, i, q, r, siblings)
    return least
