"""Chunking in the columns of CoNLL-2000 as a semi-Markov chain: chunks are segments with features of their own."""

import numpy as np

from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.segments import tags as segment_tags
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import chunking, segment_features
from structbench.datasets.text.columns import Sentences

OUTSIDE = "O"


def segments_problem(train: Sentences, test: Sentences, *, max_length: int) -> Problem:
    """The problem of two parts of a corpus: the labels are the chunk types of ``train`` and, last, O.

    Chunks have at most ``max_length`` tokens. Longer chunks of ``train`` are cut for training.
    ``segment_tags.num_too_long`` counts them. Types that only ``test`` has become -1.

    Raises:
        UserError: A tag I- continues no chunk.
    """
    kinds = sorted({tag[2:] for tag in train.columns["chunk"] if tag != OUTSIDE})
    labels, outside = (*kinds, OUTSIDE), len(kinds)
    splits = []
    for sentences, pieces in zip((train, test), segment_features.extract(train, test, max_length), strict=True):
        y = tags(sentences, labels)
        shared = {"grown": pieces.grown, "own": pieces.own, "piece_starts": pieces.piece_starts}
        split = segments.build(pieces.x, sentences.lengths, y, len(labels), max_length, outside, **shared)
        splits.append(split)
    return Problem(*splits, segment_tags.tag_names(labels, outside))


def tags(sentences: Sentences, labels: tuple[str, ...]) -> np.ndarray:
    """The numbers (tokens,) that ``segment_tags`` gives the chunk tags; -1 for types that are no labels.

    Raises:
        UserError: A tag I- continues no chunk; names the source and the line.
    """
    chunking.refuse_broken(sentences)
    number = {OUTSIDE: 2 * labels.index(OUTSIDE)}
    for k, label in enumerate(labels):
        if label != OUTSIDE:
            number |= {f"B-{label}": 2 * k, f"I-{label}": 2 * k + 1}
    return np.array([number.get(tag, -1) for tag in sentences.columns["chunk"]])
