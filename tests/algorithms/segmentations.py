"""Sequences cut into labelled segments: all ways to do it, and their tags, in plain Python."""

import numpy as np

Segment = tuple[int, int, int]  # first token, length, label


def segmentations(t: int, T: int, K: int, L: int, outside: int) -> list[list[Segment]]:
    """All of the tokens t .. T - 1."""
    if t == T:
        return [[]]
    return [
        [(t, n, k), *rest]
        for k in range(K)
        for n in range(1, min(1 if k == outside else L, T - t) + 1)
        for rest in segmentations(t + n, T, K, L, outside)
    ]


def tags_of(found: list[Segment], T: int) -> tuple[int, ...]:
    tags = [-1] * T
    for t, n, k in found:
        tags[t : t + n] = [2 * k] + [2 * k + 1] * (n - 1)
    return tuple(tags)


def in_pieces(y: np.ndarray, L: int) -> list[Segment]:
    """The segments with these tags, those longer than L in pieces."""
    found: list[Segment] = []
    for t, tag in enumerate(y):
        if tag >= 0 and (tag % 2 == 0 or found[-1][1] == L):
            found.append((t, 1, tag // 2))
        elif tag >= 0:
            start, length, k = found.pop()
            found.append((start, length + 1, k))
    return found
