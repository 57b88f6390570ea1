"""Require features of 0 or more, which generative models and iterative scaling need."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts


def require_non_negative(split: Any, algorithm: str) -> None:
    """Check that no feature of any example is below 0.

    Raises:
        UserError: one is; names its row and column.
    """
    for x in features_of(parts.unwrap(split)):
        values = x.dense if x.kind == ft.DENSE else x.values
        if values.size and values.min() < 0:
            place = int(values.argmin())
            if x.kind == ft.DENSE:
                row, column = divmod(place, values.shape[1])
            else:
                row, column = int(np.searchsorted(x.indptr, place, side="right")) - 1, int(x.indices[place])
            raise UserError(
                f"{algorithm} needs features of 0 or more, as counts are: feature {column} (from 0) is "
                f"{values.min():g} in row {row} of the training data"
            )


def features_of(structure: Any) -> Iterator[ft.Features]:
    """All feature rows that a structure holds."""
    return (value for value in structure if isinstance(value, ft.Features))
