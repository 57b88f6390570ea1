"""The precision of the features and weights that visits read, and soft-thresholding of these weights.

With a smooth loss EG keeps its dual variables in it, too. All else is float64.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.penalties import soft
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import single_precision as single_precision  # so that classes have it
from structbench.algorithms.structures import soft_classes as soft_classes

Precision = Literal["float64", "float32"]


def any_precision(*capabilities: str) -> Callable[..., tuple[str, ...]]:
    """What an algorithm with a parameter ``precision`` needs, if it needs these capabilities in any precision."""

    def asked(*, precision: Precision, **_: Any) -> tuple[str, ...]:
        return capabilities if precision == "float64" else (*capabilities, parts.FLOAT32)

    return asked


class Storage:
    """How visits keep features and weights. ``split``: what their kernels take as the split.

    ``threshold``: they read the weights shrunk towards 0 by that much.

    Raises:
        UserError: weights in float32 cannot be shrunk: a view of any structure reads only those in float64.
    """

    def __init__(self, split: Any, precision: Precision, threshold: float = 0.0) -> None:
        self.split, self._short, self._threshold = split, None, threshold
        if precision == "float32":
            self._short = parts.in_float32(parts.unwrap(split))
            self.split = parts.compiled(self._short)
        if threshold:
            visited = parts.unwrap(self.split)
            if self._short and not parts.with_threshold.owner(type(visited)):
                raise UserError(
                    "precision=float32 with an l1 norm needs with_threshold, which "
                    f"{type(visited).__name__} does not implement: give precision=float64"
                )
            self.split = parts.compiled(parts.with_threshold(visited, threshold))

    def packed(self, w: np.ndarray) -> np.ndarray:
        """Memory with these weights, for kernels that visit the split; in float64 it is w itself."""
        return self._short.packed(w) if self._short else w

    def unpacked(self, memory: np.ndarray) -> np.ndarray | Callable[[], np.ndarray]:
        """The weights in this memory, as float64, found when asked for; in float64 they are the memory itself."""
        return partial(self._short.unpacked, memory) if self._short else memory

    def shrunk(self, memory: np.ndarray) -> np.ndarray | Callable[[], np.ndarray]:
        """``unpacked``, shrunk by the threshold, when asked for."""
        return partial(self._shrunk, memory) if self._threshold else self.unpacked(memory)

    def _shrunk(self, memory: np.ndarray) -> np.ndarray:
        return soft(self._short.unpacked(memory) if self._short else memory, self._threshold)
