"""Integer codes of words, lemmas and tags, from which the features of dependency arcs are made."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text.dependencies import Sentence

KINDS = ("word", "prefix", "lemma", "morphology", "tag")
OF_A_TOKEN = (*KINDS, "tag")  # the last is its coarse part of speech
PREFIX = 5
WORD_BITS, TAG_BITS = 17, 8  # of a number of a tag, and of another kind
OF_WORDS = "learn from fewer sentences"
LESS = {  # kind -> what makes fewer of it
    **dict.fromkeys(("word", "prefix", "lemma", "morphology"), OF_WORDS),
    "tag": "write _ in the fifth column, so that only the coarse part of speech of the fourth counts",
}
UNKNOWN = 0  # words and tags that training lacks: they have no weight
ROOT, BEFORE, AFTER = "\0root", "\0before", "\0after"  # no token of a file holds a zero byte


class Tokens(NamedTuple):
    """Codes of the words of all sentences, (tokens + one root a sentence,); 0 is unknown.

    words, prefixes, lemmas, morphology, tags, coarse: int64. Position 0 of sentence i is starts[i]. longer:
    Whether the prefix is not the whole word. before, after: Codes of the tags around a sentence.
    """

    words: np.ndarray
    prefixes: np.ndarray
    longer: np.ndarray
    lemmas: np.ndarray
    morphology: np.ndarray
    tags: np.ndarray
    coarse: np.ndarray
    starts: np.ndarray
    before: int
    after: int


class Codes:
    """Numbers for strings, from 1 on, of each kind apart. Once ``fixed``, new strings are ``UNKNOWN``.

    ``known``: of each kind, string -> its number, less 1.
    """

    def __init__(self, known: dict[str, dict[str, int]] | None = None) -> None:
        self.known = {kind: {} for kind in KINDS} if known is None else known
        self.fixed = known is not None

    def __call__(self, kind: str, text: str) -> int:
        """The number of a string."""
        numbers = self.known[kind]
        if self.fixed:
            return numbers.get(text, UNKNOWN - 1) + 1
        return numbers.setdefault(text, len(numbers)) + 1

    def fix(self) -> None:
        """Give no more numbers.

        Raises:
            UserError: There are more than keys have room for.
        """
        self.fixed = True
        for kind, numbers in self.known.items():
            own = len({ROOT, BEFORE, AFTER} & {*numbers})  # no token of a file has these
            found, most = len(numbers) - own, 2 ** (TAG_BITS if kind == "tag" else WORD_BITS) - 1 - own
            if found > most:
                raise UserError(f"there are {found} different values of {kind}, and room for {most}: {LESS[kind]}")


def numbered(sentences: Sequence[Sentence], code: Codes) -> Tokens:
    """The tokens of sentences."""
    rows, starts = [], [0]
    for each in sentences:
        rows.append([code(kind, ROOT) for kind in OF_A_TOKEN])
        columns = each.words, each.lemmas, each.morphology, each.tags, each.coarse
        for word, lemma, morphology, tag, coarse in zip(*columns, strict=True):
            texts = word, word[:PREFIX], lemma, morphology, tag, f"coarse {coarse}"
            rows.append([*map(code, OF_A_TOKEN, texts)])
        starts.append(len(rows))
    words, prefixes, lemmas, morphology, tags, coarse = np.array(rows, np.int64).reshape(-1, 6).T.copy()
    longer = np.array([n > PREFIX for each in sentences for n in (0, *map(len, each.words))], bool)
    ends = code("tag", BEFORE), code("tag", AFTER)
    return Tokens(words, prefixes, longer, lemmas, morphology, tags, coarse, np.array(starts), *ends)
