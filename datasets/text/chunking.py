"""Chunking in the columns of CoNLL-2000 (word, part of speech, chunk tag), as a linear chain."""

import re
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import columns, token_chains
from structbench.datasets.text.lines import decode
from structbench.datasets.text.token_chains import Templates

COLUMNS = ("w", "pos", "chunk")
TAG = re.compile(r"O|[BI]-.+")

# The features of CRFsuite's published chunking example (Okazaki, CRFsuite tutorial, 2011).
TEMPLATES = (
    *("w[-2]", "w[-1]", "w[0]", "w[1]", "w[2]", "w[-1]|w[0]", "w[0]|w[1]"),
    *("pos[-2]", "pos[-1]", "pos[0]", "pos[1]", "pos[2]"),
    *("pos[-2]|pos[-1]", "pos[-1]|pos[0]", "pos[0]|pos[1]", "pos[1]|pos[2]"),
    *("pos[-2]|pos[-1]|pos[0]", "pos[-1]|pos[0]|pos[1]", "pos[0]|pos[1]|pos[2]"),
)


def read_chunks(text: str, source: str, count: int = 0) -> columns.Sentences:
    """The first ``count`` sentences (0: all) of a file in the columns of CoNLL-2000.

    Raises:
        UserError: A line is malformed, a tag is not O, B-type or I-type, or there are too few sentences.
    """
    sentences = columns.read_columns(text, COLUMNS, source)
    for tag, line in zip(sentences.columns["chunk"], sentences.lines, strict=True):
        if not TAG.fullmatch(tag):
            raise UserError(f"{source}, line {line}: expected a chunk tag O, B-type or I-type, found {tag[:60]!r}")
    return sampling.first(sentences, count, source)


def may_follow(before: str, tag: str) -> bool:
    """I-X continues B-X or I-X; all other tags may follow any."""
    return not tag.startswith("I-") or before in (f"B-{tag[2:]}", tag)


def refuse_broken(sentences: columns.Sentences) -> None:
    """Nothing, if all chunks begin with B-.

    Raises:
        UserError: A tag I- continues no chunk; names the source and the line.
    """
    firsts, tags = sentences.first_tokens, sentences.columns["chunk"]
    for t, tag in enumerate(tags):
        before = "O" if t in firsts else tags[t - 1]
        if not may_follow(before, tag):
            where = "the sentence begins" if t in firsts else f"{before} is before it"
            raise UserError(
                f"{sentences.source}, line {sentences.lines[t]}: chunk tag {tag} continues nothing: expected "
                f"B-{tag[2:]} or {tag} before it, but {where}"
            )


def chunking_problem(
    learn: columns.Sentences, evaluate: columns.Sentences, *, padded: bool = False, least: int = 1
) -> Problem:
    """The problem of what ``read_chunks`` gives, a chain of ``token_chains``.

    ``padded`` and ``least``: as CRF++ has it, without marks of the ends, see ``templates.extract``.
    """
    labels, used = tuple(sorted(set(learn.columns["chunk"]))), Templates(TEMPLATES, padded=padded)
    return token_chains.chain_problem(learn, evaluate, "chunk", labels, used, least)


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, *, padded: bool = False, **_: Any
) -> Unlabelled:
    """New sentences for a model of ``chunking_problem``, in the columns word, part of speech and, maybe, tag.

    Raises:
        UserError: A line is malformed.
    """
    return encode_sentences(read_unlabelled(content, source), labels, vocabulary, padded)


def read_unlabelled(content: bytes, source: str) -> columns.Sentences:
    """New sentences in the columns word, part of speech and, maybe, tag, which is not read.

    Raises:
        UserError: A line is malformed.
    """
    return columns.read_unlabelled(decode(content, source), COLUMNS, 2, source)


def encode_sentences(
    sentences: columns.Sentences, labels: tuple[str, ...], vocabulary: Vocabulary, padded: bool = False
) -> Unlabelled:
    """What ``read_unlabelled`` gives, for a model of ``chunking_problem``."""
    used = Templates(TEMPLATES, padded=padded)
    return token_chains.encode_tokens(sentences, labels, vocabulary, used, sentences.written)
