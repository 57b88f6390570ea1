"""A first stage for reranking: a log-linear chain trained inside a data set's recipe, and its n-best lists.

Data sets build on structures alone. So this is a plain recipe on their operations, and no algorithm to compare. It
takes stochastic gradient steps on the log loss with an l2 penalty, in the same order each time.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.datasets.problems.problem import Problem

PASSES, C, FIRST_STEP = 10, 1.0, 0.1


class Lists(NamedTuple):
    """The best outputs of each example, one example after another, the best output first.

    counts: How many each example has, int64 (n,). lengths: Its decisions, int64 (n,). labels: int32, at all
    decisions of one output after another. scores: float64 (outputs,).
    """

    counts: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


def trained(split: Any) -> np.ndarray:
    """Weights from ``PASSES`` passes over a split at random, with steps FIRST_STEP / (1 + FIRST_STEP C t / n)."""
    compiled, n = parts.compiled(split), parts.num_examples(split)
    w, scale, rng = np.zeros(parts.num_weights(split)), 1.0, np.random.default_rng(0)
    for done in range(PASSES):
        scale = _pass(compiled, rng.permutation(n), w, scale, done * n, C / n)
    w *= scale
    return w


@kernel
def _pass(split, order, v, scale, t, decay):
    """One step on each example, w = scale v; returns the new scale."""
    for i in order:
        step = FIRST_STEP / (1.0 + FIRST_STEP * decay * t)
        s = np.empty(parts.num_parts(split, i))
        mu, y = np.empty_like(s), np.empty_like(s)
        parts.scores(split, i, v, s)
        for r in range(s.shape[0]):
            s[r] *= scale
        parts.marginals(split, i, s, mu)
        parts.gold(split, i, y)
        for r in range(s.shape[0]):
            y[r] -= mu[r]
        scale *= 1.0 - step * decay
        parts.add_features(split, i, step / scale, y, v)
        t += 1
    return scale


def best_lists(split: Any, w: np.ndarray, k: int) -> Lists:
    """The k best outputs of each example of a split, or all that it has."""
    compiled, n = parts.compiled(split), parts.num_examples(split)
    counts, lengths = np.empty(n, np.int64), np.empty(n, np.int64)
    _measure(compiled, lengths)
    begin = np.concatenate([[0], np.cumsum(lengths)]) * k
    labels, scores = np.full(begin[-1], -1, np.int32), np.full((n, k), -np.inf)
    _list(compiled, w, begin, counts, labels, scores)
    return Lists(counts, lengths, labels[labels >= 0], scores[scores > -np.inf])


@kernel
def _measure(split, lengths):
    for i in range(lengths.shape[0]):
        lengths[i] = parts.num_decisions(split, i)


@kernel
def _list(split, w, begin, counts, labels, scores):
    for i in range(counts.shape[0]):
        k, m = scores.shape[1], parts.num_parts(split, i)
        s, Y = np.empty(m), np.empty((k, m))
        parts.scores(split, i, w, s)
        counts[i] = parts.k_best(split, i, s, Y, scores[i])
        length = parts.num_decisions(split, i)
        for r in range(counts[i]):
            at = begin[i] + r * length
            parts.labels(split, i, Y[r], labels[at : at + length])


def lists(problem: Problem, k: int, folds: int) -> tuple[Lists, Lists, np.ndarray]:
    """Lists of the training examples, by cross-validation, and of the test examples, by one model of all.

    Its weights come last.

    Raises:
        UserError: Folds is out of range.
    """
    n = parts.num_examples(problem.train)
    if not 2 <= folds <= n:
        raise UserError(f"folds must be 2 .. {n}, the number of training sentences, not {folds}")
    w = trained(problem.train)
    return crossed(problem.train, k, folds), best_lists(problem.test, w, k), w


def crossed(split: Any, k: int, folds: int) -> Lists:
    """The lists of each example by a model of the other folds; example i is in fold i % folds."""
    n = parts.num_examples(split)
    found: list[tuple[Any, ...]] = [()] * n
    for fold in range(folds):
        inside = np.arange(n) % folds == fold
        w = trained(parts.take(split, np.flatnonzero(~inside)))
        made = best_lists(parts.take(split, np.flatnonzero(inside)), w, k)
        labels = np.split(made.labels, np.cumsum(made.counts * made.lengths)[:-1])
        scores = np.split(made.scores, np.cumsum(made.counts)[:-1])
        for i, *of_one in zip(np.flatnonzero(inside), made.lengths, labels, scores, strict=True):
            found[i] = tuple(of_one)
    lengths, labels, scores = zip(*found, strict=True)
    counts = np.array([len(each) for each in scores])
    return Lists(counts, np.array(lengths), np.concatenate(labels), np.concatenate(scores))
