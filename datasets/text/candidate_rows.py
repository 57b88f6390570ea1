"""Feature rows of n-best lists: hashed features, kept where they tell training candidates apart.

All features count relative to the first candidate's, which has none. This leaves p(y | x) the same, and only what
candidates differ in is stored. Column 0 is the first stage's log probability.
"""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.datasets.text.columns import numbered_cells
from structbench.datasets.text.first_stage import Lists

BUCKETS = 2**22
PRIME = 2147483629


def numbers_of(cells: list[str], known: list[str]) -> np.ndarray:
    """The cells as numbers: first the known ones, which are all different, in their order, then others."""
    return numbered_cells(known + cells)[len(known) :].astype(np.int64)


def used_buckets(buckets: np.ndarray) -> np.ndarray:
    """The buckets that features of training candidates have, frequent ones first."""
    often = np.bincount(buckets, minlength=BUCKETS)
    return np.argsort(-often, kind="stable")[: np.count_nonzero(often)]


def rows(
    lists: Lists, indptr: np.ndarray, buckets: np.ndarray, values: np.ndarray, used: np.ndarray
) -> ft.Features:
    """A row a candidate: column 0, then one a bucket of ``used``. Features are compressed rows of buckets."""
    import scipy.sparse as sp

    column = np.full(BUCKETS, -1)
    column[used] = 1 + np.arange(len(used))
    columns = column[buckets]
    known = columns >= 0
    before = np.concatenate([[0], np.cumsum(known)])
    firsts = np.cumsum(lists.counts) - lists.counts
    first = lists.scores - np.repeat(lists.scores[firsts], lists.counts)
    shape = len(first), 1 + len(used)
    others = sp.csr_array((values[known], columns[known], before[indptr]), shape=shape)
    return ft.sparse(
        others + sp.csr_array((first, np.zeros(len(first), int), np.arange(len(first) + 1)), shape=shape)
    )
