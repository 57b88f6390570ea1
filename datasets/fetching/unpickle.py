"""Pickles of numpy arrays, read by an unpickler that makes and calls nothing else.

A malicious pickle can still give an array a false type. Then it reads foreign memory or ends the process. So read
only files of a known SHA-256.
"""

import io
import pickle
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError


def _latin1(text: str, encoding: str) -> bytes:
    """How Python 3 writes bytes so that Python 2 can read them."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes in the encoding {encoding!r}")
    return text.encode("latin1")


_reconstruct, _scalar = (np.array(0).__reduce__()[0], np.float64(0).__reduce__()[0])
ADMITTED = {
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _reconstruct for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): _scalar for core in ("core", "_core")},
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _latin1,
    ("__builtin__", "bytes"): lambda: b"",  # how it writes no bytes at all
}


# whatever the constructors of numpy and the machine that reads a pickle raise on bytes that make no sense
MALFORMED = (
    *(pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, LookupError),
    *(ArithmeticError, AssertionError, MemoryError),
)


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ADMITTED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, but only numpy arrays are admitted")
        return ADMITTED[module, name]


def load(data: bytes, source: str) -> Any:
    """Numbers, strings, lists, dictionaries and numpy arrays from a pickle of Python 2 or 3.

    Raises:
        UserError: It is no pickle, or asks for anything else; nothing of it is then run.
    """
    try:
        return _ArrayUnpickler(io.BytesIO(data), encoding="latin1").load()
    except MALFORMED as error:
        raise UserError(f"{source} is not a pickle of numpy arrays: {error}") from error
