"""Dependency labels to predict on given Spanish trees of CoNLL-X, in place of l1m3n2009's web data.

The sentences come from ``conll2007``. The trees are given, and the labels of their arcs are to be found. As in
l1m3n2009, section 5.4, models train on a random percentage of the training sentences: ``share`` and ``draw``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from structbench.datasets import conll2007
from structbench.datasets.fetching.download import File
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import relations

LICENCE = conll2007.LICENCE
REFERENCES = ("buchholz2006", "civit2002")
SOURCES = conll2007.SOURCES
STRUCTURE = "tree"
SCORES = ("attributes",)
encode = relations.encode


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    tune: bool = False,
    share: sampling.Share = 100,
    draw: Annotated[int, ">= 0"] = 0,
) -> Problem:
    """The training and validation sentences, or their first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        tune: Train without the last tenth of the training sentences, and test on it.
        share: Percent of the training sentences to train on, drawn at random. A larger share of the same draw
            contains the smaller ones.
        draw: Which draw, from 0 on.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    learn, evaluate = conll2007.splits(files, sentences, test_sentences, tune)
    chosen = sampling.drawn(len(learn), share, draw)
    return relations.problem([learn[i] for i in chosen], evaluate)
