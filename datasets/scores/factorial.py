"""Scores of factorial chains, whose labels are in turn a token's part of speech and its chunk tag."""

from collections import namedtuple

import numpy as np

from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import chunks, joint
from structbench.datasets.scores.labels.table import ByLabel

Scores = namedtuple("Scores", ("error", *joint.Scores._fields))  # error: of tokens with either label wrong


def scores(judged: Judged) -> Scores:
    """The scores of decisions 2 t, the part of speech of token t, and 2 t + 1, its chunk tag."""
    wrong = judged.predicted != judged.right
    errors = (float(np.mean(each)) for each in (wrong[::2], wrong[1::2]))
    return Scores(float(np.mean(wrong[::2] | wrong[1::2])), *chunks.scores(chunk_tags(judged)), *errors)


def by_label(judged: Judged) -> ByLabel:
    """The table of the types of chunks."""
    return chunks.by_label(chunk_tags(judged))


def chunk_tags(judged: Judged) -> Judged:
    """The same predictions, of chunk tags alone."""
    of_chunk = np.flatnonzero(judged.right < 0) % 2 == 1
    unseen = tuple(label for label, kept in zip(judged.unseen(), of_chunk.tolist(), strict=True) if kept)
    one = judged._replace(predicted=judged.predicted[1::2], right=judged.right[1::2], starts=judged.starts // 2)
    return one._replace(problem=judged.problem._replace(unseen=unseen))
