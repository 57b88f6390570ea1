"""CoNLL-2003 named entities from your own licensed copy, ``conll2003:PATH``: nine tags, a chain, edge features.

Tjong Kim Sang and De Meulder 2003. A line is a word, its part of speech, its chunk tag and its entity tag. Entity
tags are in IOB1, as distributed, or in IOB2. An empty line ends a sentence.
"""

from functools import partial
from typing import Any

import numpy as np

from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import examples, ner
from structbench.datasets.text.lines import numbered_lines

LICENCE = "your own copy: annotation free for research, text by agreement with Reuters and NIST"
REFERENCES = ("sang2003",)
STRUCTURE = "chain"
SCORES = ("chunks",)
written, example = ner.written, examples.words
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
    text = _text(path)
    learn = ner.read(text, COLUMNS, path, sentences)
    evaluate = None if test is None else ner.read(_text(test), COLUMNS, test, test_sentences)
    articles = [k for k, line in enumerate(text.split("\n"), 1) if ner.ARTICLE.match(line)]
    firsts = np.array(learn.lines)[np.cumsum(learn.lengths) - learn.lengths]
    documents = np.searchsorted(articles, firsts)
    several = documents[0] < documents[-1]
    return ner.ner_problem(learn, evaluate)._replace(documents=documents if several else None)


def _text(path: str) -> str:
    return "\n".join(line for _, line in numbered_lines(path))
