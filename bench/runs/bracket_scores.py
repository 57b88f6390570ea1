"""Precision, recall and F1 of labelled brackets, and complete matches, counted as evalb counts them.

evalb by Sekine and Collins, with the parameters of COLLINS.prm: punctuation is deleted before spans are compared,
the root's label TOP does not count, and ADVP and PRT are the same label. Parts of speech are no brackets. A
bracket is right as often as the right tree has it.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

DELETED = frozenset(["TOP"])
EQUAL = {"PRT": "ADVP"}


class BracketScores(NamedTuple):
    """Shares in 0 .. 1, NaN where there is nothing to divide by; ``complete``: of sentences without a wrong or
    missing bracket.
    """

    precision: float
    recall: float
    f1: float
    complete: float


def bracket_scores(
    predicted: np.ndarray, right: np.ndarray, starts: np.ndarray, spans: np.ndarray, labels: tuple[str, ...]
) -> BracketScores:
    """The scores of a split.

    Args:
        predicted, right: labels of all spans, int (spans,); 0 stands for none.
        starts: where each sentence's spans begin, and the number of spans; int (sentences + 1,).
        spans: of each span the number of what is left of it without punctuation, -1 if nothing is.
        labels: names of constituents over the same span, joined by +.
    """
    names = [_names(label) if k else () for k, label in enumerate(labels)]
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    found, wanted = (_brackets(each, sentence, spans, names) for each in (predicted, right))
    both = (found & wanted).total()
    counts = found.total(), wanted.total(), (found.total() + wanted.total()) / 2
    shares = [both / count if count else float("nan") for count in counts]
    differ = {i for i, *_ in (found - wanted) | (wanted - found)}
    sentences = len(starts) - 1
    return BracketScores(*shares, 1 - len(differ) / sentences if sentences else float("nan"))


def _names(label: str) -> tuple[str, ...]:
    return tuple(EQUAL.get(name, name) for name in label.split("+") if name not in DELETED)


def _brackets(given: np.ndarray, sentence: np.ndarray, spans: np.ndarray, names: list[tuple[str, ...]]) -> Counter:
    """How often each (sentence, span, name) is there."""
    counted = np.flatnonzero((given > 0) & (spans >= 0))
    places = zip(sentence[counted].tolist(), spans[counted].tolist(), given[counted].tolist(), strict=True)
    return Counter((i, span, name) for i, span, label in places for name in names[label])
