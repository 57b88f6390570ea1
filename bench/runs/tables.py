"""Read tables of tokens, DataFrames with a row a token, as sentences."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text.columns import WORD

if TYPE_CHECKING:
    import pandas as pd

SENTENCE = "sentence"  # the column that says which tokens belong together


def is_table(data: Any) -> "TypeGuard[pd.DataFrame]":
    """Whether it is a DataFrame, without an import of pandas."""
    return hasattr(data, "columns") and hasattr(data, "groupby")


def refuse_table(given: Any, name: str, instead: str) -> None:
    """Raise a UserError if what is iterated over is a DataFrame, which would give the names of its columns."""
    if is_table(given):
        raise UserError(f"{name} is a DataFrame: {instead}")


def with_texts_as_names(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table with texts as the names of its columns; raises a UserError if it has one twice."""
    names = [str(name) for name in table.columns]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"the DataFrame has the column {twice[0]!r} twice: give each column a name of its own")
    return table.set_axis(names, axis=1)


def sentences(table: "pd.DataFrame", names: list[str]) -> list[list[tuple[str, ...]]]:
    """The tokens of each sentence, which have the cells of these columns. Whole numbers become words.

    Raises:
        UserError: A column is missing, or a cell is no word. A sentence has no number, or one that is taken.
    """
    table = with_texts_as_names(table)
    if missing := [name for name in (SENTENCE, *names) if name not in table.columns]:
        raise UserError(
            f"the DataFrame has the columns {', '.join(table.columns)}: it needs {', '.join(missing)}, too"
        )
    if table[SENTENCE].isna().to_numpy().any():
        raise UserError(f"the column {SENTENCE} has empty cells: expected the number of each token's sentence")
    numbers = table[SENTENCE].to_numpy()
    if not len(numbers):
        raise UserError("the DataFrame has no rows: expected a row a token")
    begins = np.flatnonzero(np.append([True], numbers[1:] != numbers[:-1])).tolist()
    known = dict[Any, int]()
    for row in begins:
        if (first := known.setdefault(numbers[row], row)) != row:
            raise UserError(
                f"sentence {numbers[row]} begins in row {first} and again in row {row}: give each sentence a "
                "number of its own"
            )
    tokens = [*zip(*(_cells(table, name) for name in names), strict=True)]
    return [tokens[begin:end] for begin, end in pairwise([*begins, len(tokens)])]


def _cells(table: "pd.DataFrame", name: str) -> list[str]:
    if (empty := table[name].isna().to_numpy()).any():
        raise UserError(f"row {empty.argmax()}, column {name}, is empty: expected a word")
    cells = [str(cell) if isinstance(cell, int | np.integer | np.bool_) else cell for cell in table[name].tolist()]
    for row, cell in enumerate(cells):
        if not (isinstance(cell, str) and WORD.fullmatch(cell)):
            said = f"row {row}, column {name}: {cell!r} is no cell of a token"
            raise UserError(f"{said}: expected a word without blanks and line ends")
    return cells
