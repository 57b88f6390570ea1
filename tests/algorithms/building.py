"""What a table of builders says of each: small inputs that it takes, and the ways to make one of them wrong."""

from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures import features as ft

Arguments = dict[str, Any]
K = 3


class Builder(NamedTuple):
    """``drawn``: arguments that ``build`` takes. ``ranges``: the least and the most that each entry of one may be.

    ``counted``: arguments with one entry for each example, token or the like. ``lengths``: arguments that say how
    many of these an example has. ``spoilt``: other mistakes, by name.
    """

    build: Callable[..., Any]
    drawn: Callable[[np.random.Generator], Arguments]
    ranges: Callable[[Arguments], dict[str, tuple[Any, Any]]]
    counted: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    spoilt: dict[str, Callable[[Arguments], Arguments]] = {}  # noqa: RUF012 - never changed


def rows(count: int) -> ft.Features:
    return ft.dense(np.ones((count, 2)))


def lengths_of(rng: np.random.Generator, least: int = 2) -> np.ndarray:
    return rng.integers(least, 5, size=rng.integers(2, 4))


def with_entry(array: np.ndarray, at: Any, value: Any) -> np.ndarray:
    changed = np.array(array, np.result_type(array, np.asarray(value)))
    changed[at] = value
    return changed


def starts_of(lengths: np.ndarray) -> list[int]:
    return [0, *accumulate(map(int, lengths))]
