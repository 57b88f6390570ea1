"""Refuse what code of the user's must not do: each call here ends the run, or does nothing.

So no number depends on such a call. It makes no run stale, if it is a statement of its own whose arguments call
nothing (``bench/runs/program_text.py``).
"""

import zlib
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.runtime.own_folders import owner
from structbench.algorithms.structures import interface as parts

_seen: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # a black box of the user's -> hash of its data


def odd_vectors(split: Any, **given: np.ndarray | None) -> None:
    """Raise a ValueError that says which of the vectors is not of as many float64 as there are weights.

    A kernel would read or write beyond its end. None is passed over.
    """
    expected = parts.num_weights(split)
    for name, each in given.items():
        if each is not None and (said := wrong_vector(each, expected)):
            raise ValueError(f"{name} must be {said}")


def wrong_vector(vector: Any, expected: int) -> str:
    """What a vector must be and what it is, in words; empty if it is that."""
    if not isinstance(vector, np.ndarray):
        return f"a vector of {expected:,} float64, not {type(vector).__name__}"
    if vector.dtype != np.float64 or vector.shape != (expected,):
        return f"a vector of {expected:,} float64, not {vector.dtype} of shape {vector.shape}"
    if not vector.flags.c_contiguous:
        return "a vector in one piece, not every k-th number of another array: give a copy"
    return ""


def changed_data(box: Any) -> None:
    """Raise a Fault if a class of the user's has changed the data that each of its fits is given.

    Args:
        box: The ``classes.Class``. Its data are looked at, and compared with those of the first call for it.
    """
    if owner(box.box.file) is None:
        return
    found = 0
    for each in box.data:
        if hasattr(each, "indptr"):
            arrays = (each.data, each.indices, each.indptr)
        else:
            arrays = (each if isinstance(each, np.ndarray) else repr(each).encode(),)
        for array in arrays:
            found = zlib.crc32(array if isinstance(array, bytes) else np.ascontiguousarray(array).data, found)
    if _seen.setdefault(box, found) != found:
        raise Fault(
            f"{box.box.name}: {box.box.class_name} changes its X or y in place: let {box.method} copy them"
        )
