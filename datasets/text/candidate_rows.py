"""Feature rows of n-best lists: hashed features, kept where they tell training candidates apart.

All features count relative to the first candidate's, which has none. This leaves p(y | x) the same, and only what
candidates differ in is stored. Column 0 is the first stage's log probability.
"""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.datasets.problems.problem import Vocabulary
from structbench.datasets.text.columns import numbered_cells
from structbench.datasets.text.first_stage import Lists

BUCKETS = 2**22
PRIME = 2147483629


def numbers_of(cells: list[str], known: list[str]) -> np.ndarray:
    """The cells as numbers: first the known ones, which are all different, in their order, then others."""
    return numbered_cells(known + cells)[len(known) :].astype(np.int64)


def rows(
    lists: Lists, indptr: np.ndarray, buckets: np.ndarray, values: np.ndarray, vocabulary: Vocabulary
) -> ft.Features:
    """A row a candidate: column 0, then one a known bucket. Features are compressed rows of buckets.

    If the vocabulary has none, they are training candidates, and it gets theirs, frequent ones first.
    """
    import scipy.sparse as sp

    if "buckets" not in vocabulary:
        often = np.bincount(buckets, minlength=BUCKETS)
        vocabulary["buckets"] = np.argsort(-often, kind="stable")[: np.count_nonzero(often)]
    used = vocabulary["buckets"]
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
