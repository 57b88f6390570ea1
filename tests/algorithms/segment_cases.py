"""Segments written out: all segmentations of small examples, their parts and cliques."""

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.segments import model as segments
from tests.algorithms.cases import Case, Example, Shape
from tests.algorithms.drawn_features import rows_of
from tests.algorithms.segmentations import Segment, in_pieces, segmentations, tags_of


def segments_of(
    draw: Callable, L: int, outside: int, shared: bool = False
) -> Callable[[Shape, np.random.Generator], Case]:
    def build(shape: Shape, rng: np.random.Generator) -> Case:
        K, y = shape.num_labels, []
        for T in shape.lengths:
            while T > 0:
                k = int(rng.integers(K))
                n = 1 if k == outside else int(rng.integers(1, min(L, T) + 1))
                y += [-1] * n if rng.random() < shape.unseen else tags_of([(0, n, k)], n)
                T -= n
        pieces = drawn_pieces(shape.lengths, L, rng) if shared else {}
        rows = sum(min(L, T - t) for T in shape.lengths for t in range(T))
        x = draw((pieces["piece_starts"][-1] if shared else rows, shape.columns), shape.density, rng)
        return segments_case(x, shape.lengths, np.array(y), K, L, outside, **pieces)

    return build


def segments_case(
    x: ft.Features,
    lengths: tuple[int, ...],
    y: np.ndarray,
    K: int,
    L: int,
    outside: int,
    **pieces: np.ndarray,
) -> Case:
    """Parts: (first token, length, k); (j, k) tied. Cliques: the segments, then (boundary, j, k).

    Weights: (columns, K), (K, K). Right segments longer than L are to be learned in pieces. ``pieces``: grown, own
    and piece_starts, where rows of x are parts of the candidates' features.
    """
    rows = summed(rows_of(x), lengths, L, **pieces) if pieces else rows_of(x)
    starts, first_row = np.concatenate([[0], np.cumsum(lengths)]), 0
    examples = []
    for a, b in pairwise(starts):
        T = int(b - a)
        row = {(t, n): r for r, (t, n) in enumerate((t, n) for t in range(T) for n in range(1, min(L, T - t) + 1))}
        N, columns = len(row), rows.shape[1]
        features = np.zeros((N * K + K * K, columns * K + K * K))
        for r, k in product(range(N), range(K)):
            features[r * K + k, : columns * K] = np.outer(rows[first_row + r], np.eye(K)[k]).ravel()
        features[N * K :, columns * K :] = np.eye(K * K)
        first_row += N

        def vectors(found: list[Segment], T: int = T, row: dict = row) -> tuple[np.ndarray, np.ndarray]:
            kinds, tied, boundaries = np.zeros((len(row), K)), np.zeros((K, K)), np.zeros((T - 1, K, K))
            for t, n, k in found:
                kinds[row[t, n], k] = 1
            for (t, n, j), (u, _, k) in pairwise(found):
                if t + n == u:
                    tied[j, k] += 1
                    boundaries[u - 1, j, k] = 1
            return np.append(kinds, tied), np.append(kinds, boundaries)

        every = sorted(segmentations(0, T, K, L, outside), key=lambda found: tags_of(found, T))
        labels = np.array([tags_of(found, T) for found in every])
        outputs, cliques = (np.array(each) for each in zip(*map(vectors, every), strict=True))
        learned = in_pieces(y[a:b], L)
        losses = (labels != tags_of(learned, T)).sum(axis=1).astype(float)
        examples.append(Example(features, outputs, cliques, labels, losses, vectors(learned)[0], y[a:b]))
    return Case(segments.build(x, np.array(lengths), y, K, L, outside, **pieces), examples, K)


def summed(
    x: np.ndarray, lengths: tuple[int, ...], L: int, grown: np.ndarray, own: np.ndarray, piece_starts: np.ndarray
) -> np.ndarray:
    """The features of all candidates, (candidates, columns), from those of the pieces."""
    found, candidate = [], 0
    for first, T in zip(piece_starts, lengths, strict=False):
        for t in range(T):
            inherited = np.zeros(x.shape[1])
            for _ in range(min(L, T - t)):
                inherited = sum((x[first + p] for p in grown[candidate] if p >= 0), inherited)
                found.append(sum((x[first + p] for p in own[candidate] if p >= 0), inherited))
                candidate += 1
    return np.array(found).reshape(len(found), x.shape[1])


def drawn_pieces(lengths: tuple[int, ...], L: int, rng: np.random.Generator) -> dict[str, Any]:
    """grown, own and piece_starts at random: some pieces of several candidates, some of none, some -1."""
    grown, own, counts = [], [], []
    for T in lengths:
        N, count = sum(min(L, T - t) for t in range(T)), int(rng.integers(0, 2 * T + 2))
        draw, given = (rng.integers(-1, count, size=(N, 4)), rng.random((N, 4)) < 0.5)
        pieces = np.where(given, draw, -1)  # large sums of pieces would make problems that learners find hard
        grown.append(pieces[:, :2])
        own.append(pieces[:, 2:])
        counts.append(count)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return {"grown": np.concatenate(grown), "own": np.concatenate(own), "piece_starts": starts}
