"""Precision, recall and F1 of labelled brackets, and complete matches, counted as evalb counts them.

evalb by Sekine and Collins, with the parameters of COLLINS.prm: punctuation is deleted before spans are compared,
the root's label TOP does not count, and ADVP and PRT are the same label. Parts of speech are no brackets. A
bracket is right as often as the right tree has it.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores.labels import table

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
    found, wanted = _counted(judged)
    both, sentences = (found & wanted).total(), len(judged.starts) - 1
    precision, recall, f1 = table.shares(both, found.total(), wanted.total())
    differ = {i for i, *_ in (found - wanted) | (wanted - found)}
    return Scores(precision, recall, f1, 1 - len(differ) / sentences if sentences else float("nan"))


def by_label(judged: Judged) -> table.ByLabel:
    """The table of the labels of brackets."""
    found, wanted = _counted(judged)
    each = [Counter(name for *_, name in brackets.elements()) for brackets in (found & wanted, found, wanted)]
    return table.made({name: [count[name] for count in each] for name in sorted(each[1] | each[2])})


def _counted(judged: Judged) -> list[Counter]:
    """How often each (sentence, span, name) is predicted, and gold."""
    names = [_names(label) if k else () for k, label in enumerate(judged.problem.labels)]
    spans = judged.of_split(judged.problem.brackets)
    sentence = np.repeat(np.arange(len(judged.starts) - 1), np.diff(judged.starts))
    return [_brackets(each, sentence, spans, names) for each in (judged.predicted, judged.right)]


def _names(label: str) -> tuple[str, ...]:
    return tuple(EQUAL.get(name, name) for name in label.split("+") if name not in DELETED)


def _brackets(given: np.ndarray, sentence: np.ndarray, spans: np.ndarray, names: list[tuple[str, ...]]) -> Counter:
    """How often each (sentence, span, name) is there."""
    counted = np.flatnonzero((given > 0) & (spans >= 0))
    places = zip(sentence[counted].tolist(), spans[counted].tolist(), given[counted].tolist(), strict=True)
    return Counter((i, span, name) for i, span, label in places for name in names[label])
