"""Features of text without blanks, such as Chinese: of characters, or of words by their characters.

``CHARACTERS`` has the characters, pairs of them and their kinds in a window of 2 (Ng and Low, Chinese
part-of-speech tagging: one-at-a-time or all-at-once? Word-based or character-based?, 2004), and tests whether two
of them are the same (features of reduplication: Tseng et al., A conditional random field word segmenter, 2005).
``WORDS`` has the words around, and the characters at both ends of a word.
"""

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby

import numpy as np

from structbench.datasets.text.columns import Sentences

LONGEST = 5  # characters: longer words have one length
KINDS = {"digit": str.isdigit, "numeral": str.isnumeric, "latin": str.isascii}  # the first that is so


@lru_cache(1 << 16)
def kind(character: str) -> str:
    """``punctuation``, ``digit``, ``numeral`` (such as \u4e00, one), ``latin`` or ``other``; of any width."""
    plain = unicodedata.normalize("NFKC", character)
    if unicodedata.category(character)[0] in "PSZ":
        return "punctuation"
    return next((name for name, holds in KINDS.items() if holds(plain)), "other")


def kinds(word: str) -> str:
    """The kind of each run of characters: ``digit+other``."""
    return "+".join(name for name, _ in groupby(map(kind, word)))


# What a token gives in addition to itself; None gives no feature. Affixes are shorter than the token.
OF_TOKEN: dict[str, Callable[[str], str | None]] = {
    "kinds": kinds,
    "length": lambda word: str(min(len(word), LONGEST)) if len(word) > 1 else None,
    "first1": lambda word: word[:1] if len(word) > 1 else None,
    "first2": lambda word: word[:2] if len(word) > 2 else None,
    "last1": lambda word: word[-1:] if len(word) > 1 else None,
    "last2": lambda word: word[-2:] if len(word) > 2 else None,
}
REPEATED = {"same1": 1, "same2": 2}  # whether a token equals that one or two places before

_AROUND = (*(f"{{0}}[{offset}]" for offset in range(-2, 3)), "{0}[-1]|{0}[0]", "{0}[0]|{0}[1]")
CHARACTERS = (
    *(*_AROUND, "{0}[-2]|{0}[-1]", "{0}[1]|{0}[2]", "{0}[-1]|{0}[1]"),
    *("{0}_same1[0]", "{0}_same1[1]", "{0}_same2[0]", "{0}_same2[1]", "{0}_same2[2]"),
    *("{0}_kinds[0]", "{0}_kinds[-1]|{0}_kinds[0]|{0}_kinds[1]"),
    "|".join(f"{{0}}_kinds[{offset}]" for offset in range(-2, 3)),
)
WORDS = (
    *(*_AROUND, "{0}_same1[0]", "{0}_length[0]"),
    *(f"{{0}}_{end}[0]" for end in ("first1", "first2", "last1", "last2")),
    *("{0}_last1[-1]", "{0}_first1[1]", "{0}_kinds[-1]", "{0}_kinds[0]", "{0}_kinds[1]"),
)


def repeated(sentences: Sentences, distance: int) -> list[str | None]:
    """``same`` for each token ``w`` that is equal to the one ``distance`` before it in its sentence, else None."""
    words, lengths = sentences.columns["w"], sentences.lengths
    place = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    pairs = zip(words, [*[""] * distance, *words], (place >= distance).tolist(), strict=False)
    return ["same" if inside and word == before else None for word, before, inside in pairs]
