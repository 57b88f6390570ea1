"""A diagonal preconditioner: weights are rescaled so that second derivatives at w = 0 are about 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts


@dataclass
class Scaled:
    """An objective of v = roots w. Its second derivatives by one v are about 1 at w = 0."""

    objective: Objective
    roots: np.ndarray

    def value_and_gradient(self, v: np.ndarray, gradient: np.ndarray) -> float:
        """P(w); ``gradient`` becomes that by v."""
        value = self.objective.value_and_gradient(v / self.roots, gradient)
        gradient /= self.roots
        return value

    def weights(self, v: np.ndarray) -> np.ndarray:
        """w."""
        return v / self.roots


def scaled(objective: Objective) -> Scaled:
    """By the root of the second derivative of P by each weight, with uniform labels.

    Weights of features between decisions, which come last, count as if each decision had one such feature.
    """
    split: Any = parts.unwrap(objective.split)
    rows, K = parts.rows(split), int(split.num_labels)
    x = ft.as_matrix(rows)
    squares = (x * x).sum(axis=0)
    curvatures = np.full(parts.num_weights(split), ft.shape(rows)[0] * _variance(K * K))
    curvatures[: len(squares) * K] = np.repeat(squares, K) * _variance(K)
    strength = objective.C if objective.penalty == "l2" else 0.0
    roots = np.sqrt(strength + curvatures / objective.loss_terms.temperature)
    return Scaled(objective, np.where(roots > 0, roots, 1.0))


def _variance(K: int) -> float:
    """Of whether a label is the drawn one, if K labels are equally likely."""
    return (1 - 1 / K) / K
