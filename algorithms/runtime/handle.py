"""The base class of handles: addresses through which kernels use objects whose types they do not know."""

from collections.abc import Callable
from typing import Any


class Handle:
    """The address of a record in memory. The record starts with the address of a table (``indirect_calls``).

    ``kind``: the type behind it. ``require``: raises a TypeError if the table lacks what a kernel may call. Each
    kind of handle has its own.
    """

    __slots__ = ("address", "kind")
    address: int
    kind: type
    require: Callable[[Any], None]
