"""The step size of exponentiated gradient where all examples move at once."""

from collections.abc import Callable
from typing import Any


class StepSize:
    """The step size ``eta`` of updates of all examples; see ``eg`` for ``adaptive`` and ``grow``."""

    def __init__(self, eta: float, adaptive: bool, grow: float) -> None:
        self.eta = self._first = eta
        self._adaptive, self._grow = adaptive, grow

    def search(self, move: Callable[[float], tuple[float, Any]], slack: float) -> tuple[Any, int]:
        """Halve eta until ``move`` does not lower the dual.

        Args:
            move: eta -> the change of the dual value, and where the step ends.
            slack: what rounding may hide of a change.

        Returns:
            Where the step ends, and how many step sizes were tried.
        """
        tried = 1
        change, there = move(self.eta)
        while self._adaptive and change < -slack:
            self.eta *= 0.5
            tried += 1
            change, there = move(self.eta)
        if self._adaptive and (change > slack or self.eta < self._first):
            self.eta *= self._grow
        return there, tried
