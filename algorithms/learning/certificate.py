"""A dual point for methods whose single points have poor dual values: the best of averages and single points."""

import numpy as np

from algorithms.learning.objective import Objective
from algorithms.structures import interface as parts


class Certificate:
    """``conjugate``, conj(u), ``dual``, w(u), and ``bound``, the dual value, of the best point so far.

    Candidates are the ``count`` points that were added, and their average in which the t-th weighs some t^power.
    Before the first, u are the right outputs.
    """

    def __init__(self, objective: Objective, power: int = 2) -> None:
        size = parts.num_weights(objective.split)
        self.conjugate, self.dual, self.bound = 0.0, np.zeros(size), -np.inf
        self._objective, self.count, self._power = objective, 0, power
        self._mean, self._mean_conjugate = np.zeros(size), 0.0

    def add(self, conjugate: float, dual: np.ndarray) -> None:
        """Consider a point."""
        self.count += 1
        share = (self._power + 1) / (self.count + self._power)
        self._mean += share * (dual - self._mean)
        self._mean_conjugate += share * (conjugate - self._mean_conjugate)
        for point in ((conjugate, dual), (self._mean_conjugate, self._mean)):
            bound = self._objective.bound(*point)
            if bound > self.bound:
                self.conjugate, self.bound = point[0], bound
                self.dual[:] = point[1]
