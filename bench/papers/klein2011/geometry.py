"""Margins, mistake bounds and angles of separators, from a run's weights and its training points."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structbench.bench.runs import problems
from structbench.bench.runs.store import Run, weights_of

if TYPE_CHECKING:
    from structbench.algorithms.structures.interface import Classes


class Margins(NamedTuple):
    """Margins of examples under weights of norm 1 (klein2011, "Classification Margin").

    each: w . f(x_i, y_i) less the best other score, shape (n,); the least is gamma.
    radius: R of the mistake bound, the largest norm of a difference f(x_i, y_i) - f(x_i, y).
    """

    each: np.ndarray
    radius: float

    @property
    def least(self) -> float:
        """Return gamma; below 0 if an example is on the wrong side."""
        return float(self.each.min())


def examples(run: Run) -> "Classes":
    """Return the training examples of a run on classes."""
    from structbench.algorithms.structures import interface as parts

    problem, _ = problems.obtain(run.spec["data"])
    return parts.classes(problem.train)


def matrix(run: Run, num_labels: int) -> np.ndarray:
    """Return the last weights, shape (columns, num_labels)."""
    return weights_of(run).reshape(-1, num_labels)


def margins(run: Run, unit: bool = True) -> Margins:
    """Return the margins of a run's training examples by its last weights, scaled to norm 1 if ``unit``."""
    from structbench.algorithms.structures import features

    data = examples(run)
    W = matrix(run, data.num_labels)
    norm = np.linalg.norm(W) if unit else 1.0
    x = features.as_matrix(data.x)
    scores = x @ W / (norm or 1.0)
    n = np.arange(len(data.y))
    right = scores[n, data.y]
    scores[n, data.y] = -np.inf
    squares = (x * x).sum(axis=1)
    return Margins(right - scores.max(axis=1), float(np.sqrt(2 * np.max(squares))))


def mistake_bound(best: Run) -> float:
    """Return Novikoff's bound on a perceptron's mistakes, (R / gamma)^2, with the margin of this run's weights."""
    found = margins(best)
    return (found.radius / found.least) ** 2 if found.least > 0 else np.inf


def angle(one: Run, other: Run) -> float:
    """Return the degrees between the last weights of two runs."""
    a, b = weights_of(one), weights_of(other)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    if np.array_equal(a, b) or lengths == 0:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(a @ b / lengths, -1.0, 1.0))))
