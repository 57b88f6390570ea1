"""Toy English: chunking of sentences from a seeded grammar of our own, at any size, a linear chain.

The columns of CoNLL-2000 and the features that conll2000 has; ``datasets.base.english`` is the language.
"""

import io
from typing import Any

from datasets.base import english
from datasets.base.chunking import chunking_problem
from datasets.base.errors import UserError
from datasets.base.problem import Problem

LICENCE = "generated here"
SOURCES = ()


def load(files: Any, *, sentences: int = 1000, test_sentences: int = 500, seed: int = 0) -> Problem:
    """So many training and test sentences; ``files`` is not used.

    More sentences of the same seed begin with these, and test sentences depend on the seed alone.

    Raises:
        UserError: an option is out of range.
    """
    for name, count in (("sentences", sentences), ("test_sentences", test_sentences)):
        if count < 1:
            raise UserError(f"data set toy-english: {name} must be 1 or more, not {count}")
    if seed < 0:
        raise UserError(f"data set toy-english: seed must be 0 or more, not {seed}")
    return chunking_problem(
        text(sentences, seed, "train"),
        text(test_sentences, seed, "test"),
        train_name="toy-english, train",
        test_name="toy-english, test",
    )


def text(sentences: int, seed: int, part: str) -> str:
    """The lines of a corpus, ``part`` being train or test."""
    file = io.StringIO()
    english.write_conll2000(file, sentences, seed, part)
    return file.getvalue()
