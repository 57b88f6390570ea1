"""Keep weights and dual variables of a fit, for the next fit of an estimator with ``warm_start``."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.start import Start
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs.driver import Result
from structbench.datasets.problems.problem import Problem


class Earlier(NamedTuple):
    """The ``weights`` of ``features`` and labels; the dual variables that the algorithm of this name stored.

    ``gold``: the right labels. ``offsets``: where the parts of each example began.
    """

    labels: tuple[Any, ...]
    features: Any
    weights: np.ndarray
    algorithm: str
    gold: np.ndarray
    offsets: np.ndarray
    stored: np.ndarray | None

    @classmethod
    def of(cls, problem: Problem, features: Any, algorithm: str, result: Result) -> "Earlier":
        """What a fit of this problem by this algorithm leaves."""
        train = problem.train
        gold, offsets = parts.gold_labels(train), parts.offsets(train)
        return cls(problem.labels, features, result.weights, algorithm, gold, offsets, result.stored)

    def start(self, problem: Problem, features: Any, algorithm: str) -> Start:
        """Where a fit of this problem by this algorithm starts: from u, if lengths and gold outputs are the same.

        Raises:
            UserError: It has other labels or features.
        """
        same = self.labels == problem.labels and _equal(self.features, features)
        if not same or len(self.weights) != parts.num_weights(problem.train):
            raise UserError("warm_start is true, but labels or features differ from the last fit: set it to False")
        train = problem.train  # from another gold output the hinge needs long, so near to 0 is its probability
        same = np.array_equal(self.gold, parts.gold_labels(train))
        same = same and np.array_equal(self.offsets, parts.offsets(train))
        return Start(self.weights, self.stored if same and algorithm == self.algorithm else None)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
