"""Precision, recall and F1, of each label."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged

MOST = 200  # labels: nobody reads a longer table


class OfLabel(NamedTuple):
    """Its scores, NaN where there is nothing to divide by; and how often it is predicted, gold, and both."""

    precision: float
    recall: float
    f1: float
    predicted: int
    gold: int
    right: int


class ByLabel(NamedTuple):
    """``scheme``: of tags of chunks, else empty. ``rows``: label, or type of chunk -> its numbers."""

    scheme: str
    rows: dict[Any, OfLabel]


def shares(right: int, found: int, wanted: int) -> tuple[float, float, float]:
    """Precision, recall and F1; NaN where there is nothing to divide by."""
    precision, recall, f1 = (right / n if n else float("nan") for n in (found, wanted, (found + wanted) / 2))
    return precision, recall, f1


def made(counts: Mapping[Any, Sequence[int]], scheme: str = "") -> ByLabel:
    """The table of counts: label -> how often it is right, predicted and gold. One that is neither is left out."""
    if len(counts) > MOST:
        return ByLabel(scheme, {})
    given = {label: (both, found, wanted) for label, (both, found, wanted) in counts.items() if found or wanted}
    return ByLabel(scheme, {label: OfLabel(*shares(*each), *each[1:], each[0]) for label, each in given.items()})


def of_decisions(judged: Judged) -> ByLabel:
    """The table of the labels of decisions; without rows if decisions are no numbers of labels."""
    names, gold = judged.as_written()
    if judged.problem.tags or max(judged.predicted.max(), judged.right.max()) >= len(judged.problem.labels):
        return ByLabel("", {})
    found = judged.predicted.astype(np.int64)
    counts = [np.bincount(each, minlength=len(names)).tolist() for each in (gold[gold == found], found, gold)]
    return made(dict(zip(names, zip(*counts, strict=True), strict=True)))
