"""The model of most algorithms: weights of features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Objective, Value

Predict = Callable[[Any, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


class Weights:
    """Weights w of features, float64 (num_weights,): see ``objective.Model``."""

    judged_in_training = True

    def __init__(
        self, predictions: Callable[[Any, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
    ) -> None:
        """``predictions``: predicts from a split and weights."""
        self.predictions = predictions

    def evaluate(
        self, objective: Objective, vector: np.ndarray, conjugate: float | None, dual_weights: np.ndarray | None
    ) -> Value:
        return objective.evaluate(vector, conjugate, dual_weights)

    def dual_value(self, objective: Objective, conjugate: float, dual_weights: np.ndarray) -> float:
        return objective.dual_value(conjugate, dual_weights)

    def norm(self, vector: np.ndarray) -> float:
        return float(np.sqrt(vector @ vector))
