"""CoNLL-2000 chunking: 8,936 + 2,012 sentences, 22 tags, 335,674 attributes, a linear chain.

Sang and Buchholz, Introduction to the CoNLL-2000 shared task: chunking, 2000.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from datasets.base import archives, columns
from datasets.base.chunking import chunking_problem, read
from datasets.base.fetch import File
from datasets.base.joint_tagging import joint_problem
from datasets.base.problem import Problem
from datasets.base.sources import Url

LICENCE = (
    "distributed freely for the CoNLL-2000 shared task; the text is from the Wall Street Journal (Penn Treebank)"
)

CORPUS = File(
    "conll2000.zip",
    "01e65164f268366e7caa0db92332a1955d081908c87016e2c7640c3c5279b7cd",
    2**20,
    (Url("https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/conll2000.zip"),),
)
SOURCES = (CORPUS,)
MEMBER = "conll2000/{}.txt"

Task = Literal["chunks", "joint"]


def load(
    files: Callable[[File], Path], *, sentences: int = 0, test_sentences: int = 0, task: Task = "chunks"
) -> Problem:
    """The shared task's train and test files, or their first so many sentences (0: all).

    Raises:
        UserError: the file cannot be had, or holds fewer sentences.
    """
    path = files(CORPUS)
    if task == "joint":
        return joint_problem(
            read(text(path, "train"), f"{path}:{MEMBER.format('train')}", sentences),
            read(text(path, "test"), f"{path}:{MEMBER.format('test')}", test_sentences),
        )
    return chunking_problem(
        text(path, "train"),
        text(path, "test"),
        train_name=f"{path}:{MEMBER.format('train')}",
        test_name=f"{path}:{MEMBER.format('test')}",
        sentences=sentences,
        test_sentences=test_sentences,
    )


def text(path: Path, split: str) -> str:
    """The contents of the corpus's file of a split, ``train`` or ``test``."""
    member = MEMBER.format(split)
    return columns.decode(archives.read_member(path, member, 2**23), f"{path}:{member}")
