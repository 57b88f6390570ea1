"""The precision in which visits read and write features and weights; all else is float64."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import single_precision

CLASSES = parts.FEATURE_ROWS, parts.SINGLE_DECISIONS
Precision = Literal["float64", "float32"]


def needs(*capabilities: str) -> Callable[..., tuple[str, ...]]:
    """What an algorithm with a parameter ``precision`` needs, if it needs these capabilities in any precision."""

    def asked(*, precision: Precision, **_: Any) -> tuple[str, ...]:
        return capabilities if precision == "float64" else (*capabilities, *CLASSES)

    return asked


class Storage:
    """How visits keep features and weights. ``split``: what their kernels take as the split."""

    def __init__(self, split: Any, precision: Precision) -> None:
        self.split, self._K = split, 0
        if precision == "float32":
            short = single_precision.of_classes(parts.unwrap(split))
            self.split, self._K = parts.compiled(short), short.num_labels

    def packed(self, w: np.ndarray) -> np.ndarray:
        """Memory with these weights, for kernels that visit the split; in float64 it is w itself."""
        return single_precision.packed(w, self._K) if self._K else w

    def unpacked(self, memory: np.ndarray) -> np.ndarray:
        """The weights in this memory, as float64; in float64 they are the memory itself."""
        return single_precision.unpacked(memory, self._K) if self._K else memory
