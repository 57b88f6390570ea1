"""Chunking in the columns of CoNLL-2000 as a semi-Markov chain: chunks are segments with features of their own."""

from collections.abc import Sequence

import numpy as np

from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.segments import tags as segment_tags
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import chunking, segment_features
from structbench.datasets.text.columns import Sentences

OUTSIDE = "O"


def segments_problem(train: Sentences, test: Sentences | None, *, max_length: int) -> Problem:
    """The problem of a corpus, maybe of two parts: the labels are the chunk types of ``train`` and, last, O.

    Chunks have at most ``max_length`` tokens. Longer chunks of ``train`` are cut for training.
    ``segment_tags.num_too_long`` counts them. Types that only ``test`` has become -1.

    Raises:
        UserError: A tag I- continues no chunk.
    """
    kinds = sorted({tag[2:] for tag in train.columns["chunk"] if tag != OUTSIDE})
    labels = (*kinds, OUTSIDE)
    y = tags(train, labels)
    learned, vocabulary = segment_features.learn_pieces(train, max_length)
    split, evaluated, unseen = _split(learned, train, y, max_length, len(labels)), None, ()
    if test is not None:
        tested = segment_features.encode_pieces(test, vocabulary, max_length)
        evaluated = _split(tested, test, tags(test, labels), max_length, len(labels))
        unseen = tuple(tag for tag in test.columns["chunk"] if tag != OUTSIDE and tag[2:] not in kinds)
    names = segment_tags.tag_names(labels, len(kinds))
    return Problem(split, evaluated, names, vocabulary=vocabulary, unseen=unseen)


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, *, max_length: int
) -> Unlabelled:
    """New sentences for a model of ``segments_problem``, in the columns word, part of speech and, maybe, tag.

    Raises:
        UserError: A line is malformed.
    """
    sentences = chunking.read_unlabelled(content, source)
    split = new_split(sentences, vocabulary, max_length, labels)
    return Unlabelled(split, sentences.written, [""] * len(sentences.lines))


def new_split(
    sentences: Sentences, vocabulary: Vocabulary, max_length: int, labels: Sequence[str]
) -> segments.Segments:
    """A split of new sentences, from the columns w and pos, for a model with these tags."""
    pieces = segment_features.encode_pieces(sentences, vocabulary, max_length)
    return _split(pieces, sentences, np.full(len(sentences.lines), -1), max_length, len(labels) // 2)


def _split(
    pieces: segment_features.Pieces, sentences: Sentences, y: np.ndarray, max_length: int, num_labels: int
) -> segments.Segments:
    shared = {"grown": pieces.grown, "own": pieces.own, "piece_starts": pieces.piece_starts}
    return segments.build(pieces.x, sentences.lengths, y, num_labels, max_length, num_labels - 1, **shared)


def tags(sentences: Sentences, labels: tuple[str, ...]) -> np.ndarray:
    """The numbers (tokens,) that ``segment_tags`` gives the chunk tags; -1 for types that are no labels.

    The last label is O. A type of chunks may have the same name.

    Raises:
        UserError: A tag I- continues no chunk; names the source and the line.
    """
    chunking.refuse_broken(sentences)
    number = {OUTSIDE: 2 * (len(labels) - 1)}
    for k, label in enumerate(labels[:-1]):
        number |= {f"B-{label}": 2 * k, f"I-{label}": 2 * k + 1}
    return np.array([number.get(tag, -1) for tag in sentences.columns["chunk"]])
