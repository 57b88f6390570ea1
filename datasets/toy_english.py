"""Toy English: chunks, entities or parse trees of sentences from a seeded grammar of our own, at any size.

Chunks have the columns and features of conll2000, entities those of conll2002, with observed edges, brackets those
of treebank; ``datasets.toy.english`` is the language.
"""

import io
from typing import Any, Literal

from algorithms.runtime.errors import UserError
from datasets.parsing.problem import Options, parsing_problem
from datasets.problems.problem import Problem
from datasets.text import brackets, chunking, columns, ner, tasks
from datasets.toy import english

LICENCE = "generated here"
SOURCES = ()
WRITERS = {
    "chunks": english.write_conll2000,
    "entities": english.write_conll2002,
    "segments": english.write_conll2000,
    "joint": english.write_conll2000,
    "brackets": english.write_brackets,
}
ENTITY_COLUMNS = ("w", "pos", "tag")

OWNER = "data set toy-english"

Task = Literal["chunks", "entities", "segments", "joint", "brackets"]


def structure(*, task: Task, **_: Any) -> str:
    """The id of the structure of a task's problem."""
    return "forest" if task == "brackets" else tasks.structure(task=task)


def load(
    files: Any,
    *,
    sentences: int = 1000,
    test_sentences: int = 500,
    seed: int = 0,
    task: Task = "chunks",
    max_length: int = 8,
    tune: bool = False,
) -> Problem:
    """So many training and test sentences; ``files`` is not used.

    More sentences of the same seed begin with these, and test sentences depend on the seed alone; all tasks
    have the same ones.

    Args:
        max_length: of a chunk, in tokens, where the task is segments.
        tune: test on the last tenth of the training sentences, which then is not learned from.

    Raises:
        UserError: an option is out of range or of another task.
    """
    for name, count in (("sentences", sentences), ("test_sentences", test_sentences)):
        if count < 1:
            raise UserError(f"{OWNER}: {name} must be 1 or more, not {count}")
    if seed < 0:
        raise UserError(f"{OWNER}: seed must be 0 or more, not {seed}")
    if task == "brackets":
        tasks.refuse_others(load, task, OWNER, max_length=max_length)
        return _parsing(sentences, test_sentences, seed, tune)
    learn = _read(sentences, seed, "train", task)
    learn, evaluate = learn.held_out() if tune else (learn, _read(test_sentences, seed, "test", task))
    return tasks.task_problem(load, task, learn, evaluate, OWNER, max_length=max_length)


def _parsing(sentences: int, test_sentences: int, seed: int, tune: bool) -> Problem:
    learn = brackets.read(text(sentences, seed, "train", "brackets"), "toy-english, train")
    if tune:
        kept = len(learn) - max(1, len(learn) // 10)
        learn, evaluate = learn[:kept], learn[kept:]
    else:
        evaluate = brackets.read(text(test_sentences, seed, "test", "brackets"), "toy-english, test")
    return parsing_problem(learn, evaluate, Options(), OWNER)


def _read(sentences: int, seed: int, part: str, task: Task) -> columns.Sentences:
    source, lines = f"toy-english, {part}", text(sentences, seed, part, task)
    return ner.read(lines, ENTITY_COLUMNS, source) if task == "entities" else chunking.read(lines, source)


def text(sentences: int, seed: int, part: str, task: Task = "chunks") -> str:
    """The lines of a corpus, ``part`` being train or test."""
    file = io.StringIO()
    WRITERS[task](file, sentences, seed, part)
    return file.getvalue()
