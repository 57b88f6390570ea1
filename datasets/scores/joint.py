"""Scores of joint part-of-speech and chunk tagging: the error of each, and precision, recall, F1 of chunks."""

from collections import namedtuple

import numpy as np

from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import chunks
from structbench.datasets.scores.labels.table import ByLabel

Scores = namedtuple("Scores", (*chunks.Scores._fields, "tag_error", "chunk_error"))


def scores(judged: Judged) -> Scores:
    """The scores of decisions part of speech * number of chunk tags + chunk tag."""
    size = len(judged.problem.labels)
    tag_error = float(np.mean(judged.predicted // size != gold_tags(judged)))
    of_chunks = chunk_tags(judged)
    return Scores(*chunks.scores(of_chunks), tag_error, float(np.mean(of_chunks.predicted != of_chunks.right)))


def by_label(judged: Judged) -> ByLabel:
    """The table of the types of chunks."""
    return chunks.by_label(chunk_tags(judged))


def gold_tags(judged: Judged) -> np.ndarray:
    """The gold parts of speech, also of tokens of which training never saw the chunk tag."""
    found = judged.right // len(judged.problem.labels)
    found[judged.right < 0] = coded([each.partition(" ")[0] for each in judged.unseen()], judged.problem.tags)[0]
    return found


def chunk_tags(judged: Judged) -> Judged:
    """The same predictions, of chunk tags alone."""
    size, gold = len(judged.problem.labels), judged.right % len(judged.problem.labels)
    found, unseen = coded([each.partition(" ")[2] for each in judged.unseen()], judged.problem.labels)
    gold[judged.right < 0] = found
    problem = judged.problem._replace(unseen=unseen)
    return judged._replace(problem=problem, predicted=judged.predicted % size, right=gold)
