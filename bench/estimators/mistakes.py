"""What may be wrong with rows of numbers that users give."""

from collections.abc import Iterable
from typing import Any

import numpy as np


def is_row_of_a_table(token: Any) -> bool:
    """Whether it is a list of texts that are all numbers, and not all whole numbers, which may be names."""
    if not isinstance(token, list) or not all(isinstance(each, str) for each in token):
        return False
    return not any(map(is_no_number, token)) and not all(each.strip().isdigit() for each in token)


def ragged(rows: Any) -> str:
    """Says which of these rows, of which numpy makes no array, is longer or shorter than the first."""
    lengths = [len([*row]) if isinstance(row, Iterable) else 1 for row in rows]
    odd = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is None:
        return "expected rows of numbers, found lists within rows"
    return f"expected rows of the same length: row 0 has {lengths[0]} values, row {odd} has {lengths[odd]}"


def is_no_number(value: Any) -> bool:
    """Whether it is nothing that ``float`` takes."""
    try:
        float(value)
    except (TypeError, ValueError):
        return True
    return False


def plain(value: Any) -> Any:
    """A number of Python's, or what else it is."""
    return value.item() if isinstance(value, np.generic) else value
