"""What lists of candidates allow: the scores of the first candidates, and of those of least loss (the oracle)."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import ranges
from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import chunks


class Scores(NamedTuple):
    """Shares of wrong decisions, F1 of chunks (NaN if the labels are no chunk tags); no weights matter."""

    first_error: float
    first_f1: float
    oracle_error: float
    oracle_f1: float


def scores(judged: Judged) -> Scores:
    """Scores of two choices in each list: the first candidate, and the first of those of least loss."""
    split, found = judged.split, []
    right = judged._replace(right=split.right, starts=split.output_starts, counts=None)
    for choice in (np.zeros_like(split.y), split.y):
        chosen = chosen_labels(split, choice)
        found.append(float(np.mean(chosen != split.right)))
        found.append(chunks.scores(right._replace(predicted=chosen)).f1)
    return Scores(*found)


def chosen_labels(split: Any, choice: np.ndarray) -> np.ndarray:
    """The labels at all decisions of candidate choice[i] of each example i."""
    lengths = np.diff(split.output_starts)
    first = split.listed_starts[:-1] + choice * lengths
    bounds = np.stack([first, first + lengths], axis=1).ravel()
    return split.listed[ranges(bounds, 2 * np.arange(len(choice)))]
