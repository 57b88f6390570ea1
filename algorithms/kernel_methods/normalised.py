"""Strings or trees with a normalised kernel: K(x, x') / sqrt(K(x, x) K(x', x')), or 0 where K(x, x) is 0."""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel


class Normalised:
    """Strings or trees, with the kernel that compares them and its settings; ``norms``: sqrt(K(x, x)) of each."""

    def __init__(
        self, items: Any, chosen: Callable, compare: Callable, settings: tuple, norms: np.ndarray
    ) -> None:
        self._items, self._chosen, self._compare, self._settings = items, chosen, compare, settings
        self._norms = norms

    def __len__(self) -> int:
        return len(self._norms)

    def take(self, chosen: np.ndarray) -> "Normalised":
        """The points with these numbers."""
        some = self._chosen(self._items, chosen)
        return Normalised(some, self._chosen, self._compare, self._settings, self._norms[chosen])

    def against(self, others: "Normalised") -> np.ndarray:
        """K of each of these points with each of the others."""
        found = np.empty((len(self), len(others)))
        parallel.for_each(self._compare, len(self), self._items, others._items, False, *self._settings, found)
        norms = self._norms[:, None] * others._norms
        return np.divide(found, norms, out=found, where=norms > 0)


def normalised(items: Any, chosen: Callable, compare: Callable, of: str, **settings: float) -> Normalised:
    """The items with their norms. If a norm is finite, K(x, x') is, as the product of two norms at most.

    Args:
        items: with ``starts``, which tell the sizes.
        chosen: (items, numbers) -> the items with these numbers.
        compare: a kernel of (first, last, items, other items, own, *settings, out). It fills out[i, j] = K of item
            i and other item j; or, if ``own``, out[i, 0] = K of item i with itself.
        of: what the sizes count, such as "a tree of {} nodes".

    Raises:
        UserError: a norm is too large for a number.
    """
    sizes = np.diff(items.starts)
    squares = np.empty((len(sizes), 1))
    parallel.for_each(compare, len(sizes), items, items, True, *settings.values(), squares)
    norms = np.sqrt(squares[:, 0])
    if (too_large := ~np.isfinite(norms)).any():
        at = ", ".join(f"{name}={value:g}" for name, value in settings.items())
        raise UserError(
            f"the kernel of {of.format(sizes[too_large].max())} with itself is no number at {at}: "
            f"choose a smaller {' or '.join(settings)}"
        )
    return Normalised(items, chosen, compare, (*settings.values(),), norms)


@kernel
def largest(starts):
    """The size of the largest item."""
    most = 0
    for i in range(starts.shape[0] - 1):
        most = max(most, starts[i + 1] - starts[i])
    return most
