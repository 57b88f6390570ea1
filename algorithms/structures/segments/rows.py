"""The candidate segments of a sequence: all its stretches of at most ``max_length`` tokens, numbered.

Candidates that begin at the first token come first, the shortest before the others. Then come those that begin at
the second token, and so on.
"""

import numpy as np

from structbench.algorithms.runtime.arrays import starts_of
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel


@kernel
def rows_before(t, length, max_length):
    """How many candidates of a sequence of ``length`` tokens begin before token t; t = length counts them all."""
    most = min(max_length, length)
    shorter = max(0, t - 1 - (length - most))  # that many beginnings lack 1, 2, ... candidates
    return t * most - shorter * (shorter + 1) // 2


def row_starts(lengths: np.ndarray, rows: int, max_length: int) -> np.ndarray:
    """Where the candidates of each sequence begin among all rows, int64 (n + 1,).

    Raises:
        UserError: there are not as many rows as candidates.
    """
    most = np.minimum(lengths, max_length)
    starts = starts_of(lengths * most - most * (most - 1) // 2)
    if rows != starts[-1]:
        raise UserError(
            f"sequences of these lengths have {starts[-1]} segments of at most {max_length} tokens, "
            f"but there are {rows} rows"
        )
    return starts


def candidates(lengths: np.ndarray, max_length: int) -> tuple[np.ndarray, np.ndarray]:
    """First token and length of every candidate of all sequences, in the order of the rows of features.

    Tokens are counted over all sequences: sequence i begins at the sum of the lengths before it.
    """
    lengths = np.asarray(lengths, np.int64)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(lengths.sum())  # tokens until the sequence's end
    here = np.minimum(left, max_length)
    first = np.repeat(np.arange(len(here)), here)
    return first, np.arange(len(first)) - np.repeat(np.cumsum(here) - here, here) + 1
