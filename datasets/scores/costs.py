"""Mean cost of predictions, for data sets with given misclassification costs (``problems.costs``)."""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.structures.costs import is_share
from structbench.datasets.problems.problem import Judged


class Scores(NamedTuple):
    """``cost``: the mean over all decisions; a label that training never saw costs 1, whatever is predicted.

    Where an output costs the share of its labels that are wrong, the mean over examples.
    """

    cost: float


def scores(judged: Judged) -> Scores:
    """The mean cost of the predicted labels, or outputs."""
    if is_share(judged.split.costs):
        wrong = np.add.reduceat(judged.right != judged.predicted, judged.starts[:-1], dtype=float)
        return Scores(float(np.mean(wrong / np.diff(judged.starts))))
    seen = judged.right >= 0
    total = judged.split.costs[judged.right[seen], judged.predicted[seen]].sum() + np.count_nonzero(~seen)
    return Scores(float(total / len(judged.right)))
