"""Rows of numbers that Python holds: as values by index, and refused where they are no table."""

import math
import re
from collections.abc import Iterable
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.labels import plain

INDEX = re.compile("[0-9]{1,18}")


def by_index(X: Any) -> list[dict[int, float]]:
    """Rows as dicts of values by index. Rows of numbers have indices from 1 on, and no values that are 0.

    Args:
        X: An array, DataFrame or sparse matrix (rows, columns), or a list of rows of numbers or of dicts.

    Raises:
        UserError: A row is neither, or is longer or shorter than the first; or an index is no whole number, or
            a value not finite.
    """
    if is_sparse(X):
        found = _of_sparse(X)
    else:
        given = [*(X.to_numpy() if hasattr(X, "to_numpy") else X)]
        found = [(_checked if isinstance(row, dict) else _numbered)(row, k) for k, row in enumerate(given)]
        numbers = [row for row in given if not isinstance(row, dict)]
        if len({len(row) for row in numbers}) > 1:
            raise UserError(ragged(numbers))
    for number, row in enumerate(found):
        if odd := [each for each in row.values() if isinstance(each, float) and not math.isfinite(each)]:
            raise UserError(f"example {number} has the value {odd[0]}: expected finite numbers")
    return found


def is_sparse(X: Any) -> bool:
    """Whether it is a sparse matrix of scipy's."""
    return getattr(X, "ndim", 0) == 2 and hasattr(X, "tocsr")


def is_no_number(value: Any) -> bool:
    """Whether it is nothing that ``float`` takes."""
    try:
        float(value)
    except (TypeError, ValueError):
        return True
    return False


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def refuse_texts(row: Any) -> None:
    """Raise a UserError if it is a list of texts that are numbers, and not all whole, which may be names."""
    if not isinstance(row, list) or not all(isinstance(each, str) for each in row):
        return
    if not any(map(is_no_number, row)) and not all(each.strip().isdigit() for each in row):
        raise UserError(f"the texts {row!r:.60} are numbers: give numbers, not texts (texts name attributes)")


def ragged(rows: Any) -> str:
    """Says which of these rows, of which numpy makes no array, is longer or shorter than the first."""
    lengths = [len([*row]) if isinstance(row, Iterable) else 1 for row in rows]
    odd = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is None:
        return "expected rows of numbers, found lists within rows"
    return f"expected rows of the same length: row 0 has {lengths[0]} values, row {odd} has {lengths[odd]}"


def _checked(row: dict[int, float], number: int) -> dict[int, float]:
    """The row of this number, of values by index."""
    for index, value in row.items():
        if not INDEX.fullmatch(str(index)):
            raise UserError(f"example {number} has the index {index!r:.60}: expected a whole number of 0 or more")
        if not _is_finite(value):
            raise UserError(f"example {number} has the value {plain(value)!r:.60}: expected finite numbers")
    return row


def _numbered(row: Any, number: int) -> dict[int, float]:
    """The row of this number, of numbers, as values by index."""
    refuse_texts(row)
    try:
        if isinstance(row, list | tuple) and any(isinstance(each, str) for each in row):
            raise TypeError  # ``float`` reads texts
        return {k: found for k, value in enumerate(row, 1) if (found := float(value))}
    except (TypeError, ValueError, OverflowError):  # the last: of a whole number
        said = f"{row!r:.60} is no row: expected numbers, or a dict of values by index"
        raise UserError(f"example {number}: {said}") from None


def _of_sparse(matrix: Any) -> list[dict[int, float]]:
    rows = matrix.tocsr(copy=True)
    rows.sum_duplicates()
    ends = zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
    return [dict(zip((rows.indices[a:b] + 1).tolist(), rows.data[a:b].tolist(), strict=True)) for a, b in ends]
