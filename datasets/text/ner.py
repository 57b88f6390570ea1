"""Named entities in CoNLL columns, as a linear chain over nine tags with observed edge features.

eg2004, section 5, has these features. A node has the word, its capitalisation and morphology, and the same of the
words before and after. An edge has the two words and the same of both, and the words around them.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import columns, token_chains
from structbench.datasets.text.lines import decode
from structbench.datasets.text.token_chains import Templates

COLUMNS = ("w", "pos", "tag")  # of conll2002
TYPES = ("PER", "ORG", "LOC", "MISC")
LABELS = ("O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI"))

ARTICLE = re.compile(r"^-DOCSTART-.*$", re.MULTILINE)
RUN = re.compile(r"(.)\1+")
NUMERAL = re.compile(r"\d[\d.,:/-]*")


def capitalisation(word: str) -> str | None:
    """``upper``, ``initial``, ``mixed`` or ``lower``; None for a word without letters."""
    if word.isupper() and len(word) > 1:
        return "upper"
    if word[:1].isupper() and word[1:] == word[1:].lower():
        return "initial"
    if word != word.lower():
        return "mixed"
    return "lower" if word != word.upper() else None


def shape(word: str) -> str:
    """Letters as X or x and digits as 0, one for each run of them: ``Xx-0`` for "Boeing-747"."""
    return RUN.sub(r"\1", "".join(_kind(character) for character in word))


def _kind(character: str) -> str:
    if character.isupper():
        return "X"
    if character.isalpha():
        return "x"
    return "0" if character.isdigit() else character


def digits(word: str) -> str | None:
    """Whether a word is a numeral or has a digit; None if not."""
    if NUMERAL.fullmatch(word):
        return "all"
    return "some" if any(map(str.isdigit, word)) else None


# What a word gives in addition to itself; None gives no feature. Affixes are shorter than the word.
MORPHOLOGY: dict[str, Callable[[str], str | None]] = {
    "capitalisation": capitalisation,
    "shape": shape,
    "digits": digits,
    "hyphen": lambda word: "inside" if "-" in word[1:-1] else None,
    "prefix2": lambda word: word[:2].lower() if len(word) > 2 else None,
    "prefix3": lambda word: word[:3].lower() if len(word) > 3 else None,
    "suffix2": lambda word: word[-2:].lower() if len(word) > 2 else None,
    "suffix3": lambda word: word[-3:].lower() if len(word) > 3 else None,
}
MORPHOLOGY = {name: lru_cache(1 << 16)(of_word) for name, of_word in MORPHOLOGY.items()}  # words come again
NODES = tuple(f"{name}[{offset}]" for offset in (-1, 0, 1) for name in ("w", *MORPHOLOGY))
EDGES = (*(f"{name}[{offset}]" for offset in (-1, 0) for name in ("w", *MORPHOLOGY)), "w[-2]", "w[1]")


def read(text: str, names: tuple[str, ...], source: str, count: int = 0) -> columns.Sentences:
    """The first ``count`` sentences (0: all), with tags in IOB2; ``names`` has the columns "w" and "tag".

    The tags may be IOB1 or IOB2. In IOB1 a chunk begins with B- only after a chunk of its type, in IOB2 each one
    does. Lines of -DOCSTART-, which begin an article, are left out.

    Raises:
        UserError: A line is malformed, or a tag is not one of ``LABELS``. A sentence is too long, or there are too
            few sentences.
    """
    sentences = columns.read_columns(ARTICLE.sub("", text), names, source)
    tags = sentences.columns["tag"]
    for tag, line in zip(tags, sentences.lines, strict=True):
        if tag not in LABELS:
            raise UserError(
                f"{source}, line {line}: expected an entity tag, O or B- or I- with one of {', '.join(TYPES)}, "
                f"found {tag[:60]!r}"
            )
    sentences.columns["tag"] = iob2(tags, sentences.lengths)
    return sampling.first(sentences, count, source)


def iob2(tags: list[str], lengths: np.ndarray) -> list[str]:
    """The same chunks with B- on the first token of each; tags in IOB2 stay as they are.

    Source: Tjong Kim Sang and Veenstra, Representing text chunks, 1999.
    """
    starts, made = {*np.cumsum(lengths).tolist()}, []
    for k, (before, tag) in enumerate(pairwise(["O", *tags])):
        begins = tag.startswith("I-") and (k in starts or before[1:] != tag[1:])
        made.append(f"B{tag[1:]}" if begins else tag)
    return made


def ner_problem(train: columns.Sentences, test: columns.Sentences | None, observed: bool = True) -> Problem:
    """The problem of what ``read`` gives, a chain of ``token_chains``. ``observed``: edges have features."""
    evaluate, used = None if test is None else with_morphology(test), Templates(NODES, EDGES if observed else ())
    return token_chains.chain_problem(with_morphology(train), evaluate, "tag", LABELS, used)


def encode(
    content: bytes,
    source: str,
    labels: tuple[str, ...],
    vocabulary: Vocabulary,
    *,
    names: tuple[str, ...] = COLUMNS,
    **_: Any,
) -> Unlabelled:
    """New sentences for a model of ``ner_problem``; of the columns ``names`` only the first, the word, is needed.

    Raises:
        UserError: A line is malformed.
    """
    sentences = read_unlabelled(content, source, names)
    words = sentences._replace(columns={"w": sentences.columns["w"]}).with_word_features(**MORPHOLOGY)
    used = Templates(NODES, EDGES if "edges" in vocabulary else ())
    before, after = around(content, source, sentences)
    return token_chains.encode_tokens(words, labels, vocabulary, used, before)._replace(after=after)


def written(sentences: Iterable[Iterable[str | tuple[str, ...]]]) -> str:
    """Sentences as text: a token is its word, or a tuple of its cells.

    Raises:
        UserError: As ``columns.written``. Or a word would be a line of -DOCSTART-, which no reader here labels.
    """
    text = columns.written(sentences)
    if found := ARTICLE.search(text):
        raise UserError(f"{found[0]!r:.60} begins an article, and is no token: leave such examples out")
    return text


def read_unlabelled(content: bytes, source: str, names: tuple[str, ...] = COLUMNS) -> columns.Sentences:
    """New sentences, of which tags are not read; of the columns ``names`` only the first, the word, is needed.

    Raises:
        UserError: A line is malformed.
    """
    return columns.read_unlabelled(ARTICLE.sub("", decode(content, source)), names, 1, source, LABELS)


def around(content: bytes, source: str, sentences: columns.Sentences) -> tuple[list[str], list[str]]:
    """What is before and behind each token's label: its cells, and lines of -DOCSTART- above the next token.

    Below such a line is an empty one. Those at the end are below the last token.
    """
    before, after = sentences.written, [""] * len(sentences.lines)
    above: dict[int, str] = {}  # the token that follows -> lines
    for number, line in enumerate(decode(content, source).split("\n"), 1):
        if ARTICLE.match(line):
            token = bisect_left(sentences.lines, number)
            above[token] = above.get(token, "") + line.removesuffix("\r") + "\n\n"
    for token, lines in above.items():
        if token < len(before):
            before[token] = lines + before[token]
        else:
            after[-1] = f"\n\n{lines.rstrip()}"
    return before, after


def with_morphology(sentences: columns.Sentences) -> columns.Sentences:
    """The words and tags, with a column for each of ``MORPHOLOGY``."""
    used = {name: sentences.columns[name] for name in ("w", "tag")}
    return sentences._replace(columns=used).with_word_features(**MORPHOLOGY)
