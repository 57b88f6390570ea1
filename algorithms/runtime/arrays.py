"""The arrays that kernels take, by element type and dimensions; all of them C-contiguous."""

from functools import lru_cache
from typing import Annotated

import numpy as np

Floats = Annotated[np.ndarray, "float64", 1]
ShortFloats = Annotated[np.ndarray, "float32", 1]
Matrix = Annotated[np.ndarray, "float64", 2]
Ints = Annotated[np.ndarray, "int64", 1]
IntRows = Annotated[np.ndarray, "int64", 2]
Labels = Annotated[np.ndarray, "int32", 1]
LabelRows = Annotated[np.ndarray, "int32", 2]
Flags = Annotated[np.ndarray, "int8", 1]
Bytes = Annotated[np.ndarray, "uint8", 1]
BoolRows = Annotated[np.ndarray, "bool", 2]


def frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    """A C-contiguous, read-only array: the one type that kernels are compiled for, mapped or not."""
    array = np.ascontiguousarray(array, dtype=dtype)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


@lru_cache(64)
def zeros(size: int) -> np.ndarray:
    """Zeros, int64 (size,), that all callers share."""
    return frozen(np.zeros(size), np.int64)


def starts_of(lengths: np.ndarray | list[int]) -> np.ndarray:
    """Where each of these lengths begins, and where the last one ends; int64."""
    return frozen(np.concatenate([[0], np.cumsum(lengths)]), np.int64)


def ranges(bounds: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """bounds[i] .. bounds[i + 1] - 1 for each of the chosen i, one after another."""
    counts = np.diff(bounds)[chosen]
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) + np.repeat(bounds[chosen] - ends + counts, counts)
