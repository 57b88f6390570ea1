"""Labels given by a user: checked, sorted, numbered, and given back in their own types."""

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError

WHOLE = re.compile(r"([+-]?[0-9]{1,4000})(\.0*)?")
EXPECTED = "expected a text, a number or a tuple of them"


def distinct(given: Sequence[Any], where: Callable[[int], str]) -> dict[Any, Any]:
    """The different labels in the order of their first places, each as it was given first.

    The keys are the labels without numpy's types. ``where`` says in words where the label of a number is.

    Raises:
        UserError: A label is missing, infinite or no label, or it equals one of another type, as 1 and True do.
    """
    first: dict[Any, int] = {}
    number = -1
    try:
        for number, label in enumerate(given):
            first.setdefault((label, _kind(label) if isinstance(label, tuple) else type(label)), number)
    except TypeError:
        raise UserError(f"{where(number)}: {given[number]!r:.60} is no label: {EXPECTED}") from None
    found: dict[Any, Any] = {}
    for number in first.values():
        label, kind = plain(given[number]), _kind(given[number])
        if _is_missing(label):
            raise UserError(
                f"{where(number)}: the label is missing ({label!r}): leave the example out, or label it"
            )
        if isinstance(label, float) and math.isinf(label):
            raise UserError(f"{where(number)}: {label!r} is no label: expected a finite number")
        other = found.setdefault(label, given[number])
        if _kind(other) != kind:
            there = next(i for i in first.values() if given[i] is other)
            raise UserError(
                f"{where(number)} has the label {label!r} and {where(there)} has {other!r}, which are equal but "
                f"of the types {_called(kind)} and {_called(_kind(other))}: give labels of one type"
            )
    return found


def place_in(lengths: np.ndarray) -> Callable[[int], str]:
    """What says in words which token of which example has a label of this number."""
    starts = np.append(0, np.cumsum(lengths))

    def where(number: int) -> str:
        example = int(np.searchsorted(starts, number, "right")) - 1
        return f"example {example}, token {number - starts[example]}"

    return where


def in_order(known: dict[Any, Any]) -> list[Any]:
    """The keys that ``distinct`` found, sorted.

    Raises:
        UserError: They do not sort.
    """
    try:
        order = sorted(known)
        if all(a < b for a, b in pairwise(order)):
            return order
    except TypeError:
        pass
    one, *others = known
    other = next((label for label in others if _kind(label) != _kind(one)), others[0])
    raise UserError(
        f"the labels {one!r} ({_called(_kind(one))}) and {other!r} ({_called(_kind(other))}) do not sort "
        "together: give labels of one type, texts or whole numbers"
    )


def number_labels(
    given: Sequence[Any], where: Callable[[int], str], least: int = 2
) -> tuple[tuple[Any, ...], np.ndarray]:
    """The different labels in their order, and the number of each given one.

    Raises:
        UserError: As ``distinct`` and ``in_order``; or there is only one, and not one is enough.
    """
    known = distinct(given, where)
    number = {label: k for k, label in enumerate(in_order(known))}
    if len(number) < least:
        raise UserError(f"expected two labels or more in y, found only one class, {plain(given[0])!r}")
    return tuple(known[label] for label in number), np.array([number[label] for label in given])


def coded(given: Sequence[str], labels: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The number of each given label, -1 if it is not among these; and those that are not, as they are given."""
    number = {label: k for k, label in enumerate(labels)}
    y = np.array([number.get(each, -1) for each in given], np.int64)
    return y, tuple(each for each in given if each not in number)


def as_array(labels: Sequence[Any]) -> np.ndarray:
    """The labels as an array of their own type; of objects if numpy would change one."""
    try:
        made = np.array(labels)
    except ValueError:  # tuples of different lengths
        return np.fromiter(labels, object, len(labels))
    same = made.ndim == 1 and [(plain(x), _kind(x)) for x in made] == [(plain(x), _kind(x)) for x in labels]
    return made if same else np.fromiter(labels, object, len(labels))


def number_of(word: str) -> int | float | None:
    """The number that a word of a file is, maybe an infinite one, or None. Whole numbers are not rounded."""
    if whole := WHOLE.fullmatch(word):
        return int(whole[1])
    try:
        return float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        return None


def plain(label: Any) -> Any:
    """A label without numpy's type, which may round where it compares; times stay, as Python's are coarser."""
    if isinstance(label, tuple):
        return tuple(map(plain, label))
    return label.item() if isinstance(label, np.generic) and label.dtype.kind not in "mM" else label


def _kind(label: Any) -> Any:
    """The type of a label, or those of a tuple's parts."""
    return tuple(map(_kind, label)) if isinstance(label, tuple) else type(plain(label))


def _called(kind: Any) -> str:
    return f"({', '.join(map(_called, kind))})" if isinstance(kind, tuple) else kind.__name__


def _is_missing(label: Any) -> bool:
    """Whether it is None, NaN, pandas' NA or NaT, or a tuple with one of them."""
    if isinstance(label, tuple):
        return any(map(_is_missing, label))
    try:
        return label is None or bool(label != label)
    except TypeError:  # NA is neither equal to itself nor not
        return True
