"""Numbers read off klein2011's runs: errors, seconds, margins, mistake bounds and angles of separators."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.klein2011.runs import LATER
from structbench.bench.runs import problem_store
from structbench.bench.runs.store import Run, weights_of

if TYPE_CHECKING:
    from structbench.algorithms.structures.interface import Classes


def swing(run: Run) -> float:
    """Return the standard deviation of the test error around a line, in a run's later part."""
    later = run.curve.loc[run.curve["passes"] >= LATER * run.curve["passes"].iloc[-1]]
    if len(later) < 3:
        return np.nan
    squares = np.polyfit(later["passes"], later["test_error"], 1, full=True)[1]
    return float(np.sqrt(squares.sum() / (len(later) - 2)))


def seconds_until(run: Run, goal: float) -> float:
    """Return CPU seconds until the test error stays at most ``goal``; infinity if it does not."""
    curve = run.curve
    return curves.settled(curve["cpu_seconds"].to_numpy(), curve["test_error"].to_numpy() - goal)


class Margins(NamedTuple):
    """Margins of examples under weights of norm 1 (klein2011, "Classification Margin")."""

    each: np.ndarray  # w . f(x_i, y_i) less the best other score, shape (n,); the least is gamma
    radius: float  # R of the mistake bound, the largest norm of a difference f(x_i, y_i) - f(x_i, y)

    @property
    def least(self) -> float:
        """Return gamma; below 0 if an example is on the wrong side."""
        return float(self.each.min())


def examples(run: Run) -> "Classes":
    """Return the training examples of a run on classes."""
    from structbench.algorithms.structures import interface as parts

    problem, _ = problem_store.obtain(run.spec.data)
    return parts.classes(problem.train)


def margins(run: Run, unit: bool = True) -> Margins:
    """Return the margins of a run's training examples by its last weights, scaled to norm 1 if ``unit``."""
    from structbench.algorithms.structures import features

    data = examples(run)
    W = weights_of(run).reshape(-1, data.num_labels)
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
