"""Precision, recall and F1 of chunks in B-, I-, O tags, counted as the CoNLL-2000 shared task counts it."""

from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged, is_bio


class Scores(NamedTuple):
    """Shares in 0 .. 1; NaN where there are no chunks to divide by, or the labels are no chunk tags."""

    precision: float
    recall: float
    f1: float


def scores(judged: Judged) -> Scores:
    """The scores of the tags of all tokens. A chunk is right if first token, last token and type are."""
    if not is_bio(judged.problem.labels):
        return Scores(*[float("nan")] * 3)
    counts = chunk_counts(judged.predicted, judged.right, judged.starts, judged.problem.labels)
    if judged.counts is not None:
        judged.counts.append(counts)
    both, found, wanted = counts.sum(axis=0).tolist()
    return Scores(*(both / count if count else float("nan") for count in (found, wanted, (found + wanted) / 2)))


def chunk_counts(
    predicted: np.ndarray, right: np.ndarray, starts: np.ndarray, labels: tuple[str, ...]
) -> np.ndarray:
    """Of each sentence its chunks that are found and right, found, and wanted; int (sentences, 3).

    A label that training never saw makes a chunk of its own that no prediction matches.
    """
    found, wanted = (_chunks(tags, starts, labels) for tags in (predicted, right))
    each = found[np.isin(found, wanted, assume_unique=True)], found, wanted
    types = len({label[2:] for label in labels if label != "O"})
    firsts = (chunks // ((types + 1) * len(right)) for chunks in each)
    sentences = (np.searchsorted(starts, first, side="right") - 1 for first in firsts)
    return np.stack([np.bincount(at, minlength=len(starts) - 1) for at in sentences], axis=1)


def _chunks(tags: np.ndarray, starts: np.ndarray, labels: tuple[str, ...]) -> np.ndarray:
    """One number for every chunk, the same for the same first token, last token and type."""
    types = sorted({label[2:] for label in labels if label != "O"})
    # position -1 of these tables serves the tag -1: it begins a chunk of a type that no label has
    type_of = np.array([-1 if label == "O" else types.index(label[2:]) for label in labels] + [len(types)])
    begins = np.array([label.startswith("B-") for label in labels] + [True])
    kind, begin = type_of[tags], begins[tags]
    first = np.zeros(len(tags), bool)
    first[starts[:-1]] = True
    before = np.concatenate([[-1], kind[:-1]])
    opens = (kind >= 0) & (begin | first | (kind != before))
    continues = (kind >= 0) & ~opens
    closes = (kind >= 0) & ~np.concatenate([continues[1:], [False]])
    span = np.flatnonzero(opens) * len(tags) + np.flatnonzero(closes)
    return span * (len(types) + 1) + kind[opens]
