"""CoNLL-2000 chunking: 8,936 + 2,012 sentences, 22 tags, a linear chain with 335,674 attributes, or segments.

Tjong Kim Sang and Buchholz 2000.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from structbench.datasets.fetching.download import File, of_nltk
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import chunking, columns, factorial_chains, lines, tasks, wordnet

LICENCE = (
    "distributed freely for the CoNLL-2000 shared task; the text is from the Wall Street Journal (Penn Treebank); "
    f"task=joint: {wordnet.LICENCE}"
)
REFERENCES = ("sang2000",)

CORPUS = of_nltk("conll2000", "01e65164f268366e7caa0db92332a1955d081908c87016e2c7640c3c5279b7cd", 2**20)
SOURCES = (CORPUS, *wordnet.FILES.values())
structure, scores, encode = tasks.structure, tasks.scores, tasks.encode
example = tasks.example
written = columns.written
MEMBER = "conll2000/{}.txt"

Task = Literal["chunks", "segments", "joint", "factorial", "words"]


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    task: Task = "chunks",
    max_length: Annotated[int, ">= 1"] = 8,
    tagset: factorial_chains.Tagset = "full",
    tune: bool = False,
) -> Problem:
    """The shared task's train and test files, or their first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        task: ``chunks`` is a linear chain over tags, ``segments`` a semi-Markov chain. ``joint`` has parts of
            speech and chunks at once from the words alone, ``factorial`` the same with a chain of each. ``words``
            has the parts of speech of word types from their letters.
        max_length: For segments, the largest length of a chunk, in tokens.
        tagset: For the factorial task, parts of speech as they are, or in twelve classes.
        tune: Train without the last tenth of the training sentences, and test on it.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences. An option is of another task.
    """
    path = files(CORPUS)
    splits = read(path, "train", sentences), read(path, "test", test_sentences)
    learn, evaluate = sampling.chosen("conll2000", *splits, sentences, test_sentences, tune)
    if task == "joint":
        lemmas = wordnet.load(files)
        learn, evaluate = (wordnet.add_column(sentences, lemmas) for sentences in (learn, evaluate))
    options = {"max_length": max_length, "tagset": tagset}
    problem = tasks.task_problem(load, task, learn, evaluate, "data set conll2000", **options)
    if task == "joint":
        problem = problem._replace(vocabulary=(problem.vocabulary or {}) | {"lemmas": lemmas})
    return problem


def read(path: Path, split: str, count: int) -> columns.Sentences:
    """The first ``count`` sentences (0: all) of a split, ``train`` or ``test``."""
    return chunking.read_chunks(*lines.of_member(path, MEMBER.format(split), 2**23), count)
