"""Precision, recall and F1 of chunks in B-, I-, O tags, counted as the CoNLL-2000 shared task counts it."""

import numpy as np


def chunk_scores(
    predicted: np.ndarray, right: np.ndarray, starts: np.ndarray, labels: tuple[str, ...]
) -> tuple[float, float, float]:
    """Precision, recall and F1 of chunks (first token, last token, type), all of which must agree.

    Args:
        predicted, right: labels of all tokens, int (tokens,); -1 stands for a label never seen in training
            and makes a chunk of its own that no prediction matches.
        starts: where each sentence begins, and the number of tokens; int (sentences + 1,).
        labels: the tags' names.

    Returns:
        Precision, recall and their harmonic mean in 0 .. 1; NaN where there are no chunks to divide by.
    """
    return scores_of(chunk_counts(predicted, right, starts, labels))


def scores_of(counts: np.ndarray) -> tuple[float, float, float]:
    """Precision, recall and F1 from the counts of all sentences, int (sentences, 3); NaN as ``chunk_scores``."""
    both, found, wanted = counts.sum(axis=0).tolist()
    precision, recall, f1 = (
        both / count if count else float("nan") for count in (found, wanted, (found + wanted) / 2)
    )
    return precision, recall, f1


def chunk_counts(
    predicted: np.ndarray, right: np.ndarray, starts: np.ndarray, labels: tuple[str, ...]
) -> np.ndarray:
    """Of each sentence its chunks that are found and right, found, and wanted; int (sentences, 3)."""
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
