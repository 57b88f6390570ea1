"""A model that is known by the labels that it gave to one split, as a black box without weights is."""

from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Model
from structbench.algorithms.structures import interface as parts

UNKNOWN = -1


class Labels(Model):
    """``objective.Model`` of a vector: the label of each decision of a split, float64 (decisions,).

    It has no objective. Of other splits, and before the program has run, it predicts nothing.
    """

    judged_in_training = False

    def __init__(self, split: Any) -> None:
        """``split``: the one that was labelled, or None."""
        self.split = split

    @property
    def start(self) -> np.ndarray:
        """The vector before the program has run."""
        return np.full(0 if self.split is None else len(gold(self.split)[0]), UNKNOWN, float)

    def norm(self, vector: np.ndarray) -> float:
        return 0.0  # it has no weights

    def predictions(self, split: Any, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        right, starts = gold(split)
        known = self.split is not None and parts.unwrap(split) is parts.unwrap(self.split)
        return (vector.astype(right.dtype), right, starts) if known and (vector != UNKNOWN).all() else None


def gold(split: Any) -> tuple[np.ndarray, np.ndarray]:
    """The gold labels of a split of classes or sequences, -1 if unseen, and where each example begins."""
    if parts.has(split, parts.decisions):
        y = parts.classes(split).y
        return y, np.arange(len(y) + 1)
    sequences = parts.label_sequences(split)
    return sequences.y, np.asarray(sequences.starts, np.int64)
