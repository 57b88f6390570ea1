"""Word alignment of pairs of sentences that are translations: features of edges, and problems.

The features of an edge come from Taskar, Lacoste-Julien and Klein, A discriminative matching approach to word
alignment, 2005, without their lexicons. They say how often both words are in one pair of the training sentences
(Dice), and the same of the words before and after. Others say where the words stand, their spelling and frequency.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import matching
from structbench.datasets.problems.problem import Problem, Vocabulary

PREFIX = 4  # letters
NAMES = (
    *("bias", "dice", "best of both words", "dice before", "dice after"),
    *("distance", "distance squared", "same word", "same prefix", "difference of log frequencies"),
)


class Pair(NamedTuple):
    """Two sentences, and the links (source, target) between their words, from 0 on."""

    source: Sequence[str]
    target: Sequence[str]
    links: Sequence[tuple[int, int]]


def alignment_problem(
    train: Sequence[Pair], test: Sequence[Pair] | None, validation: Sequence[Pair] | None = None
) -> Problem:
    """Alignments of the training pairs and, maybe, of other pairs. Frequencies are of the training pairs."""
    vocabulary = _counted(train)
    counts = _Counts(vocabulary)
    made = [None if each is None else _split(each, counts) for each in (train, test, validation)]
    return Problem(made[0], made[1], (), vocabulary=vocabulary, validation=made[2])


def encode(pairs: Sequence[Pair], vocabulary: Vocabulary) -> matching.Matching:
    """New pairs, whose links are not looked at, as a split for a model of ``alignment_problem``."""
    return _split([pair._replace(links=()) for pair in pairs], _Counts(vocabulary))


def _counted(train: Sequence[Pair]) -> Vocabulary:
    """The words of the training pairs, how many pairs have each, and how many each two (``codes``)."""
    import scipy.sparse as sp

    numbers: tuple[dict[str, int], dict[str, int]] = {}, {}
    rows = []
    for side, known in enumerate(numbers):
        words = [sorted({known.setdefault(word, len(known)) for word in pair[:2][side]}) for pair in train]
        starts = np.concatenate([[0], np.cumsum([len(each) for each in words])])
        indices = np.concatenate([np.array(each, np.int64) for each in words])
        rows.append(sp.csr_array((np.ones(len(indices)), indices, starts), shape=(len(train), len(known))))
    both = sp.coo_array(rows[0].T @ rows[1])
    codes = both.row.astype(np.int64) * len(numbers[1]) + both.col
    order = np.argsort(codes)
    return {
        "source": [*numbers[0]],
        "target": [*numbers[1]],
        "with source": rows[0].sum(axis=0),
        "with target": rows[1].sum(axis=0),
        "codes": codes[order],
        "together": both.data[order],
    }


class _Counts:
    """How many training pairs have each word, and each two words. A word in no pair is -1."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        sides = ("source", "target")
        self.numbers = tuple({word: k for k, word in enumerate(vocabulary[side])} for side in sides)
        self.alone = tuple(np.append(vocabulary[f"with {side}"], 0.0) for side in sides)  # the last is that of -1
        self.width = len(self.numbers[1])
        self.codes, self.together = vocabulary["codes"], vocabulary["together"]

    def dice(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """2 n(s, t) / (n(s) + n(t)); 0 of words that are in no pair."""
        codes = np.where((source < 0) | (target < 0), -1, source * self.width + target)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        together = np.where(self.codes[at] == codes, self.together[at], 0.0)
        return 2 * together / np.maximum(self.alone[0][source] + self.alone[1][target], 1.0)


def _split(pairs: Sequence[Pair], counts: _Counts) -> matching.Matching:
    x = ft.dense(np.concatenate([_features(pair, counts) for pair in pairs]))
    sources, targets = (np.array([len(pair[side]) for pair in pairs]) for side in (0, 1))
    links = np.array([(i, j, k) for i, pair in enumerate(pairs) for j, k in pair.links]).reshape(-1, 3)
    return matching.build(x, sources, targets, links)


def _features(pair: Pair, counts: _Counts) -> np.ndarray:
    """The features of the edges of one pair, (J K, features), in the order of ``NAMES``."""
    source, target = (
        np.array([numbers.get(word, -1) for word in words])
        for numbers, words in zip(counts.numbers, pair, strict=False)
    )
    J, K = len(source), len(target)
    found = np.zeros((len(NAMES), J, K))
    dice = counts.dice(source[:, None], target[None])
    best = (dice == dice.max(axis=1, keepdims=True)) & (dice == dice.max(axis=0, keepdims=True))
    distance = np.abs(np.arange(J)[:, None] / J - np.arange(K)[None] / K)
    prefixes = [np.array([word[:PREFIX] for word in words]) for words in pair[:2]]
    spelt = [np.array(words) for words in pair[:2]]
    log = [np.log1p(alone[each]) for alone, each in zip(counts.alone, (source, target), strict=True)]
    found[0] = 1.0
    found[1] = dice
    found[2] = best & (dice > 0)
    found[3, 1:, 1:] = dice[:-1, :-1]
    found[4, :-1, :-1] = dice[1:, 1:]
    found[5] = distance
    found[6] = distance**2
    found[7] = spelt[0][:, None] == spelt[1][None]
    found[8] = prefixes[0][:, None] == prefixes[1][None]
    found[9] = np.abs(log[0][:, None] - log[1][None])
    return found.reshape(len(NAMES), J * K).T
