"""What predictions cost where the data say the cost of each wrong label (``problems.costs``)."""

from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged


class Scores(NamedTuple):
    """``cost``: the mean over all decisions; a label that training never saw costs 1, whatever is predicted."""

    cost: float


def scores(judged: Judged) -> Scores:
    """The mean cost of the predicted labels."""
    seen = judged.right >= 0
    total = judged.split.costs[judged.right[seen], judged.predicted[seen]].sum() + np.count_nonzero(~seen)
    return Scores(float(total / len(judged.right)))
