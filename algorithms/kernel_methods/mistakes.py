"""The training loop of the dual and the kernel perceptron: mistake counts and cached scores of all decisions.

The scores of all n training decisions are kept. So a visit costs one search, and a mistake costs one row of the
Gram matrix, n kernels, which one label gains and another loses. Examples without mistakes need no row. Rows are
computed together: where a row is missing, the best outputs of the next ``AHEAD`` examples say which are needed.
These searches count as no visits. In the first passes they are half of all or more.
"""

from collections.abc import Iterator

import numpy as np

from structbench.algorithms.kernel_methods.support_vectors import SupportVectors
from structbench.algorithms.learning.inference import room, room_of
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven import epochs
from structbench.algorithms.mistake_driven.averaging import Averaged, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction

AHEAD = 256  # examples whose rows are computed together, if they are wrong at present


def learn(
    objective: Objective, rng: np.random.Generator, model: SupportVectors, name: str, average: epochs.Average
) -> Iterator[Iterate]:
    """Run the perceptron from alpha = 0; the vectors are those of ``model``.

    In each wrong decision t, alpha_t gains 1 at the gold label and loses 1 at the predicted label. That is the sum
    of the slide's alpha_i(y) over all outputs y that were found in place of the gold output.

    Raises:
        UserError: as ``epochs.learn``.
    """
    gram = model.gram
    scores = np.zeros((len(gram.points), model.num_labels))
    scored = parts.compiled(model.scored(objective.split, scores))  # on the same memory
    weights, (*_, starts) = model.on_scores(np.zeros(model.num_linear)), prediction.label_room(scored)
    gram.slots(np.zeros(min(1, len(scores)), np.int64))  # compiled now, however late the first mistake is
    _mark_wrong(scored, np.zeros(0, np.int64), starts, weights, np.zeros(len(scores), bool))

    def visit(tick: np.ndarray, w: Averaged) -> int:
        done = 0
        while True:
            done += _visit_examples(scored, tick[done:], starts, gram.where, gram.store, scores, weights, w)
            if done == len(tick):
                return -1
            now = np.zeros(len(scores), bool)
            now[starts[tick[done]] : starts[tick[done] + 1]] = True
            wrong = now.copy()
            _mark_wrong(scored, tick[done : done + AHEAD], starts, weights, wrong)
            room, soon = len(gram.store) - now.sum(), np.flatnonzero(wrong & ~now)
            gram.slots(np.concatenate([np.flatnonzero(now), soon[:room]]))

    yield from epochs.learn(objective.split, rng, visit, name, average, size=model.size, ticks=epochs.TICKS)


@kernel
def _visit_examples(scored, examples, starts, where, store, scores, weights, w):
    """Learn from these examples up to the first that needs a row that is not kept. Returns how many."""
    K = scores.shape[1]
    memory, labels = room(scored, examples, 3), room_of(starts, examples, 2).astype(np.int32)
    change = np.zeros(weights.shape[0])
    for p in range(examples.shape[0]):
        i = examples[p]
        m, first, length = parts.num_parts(scored, i), starts[i], starts[i + 1] - starts[i]
        s, y, right = memory[0, :m], memory[1, :m], memory[2, :m]
        parts.scores(scored, i, weights, s)
        parts.argmax(scored, i, s, y)
        parts.gold(scored, i, right)
        if not np.array_equal(y, right):
            parts.labels(scored, i, y, labels[0, :length])
            parts.labels(scored, i, right, labels[1, :length])
            for t in range(length):
                if labels[0, t] != labels[1, t] and where[first + t] < 0:
                    return p
            for t in range(length):
                found, wanted = labels[0, t], labels[1, t]
                if found != wanted:
                    row = store[where[first + t]]
                    for j in range(scores.shape[0]):
                        scores[j, wanted] += row[j]
                        scores[j, found] -= row[j]
                    _add(w, (first + t) * K + wanted, 1.0)
                    _add(w, (first + t) * K + found, -1.0)
            if weights.shape[0] > K * K:
                for r in range(m):
                    y[r] = right[r] - y[r]
                change[:] = 0.0
                parts.add_features(scored, i, 1.0, y, change)
                for q in range(K * K, weights.shape[0]):
                    if change[q] != 0.0:
                        weights[q] += change[q]
                        _add(w, scores.shape[0] * K + q - K * K, change[q])
            w.now[0]["updates"] += 1
        visited(w)
    return examples.shape[0]


@kernel
def _add(w, j, d):
    """A step of one number (``averaging``)."""
    w.v[j] += d
    w.late[j] += w.now[0]["shares"] * d


@kernel
def _mark_wrong(scored, examples, starts, weights, wrong):
    """Mark the decisions that are wrong in the best outputs of these examples."""
    memory, labels = room(scored, examples, 2), room_of(starts, examples, 2).astype(np.int32)
    for i in examples:
        m, length = parts.num_parts(scored, i), starts[i + 1] - starts[i]
        parts.scores(scored, i, weights, memory[0, :m])
        parts.argmax(scored, i, memory[0, :m], memory[1, :m])
        parts.labels(scored, i, memory[1, :m], labels[0, :length])
        parts.gold(scored, i, memory[1, :m])
        parts.labels(scored, i, memory[1, :m], labels[1, :length])
        for t in range(length):
            if labels[0, t] != labels[1, t]:
                wrong[starts[i] + t] = True
