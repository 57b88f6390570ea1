"""CoNLL-2000 chunking with CRF++'s template, 76,328 attributes: the chunking table of Bottou's ``sgd`` package.

Its README trains CRF++, ``crfsgd`` and ``crfasgd`` on attributes that occur three times or more: 1,679,700
weights. They minimise the sum of log losses and ||w||^2 / 2, which is our C = 1 (Bottou, Stochastic gradient
descent examples on toy problems, 2011).
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from structbench.datasets import conll2000
from structbench.datasets.fetching.download import File
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import chunking, columns, examples

LICENCE = (
    "distributed freely for the CoNLL-2000 shared task; the text is from the Wall Street Journal (Penn Treebank)"
)
REFERENCES = ("sang2000",)
SOURCES = (conll2000.CORPUS,)
STRUCTURE = "chain"
SCORES = ("chunks",)
LEAST = 3
encode = partial(chunking.encode, padded=True)
written, example = columns.written, examples.tagged


def load(files: Callable[[File], Path], *, sentences: int = 0, test_sentences: int = 0) -> Problem:
    """The shared task's train and test files, or their first ``sentences`` and ``test_sentences`` (0: all).

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    path = files(conll2000.CORPUS)
    learn, evaluate = conll2000.read(path, "train", sentences), conll2000.read(path, "test", test_sentences)
    return chunking.chunking_problem(learn, evaluate, padded=True, least=LEAST)
