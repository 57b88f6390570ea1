"""The precision in which visits read and write features, weights and EG's dual variables; all else is float64."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import single_precision as single_precision  # so that classes have it

Precision = Literal["float64", "float32"]


def any_precision(*capabilities: str) -> Callable[..., tuple[str, ...]]:
    """What an algorithm with a parameter ``precision`` needs, if it needs these capabilities in any precision."""

    def asked(*, precision: Precision, **_: Any) -> tuple[str, ...]:
        return capabilities if precision == "float64" else (*capabilities, parts.FLOAT32)

    return asked


class Storage:
    """How visits keep features and weights. ``split``: what their kernels take as the split."""

    def __init__(self, split: Any, precision: Precision) -> None:
        self.split, self._short = split, None
        if precision == "float32":
            self._short = parts.in_float32(parts.unwrap(split))
            self.split = parts.compiled(self._short)

    def packed(self, w: np.ndarray) -> np.ndarray:
        """Memory with these weights, for kernels that visit the split; in float64 it is w itself."""
        return self._short.packed(w) if self._short else w

    def unpacked(self, memory: np.ndarray) -> np.ndarray | Callable[[], np.ndarray]:
        """The weights in this memory, as float64, found when asked for; in float64 they are the memory itself."""
        return partial(self._short.unpacked, memory) if self._short else memory
