"""Toy English: chunking or entities in sentences from a seeded grammar of our own, at any size, a linear chain.

Chunks have the columns and features of conll2000, entities those of conll2002, with observed edges;
``datasets.base.english`` is the language.
"""

import io
from typing import Any, Literal

from datasets.base import english, ner
from datasets.base.chunking import chunking_problem, read
from datasets.base.errors import UserError
from datasets.base.joint_tagging import joint_problem
from datasets.base.problem import Problem

LICENCE = "generated here"
SOURCES = ()
WRITERS = {
    "chunks": english.write_conll2000,
    "entities": english.write_conll2002,
    "joint": english.write_conll2000,
}
ENTITY_COLUMNS = ("w", "pos", "tag")

Task = Literal["chunks", "entities", "joint"]


def load(
    files: Any, *, sentences: int = 1000, test_sentences: int = 500, seed: int = 0, task: Task = "chunks"
) -> Problem:
    """So many training and test sentences; ``files`` is not used.

    More sentences of the same seed begin with these, and test sentences depend on the seed alone; both tasks
    have the same ones.

    Raises:
        UserError: an option is out of range.
    """
    for name, count in (("sentences", sentences), ("test_sentences", test_sentences)):
        if count < 1:
            raise UserError(f"data set toy-english: {name} must be 1 or more, not {count}")
    if seed < 0:
        raise UserError(f"data set toy-english: seed must be 0 or more, not {seed}")
    train, test = text(sentences, seed, "train", task), text(test_sentences, seed, "test", task)
    if task == "entities":
        return ner.ner_problem(
            ner.read(train, ENTITY_COLUMNS, "toy-english, train"),
            ner.read(test, ENTITY_COLUMNS, "toy-english, test"),
        )
    if task == "joint":
        return joint_problem(read(train, "toy-english, train"), read(test, "toy-english, test"))
    return chunking_problem(train, test, train_name="toy-english, train", test_name="toy-english, test")


def text(sentences: int, seed: int, part: str, task: Task = "chunks") -> str:
    """The lines of a corpus, ``part`` being train or test."""
    file = io.StringIO()
    WRITERS[task](file, sentences, seed, part)
    return file.getvalue()
