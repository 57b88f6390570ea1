"""Your own word alignments in Pharaoh's format: ``pharaoh:PATH``, with lines ``a b ||| x y ||| 0-1 1-0``.

A line is a pair: source words, target words and links source-target, numbered from 0, with ``|||`` between the
three. Words are separated by blanks. A pair may have no links. If a word has several links, a largest matching of
them is the gold output. The alignment error rate counts them all.
"""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.problems.validation import parted
from structbench.datasets.text import bitext, examples
from structbench.datasets.text.columns import WORD
from structbench.datasets.text.lines import decode, numbered_lines

LICENCE = "your own data"
REFERENCES = ("koehn2004",)
STRUCTURE = "matching"
SCORES = ("alignments",)
example = examples.pair

LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
LONGEST = 1000  # words: a pair of longer sentences has a million edges


def load(files: Any, *, path: str, test: str | None = None, validation: str | None = None) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    Args:
        validation: What is held out before words are counted, see ``problems.validation.parted``.

    Raises:
        UserError: A file cannot be read, has no pairs, or a malformed line (names file, line and what was
            expected).
    """
    learn, held = parted(_read(path), validation, _read)
    return bitext.alignment_problem(learn, None if test is None else _read(test), held)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, **_: Any) -> Unlabelled:
    """New pairs: source words and target words, maybe with links.

    Raises:
        UserError: A line is malformed.
    """
    text = decode(content, source).removesuffix("\n")
    lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
    unlabelled = ("|||".join([*line.split("|||")[:2], ""]) if "|||" in line else line for line in lines)
    pairs = _pairs(enumerate(unlabelled, 1), source)
    before = [" ".join([*pair.source, "|||", *pair.target, "||| "]) for pair in pairs]

    def labelled(_: int, found: np.ndarray) -> list[str]:
        return [" ".join(f"{j}-{partner - 1}" for j, partner in enumerate(found.tolist()) if partner)]

    return Unlabelled(bitext.encode(pairs, vocabulary), before, [""] * len(pairs), labelled=labelled, single=True)


def written(pairs: Iterable[tuple[Iterable[str], Iterable[str]]]) -> str:
    """Pairs of source words and target words as text.

    Raises:
        UserError: A side is a text, or a word has a blank or bars.
    """
    lines = []
    for pair in pairs:
        source, target = map(_written, pair)
        lines.append(f"{source} ||| {target}")
    return "\n".join(lines)


def _written(side: Iterable[str]) -> str:
    if isinstance(side, str):
        raise UserError(f"{side!r} is no side of a pair: expected a list of words")
    for word in (words := list(side)):
        if not (isinstance(word, str) and WORD.fullmatch(word) and "|||" not in word):
            raise UserError(f"{word!r} is no word of a pair: expected a word without blanks, line ends and |||")
    return " ".join(words)


def _read(path: str) -> list[bitext.Pair]:
    return _pairs(numbered_lines(path), path)


def _pairs(lines: Iterable[tuple[int, str]], source: str) -> list[bitext.Pair]:
    found = []
    for number, line in lines:
        try:
            found.append(_pair(line))
        except ValueError as error:
            raise UserError(f"{source}, line {number}: {error}") from None
    if not found:
        raise UserError(f"{source} has no pairs: expected lines of source words ||| target words ||| 0-0 1-2 ...")
    return found


def _pair(line: str) -> bitext.Pair:
    fields = [WORD.findall(field) for field in line.split("|||")]
    if len(fields) != 3:
        raise ValueError(
            f"expected source words ||| target words ||| links, found {len(fields)} "
            f"field{'s' if len(fields) > 1 else ''}: {line[:60]!r}"
        )
    for side, words in zip(("source", "target"), fields, strict=False):
        if not 1 <= len(words) <= LONGEST:
            raise ValueError(f"expected 1 to {LONGEST} {side} words, found {len(words)}")
    links = []
    for written in fields[2]:
        link = LINK.fullmatch(written)
        if not link:
            raise ValueError(f"expected a link source-target such as 0-1, found {written[:60]!r}")
        j, k = int(link[1]), int(link[2])
        if j >= len(fields[0]) or k >= len(fields[1]):
            raise ValueError(
                f"link {written} is out of range: there are {len(fields[0])} source and {len(fields[1])} target "
                "words, numbered from 0"
            )
        links.append((j, k))
    return bitext.Pair(fields[0], fields[1], links)
