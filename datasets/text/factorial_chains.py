"""Parts of speech and chunks as factorial chains: a chain of each, and an edge between the two of a token.

laso2005, section 4.2, compares with C. Sutton, K. Rohanimanesh, A. McCallum, Dynamic conditional random fields,
2004. Node 2t is the part of speech of token t, node 2t + 1 its chunk tag. The words are given. Nodes have the
features of ``joint_tagging``. Edges have transitions alone, of a kind for each chain and one between chains. The
graph has width 2. With P parts of speech and C chunk tags inference takes P C (P + C) labellings a token.
"""

from typing import Any, Literal

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.field import model as field
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import joint_tagging
from structbench.datasets.text.columns import Sentences

Tagset = Literal["full", "universal"]
OF_TAGS, OF_CHUNKS, ACROSS = range(3)  # kinds of edges

# The Penn Treebank's tags in the twelve classes of S. Petrov, D. Das and R. McDonald (A universal part-of-speech
# tagset, 2012), by how they begin; all others are punctuation.
UNIVERSAL = {
    **{"NN": "NOUN", "VB": "VERB", "MD": "VERB", "JJ": "ADJ", "RB": "ADV", "WRB": "ADV", "PRP": "PRON"},
    **{"WP": "PRON", "DT": "DET", "PDT": "DET", "WDT": "DET", "EX": "DET", "IN": "ADP", "CD": "NUM", "TO": "PRT"},
    **{"RP": "PRT", "POS": "PRT", "CC": "CONJ", "FW": "X", "LS": "X", "SYM": "X", "UH": "X"},
}


def factorial_problem(
    learn: Sentences, evaluate: Sentences, *, tagset: Tagset, max_width: int = field.MAX_WIDTH
) -> Problem:
    """The problem of training and test sentences with columns w, pos, chunk and, where there is one, wordnet.

    Args:
        tagset: The parts of speech as they are, or in the classes of ``UNIVERSAL``, which makes inference cheaper.

    Raises:
        UserError: The graph is wider than ``max_width``; or as ``joint_tagging.token_features``.
    """
    if tagset == "universal":
        learn, evaluate = coarse(learn), coarse(evaluate)
    x, x_test, vocabulary = joint_tagging.token_features(learn, evaluate)
    tags, chunks = (tuple(sorted(set(learn.columns[name]))) for name in ("pos", "chunk"))

    def split(x: ft.Features, sentences: Sentences) -> field.Field:
        layers = [coded(sentences.columns[name], labels)[0] for name, labels in (("pos", tags), ("chunk", chunks))]
        return _split(x, sentences.lengths, np.stack(layers, axis=1), len(tags), len(chunks), max_width)

    given = zip(evaluate.columns["pos"], evaluate.columns["chunk"], strict=True)
    unseen = [each for tag, label in given for each in (tag * (tag not in tags), label * (label not in chunks))]
    vocabulary |= {"tags": [*tags]}
    return Problem(
        split(x, learn),
        split(x_test, evaluate),
        chunks,
        tags=tags,
        vocabulary=vocabulary,
        unseen=tuple(filter(None, unseen)),
    )


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, **_: Any) -> Unlabelled:
    """New sentences for a model of ``factorial_problem``: words, maybe with parts of speech and chunk tags.

    Raises:
        UserError: A line is malformed.
    """
    x, sentences = joint_tagging.encoded(content, source, vocabulary)
    tags, tokens = vocabulary["tags"], len(sentences.lines)
    split = _split(x, sentences.lengths, np.full((tokens, 2), -1), len(tags), len(labels), field.MAX_WIDTH)

    def labelled(_: int, found: np.ndarray) -> list[str]:
        return [f"{tags[tag]} {labels[chunk]}" for tag, chunk in found.reshape(-1, 2).tolist()]

    before, mark = sentences.written, sentences.mark
    return Unlabelled(split, before, [""] * tokens, lambda both: both.replace(" ", mark), labelled)


def _split(
    x: ft.Features, lengths: np.ndarray, y: np.ndarray, num_tags: int, num_chunks: int, max_width: int
) -> field.Field:
    """A split of sentences of these lengths; y: part of speech and chunk tag of each token, (tokens, 2)."""
    ends, kinds = zip(*map(ladder, lengths.tolist()), strict=True)
    return field.build(
        apart(x),
        2 * lengths,
        y.ravel(),
        max(num_tags, num_chunks),
        np.concatenate(ends),
        np.array([len(each) for each in ends]),
        kinds=np.concatenate(kinds),
        counts=np.tile([num_tags, num_chunks], len(y)),
        num_kinds=3,
        max_width=max_width,
    )


def coarse(sentences: Sentences) -> Sentences:
    """The sentences with parts of speech in the classes of ``UNIVERSAL``."""

    def named(tag: str) -> str:
        return next((UNIVERSAL[tag[:n]] for n in (3, 2) if tag[:n] in UNIVERSAL), ".")

    known = {tag: named(tag) for tag in set(sentences.columns["pos"])}
    return sentences._replace(columns=sentences.columns | {"pos": [known[t] for t in sentences.columns["pos"]]})


def ladder(length: int) -> tuple[np.ndarray, np.ndarray]:
    """The edges of a sentence of ``length`` tokens, int (3 length - 2, 2), and their kinds."""
    t = np.arange(length)
    across = np.stack([2 * t, 2 * t + 1], axis=1)
    along = np.stack([2 * t[1:] - 2, 2 * t[1:]], axis=1)
    kinds = np.repeat([OF_TAGS, OF_CHUNKS, ACROSS], [length - 1, length - 1, length])
    return np.concatenate([along, along + 1, across]), kinds


def apart(x: ft.Features) -> ft.Features:
    """Each row twice, for the part of speech and for the chunk tag, which have weights of their own."""
    import scipy.sparse as sp

    rows, columns = ft.shape(x)
    matrix = sp.csr_array(ft.as_matrix(x))
    indices = np.stack([matrix.indices, matrix.indices + columns])
    lengths = np.repeat(np.diff(matrix.indptr), 2)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    made = np.empty(2 * matrix.nnz, np.int64)
    own = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], np.diff(matrix.indptr))
    row = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    for layer in range(2):
        made[starts[2 * row + layer] + own] = indices[layer]
    return ft.sparse(sp.csr_array((np.ones(len(made), np.int8), made, starts), shape=(2 * rows, 2 * columns)))
