"""Scores of parts of speech and chunk tags that are decisions in turn: those of ``joint``, for each token."""

from collections import namedtuple

import numpy as np

from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import joint

Scores = namedtuple("Scores", ("error", *joint.Scores._fields))  # error: of tokens with either label wrong


def scores(judged: Judged) -> Scores:
    """The scores of decisions 2 t, the part of speech of token t, and 2 t + 1, its chunk tag."""
    predicted, right = (_codes(each, len(judged.problem.labels)) for each in (judged.predicted, judged.right))
    codes = judged._replace(predicted=predicted, right=right, starts=judged.starts // 2)
    return Scores(float(np.mean(predicted != right)), *joint.scores(codes))


def _codes(labels: np.ndarray, size: int) -> np.ndarray:
    tag, chunk = labels[::2], labels[1::2]
    return np.where((tag < 0) | (chunk < 0), -1, tag * size + chunk)
