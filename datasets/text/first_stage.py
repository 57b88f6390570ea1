"""A first stage for reranking: a log-linear model trained as a data set is built, and its n-best lists.

Data sets build on structures alone. So this is a plain recipe on their operations, and no algorithm to compare. It
takes stochastic gradient steps on the log loss with an l2 penalty, in the same order each time.
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
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
    return _joined(_best(split, w, k))


def _best(split: Any, w: np.ndarray, k: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The labels (outputs, decisions) and the scores of the best outputs of each example."""
    labels, scores = prediction.k_best(split, w, k)
    counts, ends = (scores > -np.inf).sum(axis=0), parts.starts(parts.num_decisions, split)[1:-1]
    each = zip(counts, np.split(labels, ends, axis=1), scores.T, strict=True)
    return [(own[:count], values[:count]) for count, own, values in each]


def _joined(found: list[tuple[np.ndarray, np.ndarray]]) -> Lists:
    counts, lengths = np.array([own.shape for own, _ in found]).T
    labels, scores = (np.concatenate([each[k].ravel() for each in found]) for k in range(2))
    return Lists(counts, lengths, labels, scores)


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
    found: list[Any] = [()] * parts.num_examples(split)
    for fold in range(folds):
        inside = np.arange(len(found)) % folds == fold
        w = trained(parts.take(split, np.flatnonzero(~inside)))
        found[fold::folds] = _best(parts.take(split, np.flatnonzero(inside)), w, k)
    return _joined(found)
