"""Features of rules in place: the rule, and its left side with the words at the span's edges and split.

A is without its context, w are words, t parts of speech. <A -> B C, s, m, e> has the rule. It has A with each of
w_s, w_(e-1), w_(s-1), w_e. It has A with each of t_(s-1) t_s, t_(e-1) t_e, t_s t_(e-1), t_(m-1) t_m, the length in
classes. For <A -> t, s> it is the rule, and A with each of w_s, t_(s-1) t_s, t_s t_(s+1). These are the surface
features of Hall, Durrett and Klein, Less grammar, more features (2014), on labels instead of rules. A word that
training saw once is its ending and its shape. Only what some gold tree of the training data has is a feature.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.datasets.text.trees import Leaf

LENGTHS = np.array([1, 2, 3, 4, 5, 6, 8, 11, 16, 21])  # where classes of lengths begin
ENDING = 3  # letters of a rare word
BINARY, LEXICAL, ROOT = KINDS = range(3)  # of rules
OUTSIDE = 0  # number of the word and the part of speech beyond either end of a sentence


class Edges(NamedTuple):
    """All edges of a split.

    rules: Numbers of rules. labels: Of left sides, -1 for the label of roots. begins, splits, ends: Among the
    split's tokens. kinds: See ``KINDS``.
    """

    rules: np.ndarray
    labels: np.ndarray
    begins: np.ndarray
    splits: np.ndarray
    ends: np.ndarray
    kinds: np.ndarray


class Vocabulary(NamedTuple):
    """Numbers of words (or their classes) and of parts of speech that training knows, from 1 on."""

    words: dict[str, int]
    tags: dict[str, int]


class Tokens(NamedTuple):
    """Words and parts of speech of a split as numbers; before each sentence and after the last is ``OUTSIDE``.

    starts: the place of each sentence's first token.
    """

    words: np.ndarray
    tags: np.ndarray
    starts: np.ndarray


class Columns(NamedTuple):
    """The features: a column for each rule, then columns for each template. A template's values are sorted."""

    num_rules: int
    values: list[np.ndarray]


def vocabulary(sentences: Sequence[Sequence[Leaf]]) -> Vocabulary:
    """Words that training sentences have twice or more, the classes of other words, and parts of speech."""
    counts: dict[str, int] = {}
    for leaf in (leaf for sentence in sentences for leaf in sentence):
        counts[leaf.word] = counts.get(leaf.word, 0) + 1
    known = [word if count > 1 else word_class(word) for word, count in counts.items()]
    tags = dict.fromkeys(leaf.tag for sentence in sentences for leaf in sentence)
    return Vocabulary(
        {word: k for k, word in enumerate(dict.fromkeys(known), 1)}, {tag: k for k, tag in enumerate(tags, 1)}
    )


def as_stored(known: Vocabulary, chosen: Columns) -> dict[str, list | np.ndarray]:
    """What training knows, in the form in which it is stored."""
    return {
        "words": [*known.words],
        "tags": [*known.tags],
        "rules": np.array(chosen.num_rules),
        "columns": np.concatenate(chosen.values),
        "sizes": np.array([len(each) for each in chosen.values]),
    }


def from_stored(stored: dict[str, Any]) -> tuple[Vocabulary, Columns]:
    """What ``as_stored`` stored."""
    known = ({name: k for k, name in enumerate(stored[kind], 1)} for kind in ("words", "tags"))
    values = np.split(stored["columns"], np.cumsum(stored["sizes"])[:-1])
    return Vocabulary(*known), Columns(int(stored["rules"]), values)


def word_class(word: str) -> str:
    """What stands for a rare word: whether it has capitals, digits and hyphens, and its ending."""
    shape = ("A" if word[:1].isupper() else "a") + ("0" if any(c.isdigit() for c in word) else "")
    return f" {shape}{'-' if '-' in word else ''} {word[-ENDING:].lower()}"  # no word begins with a blank


def numbered(sentences: Sequence[Sequence[Leaf]], known: Vocabulary) -> Tokens:
    """The tokens of a split. What training does not know has a number of its own, and no feature."""
    words, tags, starts = [OUTSIDE], [OUTSIDE], []
    for sentence in sentences:
        starts.append(len(words))
        for word, tag in sentence:
            words.append(known.words.get(word, known.words.get(word_class(word), len(known.words) + 1)))
            tags.append(known.tags.get(tag, len(known.tags) + 1))
        words.append(OUTSIDE)
        tags.append(OUTSIDE)
    return Tokens(np.array(words), np.array(tags), np.array(starts, np.int64))


def columns(edges: Edges, gold: np.ndarray, tokens: Tokens, known: Vocabulary, num_rules: int) -> Columns:
    """The features that the edges of gold trees have, which ``gold`` marks."""
    values = [np.unique(keys[gold & there]) for keys, there in _templates(edges, tokens, known)]
    return Columns(num_rules, values)


def features(edges: Edges, tokens: Tokens, known: Vocabulary, chosen: Columns) -> ft.Features:
    """One row an edge, all values 1."""
    found, first = [edges.rules.astype(np.int32)], chosen.num_rules
    for (keys, there), values in zip(_templates(edges, tokens, known), chosen.values, strict=True):
        place = np.searchsorted(values, keys)
        has = there & (place < len(values))
        has[has] = values[place[has]] == keys[has]
        found.append(np.where(has, first + place, -1).astype(np.int32))
        first += len(values)
    table = np.stack(found, axis=1)
    present = table >= 0
    indices = table[present]
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    return ft.compressed(indptr, indices, None, np.bincount(indices, minlength=first))


def _templates(edges: Edges, tokens: Tokens, known: Vocabulary):
    """Of each template a number for every edge, the same for the same value, and which edges have it."""
    (w, t, _), (_, label, s, m, e, kind) = tokens, edges
    binary, lexical = kind == BINARY, kind == LEXICAL
    most = max(len(known.words), len(known.tags), len(LENGTHS)) + 2
    first, last = t[s], t[e - 1]
    middle = np.maximum(m, 1)
    for there, a, b in (
        (binary, w[s], 0),
        (binary, w[e - 1], 0),
        (binary, w[s - 1], 0),
        (binary, w[e], 0),
        (binary, t[s - 1], first),
        (binary, last, t[e]),
        (binary, first, last),
        (binary, np.searchsorted(LENGTHS, e - s, side="right"), 0),
        (binary, t[middle - 1], t[middle]),
        (lexical, w[s], 0),
        (lexical, t[s - 1], first),
        (lexical, first, t[e]),
    ):
        yield (label * most + a) * most + b, there
