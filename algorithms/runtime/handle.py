"""What kernels see of an object whose type they do not know."""

from typing import Any


class Handle:
    """The address of a record in memory, which starts with the address of a table of functions (``erasure``).

    ``kind``: the type behind it.
    """

    __slots__ = ("address", "kind")
    address: int
    kind: type

    def require(self, kernel: Any) -> None:
        """See that the table has all that a kernel may call.

        Raises:
            TypeError: it has not; says what is missing.
        """
        raise NotImplementedError
