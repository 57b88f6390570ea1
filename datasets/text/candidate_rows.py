"""Feature rows of n-best lists: hashed features, kept where they tell training candidates apart.

All features count relative to the first candidate's, which has none. This leaves p(y | x) the same, and only what
candidates differ in is stored. Column 0 is the first stage's log probability.
"""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.datasets.text.columns import numbered
from structbench.datasets.text.first_stage import Lists

BUCKETS = 2**22
PRIME = 2147483629


def numbers_of(cells: list[str], known: list[str]) -> np.ndarray:
    """The cells as numbers: first the known ones, which are all different, in their order, then others."""
    return numbered(known + cells)[len(known) :].astype(np.int64)


def used_buckets(column: np.ndarray) -> np.ndarray:
    """The buckets that have a column, in the order of columns: what ``columns_of_used`` takes."""
    used = np.flatnonzero(column >= 0)
    return used[np.argsort(column[used])]


def columns_of_used(used: np.ndarray) -> np.ndarray:
    """The column of each bucket, as ``columns_of``."""
    column = np.full(BUCKETS, -1)
    column[used] = 1 + np.arange(len(used))
    return column


def columns_of(buckets: np.ndarray) -> np.ndarray:
    """The column of each bucket, from 1 on, int64 (BUCKETS,). Frequent ones in training come first; -1: never."""
    often = np.bincount(buckets, minlength=BUCKETS)
    return columns_of_used(np.argsort(-often, kind="stable")[: np.count_nonzero(often)])


def rows(
    lists: Lists, indptr: np.ndarray, buckets: np.ndarray, values: np.ndarray, column: np.ndarray
) -> ft.Features:
    """A row a candidate: column 0, and the columns of its features. Features are compressed rows of buckets."""
    import scipy.sparse as sp

    columns = column[buckets]
    known = columns >= 0
    before = np.concatenate([[0], np.cumsum(known)])
    firsts = np.cumsum(lists.counts) - lists.counts
    first = lists.scores - np.repeat(lists.scores[firsts], lists.counts)
    shape = len(first), 1 + int((column >= 0).sum())
    others = sp.csr_array((values[known], columns[known], before[indptr]), shape=shape)
    return ft.sparse(
        others + sp.csr_array((first, np.zeros(len(first), int), np.arange(len(first) + 1)), shape=shape)
    )
