"""Toy English: chunks, entities or trees of sentences from a seeded grammar of our own, at any size.

Chunks have the columns and features of conll2000, entities those of conll2002, with observed edges. Dependency
trees have the ones of conllx, brackets the ones of treebank. ``datasets.toy.english`` is the language.
"""

import io
from typing import Annotated, Any, Literal

from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.problems.validation import parted
from structbench.datasets.text import (
    brackets,
    chunking,
    columns,
    dependencies,
    factorial_chains,
    ner,
    parsing,
    tasks,
    trees,
)
from structbench.datasets.toy import english

LICENCE = "generated here"
structure, scores, encode = tasks.structure, tasks.scores, tasks.encode
example, writer = tasks.example, tasks.writer
WRITERS = {  # of tasks that do not take the columns of conll2000
    "entities": english.write_conll2002,
    "skip-chains": english.write_conll2002,
    "dependencies": english.write_conllx,
    "brackets": english.write_brackets,
    "attachments": english.write_brackets,
}
STORY = 5  # sentences joined to one, for skip chains

Task = Literal[
    "chunks", "entities", "segments", "joint", "skip-chains", "factorial", "dependencies", "brackets", "words",
    "attachments",
]  # fmt: skip

Corpus = columns.Sentences | list[dependencies.Sentence] | list[trees.Node]


def load(
    files: Any,
    *,
    sentences: Annotated[int, ">= 1"] = 1000,
    test_sentences: Annotated[int, ">= 1"] = 500,
    seed: Annotated[int, ">= 0"] = 0,
    task: Task = "chunks",
    max_length: Annotated[int, ">= 1"] = 8,
    max_width: Annotated[int, ">= 1"] = 3,
    tagset: factorial_chains.Tagset = "full",
    features: parsing.Features = "mcdonald",
    structure: parsing.Structure = "projective",
    tune: bool = False,
    validation: str | None = None,
) -> Problem:
    """``sentences`` training and ``test_sentences`` test sentences; ``files`` is not used.

    More sentences of the same seed begin with these. Test sentences depend on the seed alone. All tasks have the
    same ones.

    Args:
        max_length: For segments, the largest length of a chunk, in tokens.
        max_width: For skip chains, leave out links that would make the graph of a sentence wider.
        tagset: For the factorial task, parts of speech as they are, or in twelve classes.
        features, structure: For dependencies, see ``parsing.problem``.
        tune: Train without the last tenth of the training sentences, and test on it.
        validation: For brackets, what is held out before the grammar is made, see ``problems.validation.parted``.

    Raises:
        UserError: An option is of another task.
    """
    learn = _read(sentences, seed, "train", task)
    evaluate = learn if tune else _read(test_sentences, seed, "test", task)
    learn, evaluate = sampling.chosen("toy-english", learn, evaluate, tune=tune)
    held = None
    if task == "brackets" and isinstance(learn, list):
        learn, held = parted(learn, validation)
    options = {"validation": held, "max_length": max_length, "max_width": max_width, "tagset": tagset}
    options |= {"features": features, "structure": structure}
    return tasks.task_problem(load, task, learn, evaluate, "data set toy-english", **options)


def _read(sentences: int, seed: int, part: str, task: Task) -> Corpus:
    source, lines = f"toy-english, {part}", text(sentences, seed, part, task)
    if task == "dependencies":
        return dependencies.read_trees(lines, source, single_root=True)
    if task in ("brackets", "attachments"):
        return brackets.read_brackets(lines, source)
    if task == "skip-chains":  # a sentence alone hardly ever has a name twice
        return ner.read(lines, ner.COLUMNS, source).joined(STORY)
    return ner.read(lines, ner.COLUMNS, source) if task == "entities" else chunking.read_chunks(lines, source)


def text(sentences: int, seed: int, part: str, task: Task = "chunks") -> str:
    """The lines of a corpus, ``part`` being train or test."""
    file = io.StringIO()
    WRITERS.get(task, english.write_conll2000)(file, sentences, seed, part)
    return file.getvalue()
