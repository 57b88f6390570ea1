"""Precision, recall and F1 of labelled brackets, and complete matches, counted as evalb counts them.

evalb by Sekine and Collins, with the parameters of COLLINS.prm: punctuation is deleted before spans are compared,
the root's label TOP does not count, and ADVP and PRT are the same label. Parts of speech are no brackets. A
bracket is right as often as the right tree has it.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged

DELETED = frozenset(["TOP"])
EQUAL = {"PRT": "ADVP"}


class Scores(NamedTuple):
    """Shares in 0 .. 1, NaN where there is nothing to divide by; ``complete``: of sentences without a wrong or
    missing bracket.
    """

    precision: float
    recall: float
    f1: float
    complete: float


def scores(judged: Judged) -> Scores:
    """The scores of the labels of all spans."""
    names = [_names(label) if k else () for k, label in enumerate(judged.problem.labels)]
    sentences, spans = len(judged.starts) - 1, judged.of_split(judged.problem.brackets)
    sentence = np.repeat(np.arange(sentences), np.diff(judged.starts))
    found, wanted = (_brackets(each, sentence, spans, names) for each in (judged.predicted, judged.right))
    both = (found & wanted).total()
    counts = found.total(), wanted.total(), (found.total() + wanted.total()) / 2
    precision, recall, f1 = [both / count if count else float("nan") for count in counts]
    differ = {i for i, *_ in (found - wanted) | (wanted - found)}
    return Scores(precision, recall, f1, 1 - len(differ) / sentences if sentences else float("nan"))


def _names(label: str) -> tuple[str, ...]:
    return tuple(EQUAL.get(name, name) for name in label.split("+") if name not in DELETED)


def _brackets(given: np.ndarray, sentence: np.ndarray, spans: np.ndarray, names: list[tuple[str, ...]]) -> Counter:
    """How often each (sentence, span, name) is there."""
    counted = np.flatnonzero((given > 0) & (spans >= 0))
    places = zip(sentence[counted].tolist(), spans[counted].tolist(), given[counted].tolist(), strict=True)
    return Counter((i, span, name) for i, span, label in places for name in names[label])
