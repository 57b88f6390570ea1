"""Relations of words to their heads on the given Spanish trees of CoNLL-X: a real twin of l1m3n2009's web data.

The sentences are those of ``conll2007``; the trees are given, and the labels of their arcs are to be found. As in
l1m3n2009, section 5.4, models learn from a percentage of the training sentences, drawn at random: ``share`` and
``draw``.
"""

from collections.abc import Callable
from pathlib import Path

from structbench.datasets import conll2007
from structbench.datasets.fetching.download import File
from structbench.datasets.problems.problem import Problem
from structbench.datasets.problems.sampling import drawn
from structbench.datasets.text import relations

LICENCE = conll2007.LICENCE
SOURCES = conll2007.SOURCES
STRUCTURE = "tree"


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    tune: bool = False,
    share: int = 100,
    draw: int = 0,
) -> Problem:
    """The training and validation sentences, or their first so many (0: all).

    Args:
        tune: test on the last tenth of the training sentences, which then is not learned from.
        share: percent of the training sentences that are learned from, drawn at random; those of a smaller share
            are among those of a larger one of the same draw.
        draw: which draw, from 0 on.

    Raises:
        UserError: the file cannot be had, or holds fewer sentences; an option is out of range.
    """
    learn, evaluate = conll2007.splits(files, sentences, test_sentences, tune)
    chosen = drawn(len(learn), share, draw)
    return relations.problem([learn[i] for i in chosen], evaluate)
