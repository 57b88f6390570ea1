"""Word types with the part of speech that each mostly has: strings to be classified by their letters alone."""

from collections import Counter, defaultdict

import numpy as np

from structbench.algorithms.structures import strings
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text.columns import Sentences

LEAST = 0.01  # of the training types: rarer parts of speech are left out
COLUMNS = ("w", "pos")


def words_problem(learn: Sentences, evaluate: Sentences) -> Problem:
    """Each word of the training sentences once, to train on, and each new word of the others, to test on.

    If several parts of speech are equally frequent, a word has the first it had. A part of speech of less than 1 %
    of the training types is left out with its words. So are the words of closed classes, which are never new.
    """
    seen = _types(learn)
    counts = Counter(seen.values())
    labels = tuple(sorted(tag for tag, count in counts.items() if count >= LEAST * len(seen)))
    number = {label: k for k, label in enumerate(labels)}

    def split(types: dict[str, str]) -> strings.Strings:
        chosen = {word: number[tag] for word, tag in types.items() if tag in number}
        return strings.build(list(chosen), np.fromiter(chosen.values(), np.int32, len(chosen)), len(labels))

    new = {word: tag for word, tag in _types(evaluate).items() if word not in seen}
    return Problem(split(seen), split(new), labels)


def _types(sentences: Sentences) -> dict[str, str]:
    """Word -> its most frequent part of speech, in order of first appearance."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in zip(*(sentences.columns[name] for name in COLUMNS), strict=True):
        found[word][tag] += 1
    return {word: tags.most_common(1)[0][0] for word, tags in found.items()}
