"""Scores of parts of speech and chunk tags that are one decision: wrong ones of each, and those of chunks."""

from collections import namedtuple

import numpy as np

from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import chunks

Scores = namedtuple("Scores", (*chunks.Scores._fields, "tag_error", "chunk_error"))


def scores(judged: Judged) -> Scores:
    """The scores of decisions part of speech * number of chunk tags + chunk tag."""
    predicted, right, size = judged.predicted, judged.right, len(judged.problem.labels)
    tag_error = float(np.mean(predicted // size != right // size))
    predicted, right = predicted % size, np.where(right < 0, -1, right % size)
    of_chunks = chunks.scores(judged._replace(predicted=predicted, right=right))
    return Scores(*of_chunks, tag_error, float(np.mean(predicted != right)))
