"""Check the arguments of builders; errors name the example, the position and the wrong value."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import starts_of
from structbench.algorithms.runtime.errors import UserError

MOST = 2**31 - 1  # of indices, labels and lengths: arrays of int32 hold them


def integers(
    what: str,
    given: Any,
    least: int | np.ndarray,
    most: int | np.ndarray = MOST,
    name: Callable[[int], str] = "example {}".format,
) -> np.ndarray:
    """The array ``given``, (n,), of whole numbers from ``least`` to ``most``, each one number or (n,).

    Args:
        what: what one of the numbers is.
        name: returns, for the error, the name of the place with a number, from 0 on.

    Raises:
        UserError: it is no array of numbers in one dimension, or a number is not whole or out of range.
    """
    numbers = np.asarray(given)
    if numbers.ndim != 1 or numbers.dtype.kind not in "biuf":
        raise UserError(
            f"expected one dimension of numbers for each {what}, not shape {numbers.shape} of {numbers.dtype}"
        )
    if not len(numbers):
        return numbers.astype(np.int64)
    if not ((numbers.min() >= least).all() and (numbers.max() <= most).all()):  # np.all is four times as slow
        inside = (numbers >= least) & (numbers <= most)  # NaN is not
        if not inside.all():
            at = int(np.argmin(inside))
            low, high = (np.broadcast_to(bound, numbers.shape)[at] for bound in (least, most))
            place = f"{what} of {name(at)}"
            if low > high:
                raise UserError(f"{place} cannot be {numbers[at]}: there is none to choose")
            raise UserError(
                f"{place} must {f'lie in {low} .. {high}' if low < high else f'be {low}'}, not {numbers[at]}"
            )
    if numbers.dtype.kind == "f" and (numbers % 1 != 0).any():
        at = int(np.argmax(numbers % 1 != 0))
        raise UserError(f"{what} of {name(at)} must be a whole number, not {numbers[at]}")
    return numbers if numbers.dtype.kind == "i" else numbers.astype(np.int64)


def finite(
    what: str, given: Any, name: Callable[[int], str] = "example {}".format, least: float = -np.inf
) -> np.ndarray:
    """The array ``given``, (n,) float64, of finite numbers from ``least`` on; for the rest see ``integers``.

    Raises:
        UserError: it has another shape, or a number is not finite or below ``least``.
    """
    numbers = np.asarray(given, np.float64)
    if numbers.ndim != 1:
        raise UserError(f"expected one dimension of numbers for each {what}, not shape {numbers.shape}")
    inside = np.isfinite(numbers) & (numbers >= least)
    if not inside.all():
        at = int(np.argmin(inside))
        bound = f", and {least:g} or more" if least > -np.inf else ""
        raise UserError(f"{what} of {name(at)} must be finite{bound}, not {numbers[at]}")
    return numbers


def matrix(what: str, given: Any, width: int) -> np.ndarray:
    """The array ``given``, (n, width); without any numbers it may have any shape.

    Raises:
        UserError: it has another shape.
    """
    rows = np.asarray(given)
    if not rows.size and len(rows) == 0:
        return np.empty((0, width), np.int64)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise UserError(f"{what} must have shape (n, {width}), not {rows.shape}")
    return rows


def number(what: str, given: Any, least: int) -> int:
    """The whole number ``given``, checked to be ``least`` or more.

    Raises:
        UserError: it is not.
    """
    if not MOST >= given >= least or given % 1:
        raise UserError(f"{what} must be a whole number, {least} or more, not {given}")
    return int(given)


def classes(y: Any, num_labels: int, count: int, examples: str) -> np.ndarray:
    """Labels of ``count`` ``examples``, (n,), in -1 .. num_labels - 1; -1 is a label never seen in training.

    Raises:
        UserError: there are more or fewer, one is out of range, or there are no labels at all.
    """
    y = integers("label", y, -1, number("num_labels", num_labels, 1) - 1)
    if len(y) != count:
        raise UserError(f"{count} {examples} but {len(y)} labels")
    return y


def chosen(examples: Any, count: int) -> np.ndarray:
    """Numbers of examples to take, (chosen,) int64, out of ``count`` examples.

    Raises:
        UserError: there is no example of such a number, or they are flags.
    """
    if np.asarray(examples).dtype.kind == "b":
        raise UserError("chosen examples must be numbers, not flags")
    return integers("number", examples, 0, count - 1, "chosen example {}".format).astype(np.int64)


class Places(NamedTuple):
    """Units, such as tokens, of examples, such as sentences; units lie one after another.

    ``starts``: int64 (n + 1,), where each example's units begin. ``origin``: the number of its first unit.
    """

    starts: np.ndarray
    unit: str
    example: str
    origin: int = 0

    @property
    def lengths(self) -> np.ndarray:
        """How many units each example has, (n,)."""
        return np.diff(self.starts)

    def name(self, at: int) -> str:
        """The name of a unit, given by its number over all examples."""
        i = int(np.searchsorted(self.starts, at, side="right")) - 1
        return f"{self.unit} {at - self.starts[i] + self.origin} of {self.example} {i}"

    def agree(self, **counts: int) -> None:
        """Check that each of ``counts`` is the number of units.

        Raises:
            UserError: one of them is larger or smaller.
        """
        if any(count != self.starts[-1] for count in counts.values()):
            *others, last = (f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
            found = f"{', '.join(others)} and {last}" if others else last
            raise UserError(f"the {self.example}s have {self.starts[-1]} {self.unit}s, but there are {found}")

    def integers(
        self, what: str, given: Any, least: int | np.ndarray, most: int | np.ndarray = MOST
    ) -> np.ndarray:
        """``integers`` of the units."""
        return integers(what, given, least, most, self.name)


def places(lengths: Any, unit: str, example: str, least: int = 1, origin: int = 0) -> Places:
    """The units of examples with these ``lengths``, (n,).

    Raises:
        UserError: a length is less than ``least``, or no whole number.
    """
    lengths = integers(f"number of {unit}s", lengths, -MOST, MOST, f"{example} {{}}".format)
    if len(lengths) and lengths.min() < least:
        i = int(lengths.argmin())
        raise UserError(f"{example} {i} has {lengths[i] or 'no'} {unit}s: expected {least} or more")
    return Places(starts_of(lengths), unit, example, origin)
