"""Scores of dependency trees without labels: right heads, with and without punctuation, roots, whole trees."""

from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged


class Scores(NamedTuple):
    """Shares in 0 .. 1; NaN where there is nothing to divide by.

    ``attachment``: of tokens with the right head; ``word_attachment``: the same of those that are not punctuation,
    as CoNLL-X counts; ``right_roots``: of sentences in which the tokens under the root are the right ones;
    ``right_trees``: of sentences all of whose heads are right, those of punctuation included. The last two are
    Root and Complete of McDonald, Crammer and Pereira, Online large-margin training of dependency parsers, 2005.
    """

    attachment: float
    word_attachment: float
    right_roots: float
    right_trees: float


def scores(judged: Judged) -> Scores:
    """Scores of the heads of all tokens: each one's number within its sentence, from 1 on, or 0 under the root."""
    predicted, right, punctuation = judged.predicted, judged.right, judged.of_split(judged.problem.punctuation)
    heads = predicted == right
    roots = (predicted == 0) == (right == 0)
    roots, trees = (np.logical_and.reduceat(each, judged.starts[:-1]) for each in (roots, heads))
    judged_by = heads, heads[~punctuation], roots, trees
    return Scores(*(float(good.mean()) if good.size else float("nan") for good in judged_by))
