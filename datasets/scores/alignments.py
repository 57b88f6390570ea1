"""Scores of word alignments: precision and recall of links, and the alignment error rate (Och and Ney 2003)."""

from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged


class Scores(NamedTuple):
    """Shares in 0 .. 1, NaN where there is nothing to divide by. All right links are sure ones."""

    precision: float
    recall: float
    alignment_error: float


def scores(judged: Judged) -> Scores:
    """Scores of the partners of source words, from 1 on, 0 for none, against all links."""
    split, predicted = judged.split, judged.predicted
    targets = np.repeat(split.targets, np.diff(split.starts))
    first = np.cumsum(targets) - targets  # a source word's edge to target word 0
    linked = predicted > 0
    hits = int(split.links[(first + predicted - 1)[linked]].sum())
    counts = int(linked.sum()), int(split.links.sum()), (int(linked.sum()) + int(split.links.sum())) / 2
    precision, recall, both = (hits / count if count else float("nan") for count in counts)
    return Scores(precision, recall, 1 - both)
