"""Nearest neighbours: predicts the most frequent label of the k training examples most similar to the new one.

klein2011, "Nearest-Neighbor Classification": training only stores the examples. Similarity is sim(x, x') = x . x'
of rows of norm 1 (cosine), or minus the distance ||x - x'|| (Euclidean; Fix and Hodges 1951, Cover and Hart 1967).
All pairs are compared, by products of matrices in blocks. One look at a row finds its k best.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.kernel_methods.similarity import Rows
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Hints, Iterate, Model, Objective, require_labels
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

BLOCK = 2**24  # pairs that are compared at a time
Similarity = Literal["euclidean", "cosine"]


def check(split: Any, *, k: int, **rest: Any) -> None:
    """Check that there are at least k training examples.

    Raises:
        UserError: there are fewer.
    """
    n = parts.num_examples(split)
    if k > n:
        raise UserError(f"nearest-neighbours: k must be at most {n}, the number of training examples, not {k}")


@algorithm(
    label="Nearest neighbours",
    loss="none",
    needs=("feature rows", "single decisions"),
    random=False,
    check=check,
    references=("cover1967",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    k: Annotated[int, ">= 1"] = 3,
    similarity: Similarity = "euclidean",
) -> Iterator[Iterate]:
    """Keep the training examples; each counts as visited once.

    Args:
        k: neighbours that vote. If labels have equally many votes, the label of the nearest voter wins.
        similarity: what makes neighbours near.

    Raises:
        UserError: a gold label is not known.
    """
    require_labels(objective.split, "nearest-neighbours")
    n = parts.num_examples(objective.split)
    model = Neighbours(parts.unwrap(objective.split), k, similarity)
    yield Iterate(np.zeros(n), 0, hints=Hints(model=model))
    yield Iterate(np.ones(n), n, hints=Hints(model=model))


class Neighbours(Model):
    """``objective.Model`` of a vector with a 1 for each of n examples; each of them may vote."""

    judged_in_training = False  # each is its own nearest neighbour

    def __init__(self, split: Any, k: int, similarity: Similarity) -> None:
        self._y, self._num_labels = parts.decisions(split)
        self._k, self._far = k, FAR[similarity]
        self._points = Rows.of(parts.rows(split), self._far)

    def predictions(self, split: Any, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By votes of the k nearest examples, or of all if there are fewer. Label 0 before any is known."""
        right = parts.decisions(parts.unwrap(split)).y
        predicted = np.zeros(len(right), np.int32)
        if vector.any():
            points, step = Rows.of(parts.rows(parts.unwrap(split)), self._far), max(1, BLOCK // len(self._points))
            k = min(self._k, len(self._points))
            for begin in range(0, len(right), step):
                some = np.arange(begin, min(begin + step, len(right)))
                distances = points.take(some).against(self._points)
                votes = predicted[begin : begin + step]
                parallel.for_each(_vote, len(some), distances, self._y, k, self._num_labels, votes)
        return predicted, right, np.arange(len(right) + 1)


def _euclidean(products: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> None:
    """||x'||^2 - 2 x . x': the squared distance minus ||x||^2, which is constant in a row."""
    products *= -2.0
    products += theirs


def _cosine(products: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> None:
    """- x . x' / ||x'||: minus the cosine times ||x||, which is constant in a row. 0 where x' = 0."""
    products /= -np.sqrt(np.where(theirs > 0, theirs, 1.0))


FAR = {"euclidean": _euclidean, "cosine": _cosine}


@kernel
def _vote(first, last, distances, y, k, num_labels, predicted):
    """predicted[r] = the most frequent label of the k nearest examples in row r; of equals, the first."""
    best, nearest, votes = np.empty(k), np.empty(k, np.int64), np.empty(num_labels, np.int64)
    for r in range(first, last):
        count = 0
        for i in range(distances.shape[1]):
            distance = distances[r, i]
            if count == k and not distance < best[k - 1]:
                continue
            place = min(count, k - 1)
            while place > 0 and distance < best[place - 1]:
                best[place], nearest[place] = best[place - 1], nearest[place - 1]
                place -= 1
            best[place], nearest[place] = distance, i
            count = min(count + 1, k)
        votes[:] = 0
        for i in nearest:
            votes[y[i]] += 1
        most = y[nearest[0]]
        for i in nearest:
            most = y[i] if votes[y[i]] > votes[most] else most
        predicted[r] = most
