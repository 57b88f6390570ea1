"""Named entities of CoNLL-2002 as skip chains: mentions of one capitalised word in a sentence are joined.

See Sutton and McCallum (2004), and ``datasets.text.skip_chains``. Sentences and splits are as in ``conll2002``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from structbench.datasets import conll2002
from structbench.datasets.fetching.download import File
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import examples, ner, skip_chains

LICENCE = conll2002.LICENCE
REFERENCES = ("sang2002", "sutton2004")
SOURCES = conll2002.SOURCES
STRUCTURE = "field"
SCORES = ("chunks",)
written, encode, example = ner.written, skip_chains.encode, examples.words


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    max_width: Annotated[int, ">= 1"] = 3,
) -> Problem:
    """The shared task's train and test files, or their first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        max_width: Leave out links that would make the graph of a sentence wider.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    return skip_chains.problem(*conll2002.splits(files, sentences, test_sentences), max_width)
