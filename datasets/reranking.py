"""Reranking: the n-best lists of a chain that chunks CoNLL-2000, as candidates with features of whole taggings.

Models trained on the other folds give the lists of training sentences. A model trained on all gives the lists of
test sentences. Else the first stage would be surer of what it has seen (Collins 2000). See
``datasets.text.first_stage`` and ``datasets.text.chunk_candidates``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from structbench.datasets import conll2000, toy_english
from structbench.datasets.fetching.download import File
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import chunk_candidates, chunking, columns, examples, first_stage

LICENCE = conll2000.LICENCE
REFERENCES = ("collins2000", "sang2000")
SOURCES = (conll2000.CORPUS,)
STRUCTURE = "candidates"
SCORES = ("chunks", "lists")
written, example = columns.written, examples.tagged


def load(
    files: Callable[[File], Path],
    *,
    corpus: Literal["conll2000", "toy-english"] = "conll2000",
    sentences: Annotated[int, ">= 0"] = 0,
    test_sentences: Annotated[int, ">= 0"] = 0,
    k: Annotated[int, ">= 1"] = 100,
    folds: Annotated[int, ">= 2"] = 5,
) -> Problem:
    """Candidates of the corpus's sentences, or of its first ones (0: all; of toy-english 1000 and 500).

    Args:
        k: The most candidates of a sentence. A sentence with fewer taggings has all of them.
        folds: Of the cross-validation that makes the training lists.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences. An option is out of range.
    """
    learn = _read(files, corpus, "train", sentences)
    evaluate = _read(files, corpus, "test", test_sentences)
    problem = chunking.chunking_problem(learn, evaluate)
    lists, of_test, w = first_stage.lists(problem, k, folds)
    known: Vocabulary = {}
    train = chunk_candidates.encode_candidates(learn, lists, problem.train.y, problem.labels, known)
    test = chunk_candidates.encode_candidates(evaluate, of_test, problem.test.y, problem.labels, known)
    vocabulary = known | (problem.vocabulary or {}) | {"first stage": w}
    return Problem(train, test, problem.labels, vocabulary=vocabulary, unseen=problem.unseen)


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, *, k: int, **_: Any
) -> Unlabelled:
    """New sentences in the columns word, part of speech and, maybe, tag: the first stage lists their taggings.

    Raises:
        UserError: A line is malformed.
    """
    sentences = chunking.read_unlabelled(content, source)
    found = chunking.encode_sentences(sentences, labels, vocabulary)
    lists = first_stage.best_lists(found.split, vocabulary["first stage"], k)
    unknown = np.full(len(sentences.lines), -1)
    return found._replace(split=chunk_candidates.encode_candidates(sentences, lists, unknown, labels, vocabulary))


def _read(files: Callable[[File], Path], corpus: str, part: str, count: int) -> columns.Sentences:
    if corpus == "toy-english":
        written = toy_english.text(count or {"train": 1000, "test": 500}[part], 0, part)
        return chunking.read_chunks(written, f"toy-english, {part}")
    return conll2000.read(files(conll2000.CORPUS), part, count)
