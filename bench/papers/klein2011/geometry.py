"""Separators of points in the plane: read from a run's weights and the points that it learned."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structbench.bench.runs import problems
from structbench.bench.runs.store import Run, weights_of

if TYPE_CHECKING:
    from structbench.algorithms.structures.interface import Classes


class Margins(NamedTuple):
    """Of weights of norm 1 on examples: ``each`` (n,), w . f(x_i, y_i) less the best other score; ``radius``.

    klein2011, "Classification Margin": gamma is the least of ``each``. radius: the largest norm of a difference
    f(x_i, y_i) - f(x_i, y), R of the mistake bound.
    """

    each: np.ndarray
    radius: float

    @property
    def least(self) -> float:
        """gamma, below 0 where an example is on the wrong side."""
        return float(self.each.min())


def examples(run: Run) -> "Classes":
    """The training examples of a run, of classes."""
    from structbench.algorithms.structures import interface as parts

    problem, _ = problems.obtain(run.spec["data"])
    return parts.classes(problem.train)


def matrix(run: Run, num_labels: int) -> np.ndarray:
    """The last weights, shape (columns, num_labels)."""
    return weights_of(run).reshape(-1, num_labels)


def margins(run: Run, unit: bool = True) -> Margins:
    """Of a run's last weights on its training examples; ``unit``: of their direction, else as they are."""
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
    """(R / gamma)^2 with the margin of this run's weights: Novikoff's bound on a perceptron's mistakes."""
    found = margins(best)
    return (found.radius / found.least) ** 2 if found.least > 0 else np.inf


def angle(one: Run, other: Run) -> float:
    """Degrees between the last weights of two runs."""
    a, b = weights_of(one), weights_of(other)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    if np.array_equal(a, b) or lengths == 0:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(a @ b / lengths, -1.0, 1.0))))
