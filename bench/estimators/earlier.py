"""Keep weights and dual variables of a fit, for the next fit of an estimator with ``warm_start``."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.start import Start
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs.algorithm_module import declaration
from structbench.bench.runs.driver import Result
from structbench.datasets.problems.problem import Problem

NOTHING = np.empty(0)


class Earlier(NamedTuple):
    """The ``weights`` of ``features`` and labels; the dual variables that the algorithm of this name stored.

    ``gold``: the right labels. ``offsets``: where the parts of each example began. ``joined``: the ends and kinds
    of edges, on which the cliques of a graph depend; empty arrays for other structures. Without ``joined`` a fit
    starts from the weights: a fit without ``warm_start`` leaves no more, and 1.0.0 pickled the fields before it.
    """

    labels: tuple[Any, ...]
    features: Any
    weights: np.ndarray
    algorithm: str
    gold: np.ndarray = NOTHING
    offsets: np.ndarray = NOTHING
    stored: np.ndarray | None = None
    joined: tuple[np.ndarray, ...] = ()

    @classmethod
    def of(cls, problem: Problem, features: Any, algorithm: str, result: Result, duals: bool) -> "Earlier":
        """What a fit of this problem by this algorithm leaves; ``duals``: its dual variables, too."""
        left, train = cls(problem.labels, features, result.weights, algorithm), problem.train
        if not duals:
            return left
        kept = {"gold": parts.gold_labels(train), "offsets": parts.offsets(train), "joined": _joined(train)}
        return left._replace(**kept, stored=result.stored)

    def start(self, problem: Problem, features: Any, algorithm: str) -> Start | None:
        """Where a fit of this problem by this algorithm starts: from u, if lengths, edges, gold outputs are equal.

        None if the algorithm has no warm start.

        Raises:
            UserError: It has other labels or features.
        """
        same = self.labels == problem.labels and _equal(self.features, features)
        if not same or len(self.weights) != parts.num_weights(problem.train):
            raise UserError("warm_start is true, but labels or features differ from the last fit: set it to False")
        if not declaration(algorithm).warm_start:
            return None
        train = problem.train  # from another gold output the hinge needs long, so near to 0 is its probability
        same = bool(self.joined) and np.array_equal(self.gold, parts.gold_labels(train))
        same = same and np.array_equal(self.offsets, parts.offsets(train))
        same = same and all(map(np.array_equal, self.joined, _joined(train)))
        return Start(self.weights, self.stored if same and algorithm == self.algorithm else None)


def _joined(train: Any) -> tuple[np.ndarray, ...]:
    """The ends and the kinds of the edges of graphs."""
    return tuple(np.asarray(getattr(train, name, ())) for name in ("ends", "kinds"))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
