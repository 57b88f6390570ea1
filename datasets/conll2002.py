"""CoNLL-2002 named entities, Spanish (8,323 + 1,517 sentences) or Dutch (15,806 + 5,195): nine tags, a chain.

Tjong Kim Sang 2002. The training file is esp.train or ned.train, the test file testb; tags are IOB2.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from structbench.datasets.fetching.download import File, of_nltk
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import columns, examples, lines, ner

LICENCE = (
    "for research in the context of the CoNLL-2002 shared task only, no commercial use; "
    "the text is from the news agency EFE, the Dutch one from the newspaper De Morgen"
)
REFERENCES = ("sang2002",)

CORPUS = of_nltk("conll2002", "64440e49236d0d393e08e0b266284966d68e2d2a82a50cc41b8e96d98c03b5c8", 2**21)
SOURCES = (CORPUS,)
STRUCTURE = "chain"
SCORES = ("chunks",)
written, encode, example = ner.written, ner.encode, examples.words
Language = Literal["spanish", "dutch"]
MEMBERS = {"spanish": "conll2002/esp.{}", "dutch": "conll2002/ned.{}"}


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    language: Language = "spanish",
    edges: bool = True,
) -> Problem:
    """The shared task's train and test files, or their first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        language: Of the text.
        edges: Observe edges, too; if not, transitions have one weight for each pair of tags.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    return ner.ner_problem(*splits(files, sentences, test_sentences, language), edges)


def splits(
    files: Callable[[File], Path], sentences: int, test_sentences: int, language: Language = "spanish"
) -> tuple[columns.Sentences, columns.Sentences]:
    """The sentences to train on and to test on. Arguments and errors are as for ``load``."""
    path, counts = files(CORPUS), {"train": sentences, "testb": test_sentences}
    texts = (lines.of_member(path, MEMBERS[language].format(part), 2**23) for part in counts)
    read = zip(texts, counts.values(), strict=True)
    learn, evaluate = (ner.read(text, ner.COLUMNS, source, count) for (text, source), count in read)
    return learn, evaluate
