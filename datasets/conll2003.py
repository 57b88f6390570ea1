"""CoNLL-2003 named entities from your own licensed copy, ``conll2003:PATH``: nine tags, observed edges.

Tjong Kim Sang and De Meulder, Introduction to the CoNLL-2003 shared task: language-independent named entity
recognition, 2003. A line is a word, its part of speech, its chunk tag and its entity tag. Entity tags are in IOB1,
as distributed, or in IOB2. An empty line ends a sentence.
"""

from functools import partial
from typing import Any

from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import columns, examples, ner
from structbench.datasets.text.lines import numbered_lines

LICENCE = "your own copy: annotation free for research, text by agreement with Reuters and NIST"
STRUCTURE = "chain"
SCORES = ("chunks",)
written, example = columns.written, examples.words
COLUMNS = ("w", "pos", "chunk", "tag")
encode = partial(ner.encode, names=COLUMNS)


def load(
    files: Any, *, path: str, test: str | None = None, sentences: int = 0, test_sentences: int = 0
) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    ``sentences`` and ``test_sentences`` keep only the first sentences (0: all).

    Raises:
        UserError: A file cannot be read, or has fewer sentences. A line is malformed (names file, line and what
            was expected).
    """
    return ner.ner_problem(_read(path, sentences), None if test is None else _read(test, test_sentences))


def _read(path: str, count: int) -> columns.Sentences:
    text = "\n".join(line for _, line in numbered_lines(path))
    return ner.read(text, COLUMNS, path, count)
