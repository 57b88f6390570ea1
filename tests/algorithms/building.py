"""What a table of builders says of each: a small input that it takes, and the ways to make it wrong."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures import features as ft

Arguments = dict[str, Any]
K = 3


class Builder(NamedTuple):
    """``given``: arguments that ``build`` takes. ``bounds``: the least and the most that each entry of one may be.

    ``counted``: arguments with one entry for each example, token or the like. ``lengths``: arguments that say how
    many of these an example has. ``mistakes``: by name, arguments that replace those given.
    """

    build: Callable[..., Any]
    given: Arguments
    bounds: dict[str, tuple[Any, Any]]
    counted: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    mistakes: dict[str, Arguments] = {}  # noqa: RUF012 - never changed

    def drawn(self, rng: np.random.Generator) -> Arguments:
        return dict(self.given)

    def ranges(self, given: Arguments) -> dict[str, tuple[Any, Any]]:
        return self.bounds

    @property
    def spoilt(self) -> dict[str, Callable[[Arguments], Arguments]]:
        return {name: lambda given, wrong=wrong: given | wrong for name, wrong in self.mistakes.items()}


def rows(count: int) -> ft.Features:
    return ft.dense(np.ones((count, 2)))


def with_entry(array: np.ndarray, at: Any, value: Any) -> np.ndarray:
    changed = np.array(array, np.result_type(array, np.asarray(value)))
    changed[at] = value
    return changed
