"""CoNLL-2002 Spanish named entities: 8,323 + 1,517 sentences, nine tags, a linear chain with observed edges.

Tjong Kim Sang, Introduction to the CoNLL-2002 shared task: language-independent named entity recognition,
2002. The training file is esp.train, the test file esp.testb; tags are IOB2.
"""

from collections.abc import Callable
from pathlib import Path

from structbench.datasets.fetching.download import File, of_nltk
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import columns, examples, lines, ner

LICENCE = (
    "for research in the context of the CoNLL-2002 shared task only, no commercial use; "
    "the text is from the news agency EFE"
)

CORPUS = of_nltk("conll2002", "64440e49236d0d393e08e0b266284966d68e2d2a82a50cc41b8e96d98c03b5c8", 2**21)
SOURCES = (CORPUS,)
STRUCTURE = "chain"
SCORES = ("chunks",)
written, encode, example = columns.written, ner.encode, examples.words
TRAIN, TEST = "conll2002/esp.train", "conll2002/esp.testb"


def load(files: Callable[[File], Path], *, sentences: int = 0, test_sentences: int = 0) -> Problem:
    """The shared task's train and test files, or their first ``sentences`` and ``test_sentences`` (0: all).

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    return ner.ner_problem(*splits(files, sentences, test_sentences))


def splits(
    files: Callable[[File], Path], sentences: int, test_sentences: int
) -> tuple[columns.Sentences, columns.Sentences]:
    """The sentences to train on and to test on. Arguments and errors are as for ``load``."""
    path = files(CORPUS)
    return _read(path, TRAIN, sentences), _read(path, TEST, test_sentences)


def _read(path: Path, member: str, count: int) -> columns.Sentences:
    text, source = lines.of_member(path, member, 2**23)
    return ner.read(text, ner.COLUMNS, source, count)
