"""Kernels K(x, x'): inner products of examples in a space that is not written out (klein2011, "Some Kernels").

    linear     x . x'
    quadratic  (x . x' + 1)^2
    rbf        exp(-gamma ||x - x'||^2)         the slide's has gamma = 1
    string     common subsequences              ``string_kernel``
    tree       common fragments                 ``tree_kernel``

The first three compare feature rows, by one product of matrices for a block of pairs.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from structbench.algorithms.kernel_methods import string_kernel, tree_kernel
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

KernelName = Literal["linear", "quadratic", "rbf", "string", "tree"]
COMPARED = dict.fromkeys(("linear", "quadratic", "rbf"), parts.FEATURE_ROWS) | {
    "string": parts.STRINGS,
    "tree": parts.TREES,
}
BLOCK = 256  # rows of a product: the same for any number of threads, and so are its bits
DENSEST = 2**27  # numbers: rows that are no larger as dense rows become dense, whose products are faster


class Points(Protocol):
    """What a kernel compares, in some order; points hold the kernel's parameters."""

    def __len__(self) -> int: ...

    def take(self, chosen: np.ndarray) -> "Points":
        """The points with these numbers, in this order."""
        ...

    def against(self, others: "Points") -> np.ndarray:
        """K of each of these points with each of the others, float64 (len(self), len(others)), a new array."""
        ...


class Kernel(NamedTuple):
    """A kernel by its name. ``points`` extracts from a split what it compares, one for each decision."""

    name: str
    points: Callable[[Any], Points]


class Rows:
    """Feature rows (n, columns), dense or sparse, and a function of their products and square norms."""

    def __init__(self, matrix: Any, squares: np.ndarray, function: Callable[..., None]) -> None:
        self._matrix, self._squares, self._function = matrix, squares, function

    @classmethod
    def of(cls, x: ft.Features, function: Callable[..., None]) -> "Rows":
        """Points of feature rows."""
        matrix, (n, columns) = ft.as_matrix(x), ft.shape(x)
        if not isinstance(matrix, np.ndarray) and n * columns <= DENSEST:
            matrix = matrix.toarray()
        return cls(matrix, np.asarray((matrix * matrix).sum(axis=1)).ravel(), function)

    def __len__(self) -> int:
        return len(self._squares)

    def take(self, chosen: np.ndarray) -> "Rows":
        """The points with these numbers."""
        return Rows(self._matrix[chosen], self._squares[chosen], self._function)

    def against(self, others: "Rows") -> np.ndarray:
        """K of each of these points with each of the others."""
        mine, theirs = self._matrix, others._matrix
        if isinstance(mine, np.ndarray) != isinstance(theirs, np.ndarray):  # one of them was too large
            theirs = theirs.toarray() if isinstance(mine, np.ndarray) else theirs
            mine = mine if isinstance(mine, np.ndarray) else mine.toarray()
        found = np.empty((len(self), len(others)))

        def fill(first: int, last: int) -> None:
            for begin in range(first * BLOCK, min(last * BLOCK, len(self)), BLOCK):
                rows = slice(begin, begin + BLOCK)
                if isinstance(mine, np.ndarray):
                    np.matmul(mine[rows], theirs.T, out=found[rows])
                else:
                    found[rows] = (mine[rows] @ theirs.T).toarray()
                self._function(found[rows], self._squares[rows], others._squares)

        parallel.for_each(fill, -(-len(self) // BLOCK))
        return found


def _linear(products: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> None:
    """The products as they are."""


def _quadratic(products: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> None:
    products += 1.0
    products *= products


def _rbf(gamma: float) -> Callable[..., None]:
    def function(products: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> None:
        products *= -2.0
        products += mine[:, None]
        products += theirs
        np.maximum(products, 0.0, out=products)  # rounding in the distance of two equal points
        products *= -gamma
        np.exp(products, out=products)

    return function


def inner_products(split: Any) -> Rows:
    """The points of the linear kernel."""
    return Rows.of(parts.rows(split), _linear)


def named_kernel(name: KernelName, gamma: float, length: int, decay: float) -> Kernel:
    """The kernel of this name.

    Args:
        gamma: of the rbf.
        length: of the longest subsequences, of the string kernel.
        decay: lambda of the string and the tree kernel.
    """
    if name == "string":
        return Kernel(name, lambda split: string_kernel.points(parts.strings(split), length, decay))
    if name == "tree":
        return Kernel(name, lambda split: tree_kernel.points(parts.trees(split), decay))
    function = {"linear": _linear, "quadratic": _quadratic, "rbf": _rbf(gamma)}[name]
    return Kernel(name, lambda split: Rows.of(parts.rows(split), function))
