"""All matchings of small random sentence pairs, written out: what the structure must agree with."""

from collections.abc import Callable
from itertools import product

import numpy as np

from structbench.algorithms.structures import matching
from tests.algorithms.cases import Case, Example, Shape
from tests.algorithms.drawn_features import rows_of


def alignments(J: int, K: int) -> list[tuple[int, ...]]:
    """The partner of each source word from 1 on, 0 for none; each target word once at most."""
    every = product(range(K + 1), repeat=J)
    return [each for each in every if len({k for k in each if k}) == sum(k > 0 for k in each)]


def of_shape(draw: Callable) -> Callable[[Shape, np.random.Generator], Case]:
    """As the oracle draws: source words are the tokens, target words as many as labels, three at most."""
    return lambda shape, rng: case(draw, rng, tuple((T, min(shape.num_labels, 3)) for T in shape.lengths))


def case(
    draw: Callable, rng: np.random.Generator, sizes: tuple[tuple[int, int], ...] = ((3, 2), (1, 3), (2, 2))
) -> Case:
    """A random case; weights (3 columns,), parts (source word, 0 or partner)."""
    edges = [J * K for J, K in sizes]
    x = draw((sum(edges), 3), 0.7, rng)
    examples, links = [], []
    for i, (rows, (J, K)) in enumerate(zip(np.split(rows_of(x), np.cumsum(edges)[:-1]), sizes, strict=True)):
        features = np.zeros((J, K + 1, 3))
        features[:, 1:] = rows.reshape(J, K, 3)
        every = alignments(J, K)
        right = every[rng.integers(len(every))]
        links += [(i, j, k - 1) for j, k in enumerate(right) if k]
        outputs = np.array([np.eye(K + 1)[list(each)].ravel() for each in every])
        gold, labels = np.eye(K + 1)[list(right)].ravel(), np.array(every)
        losses = (labels != np.array(right)).sum(axis=1).astype(float)
        flat = features.reshape(-1, 3)
        examples.append(Example(flat, outputs, outputs, labels, losses, gold, np.array(right)))
    lengths = np.array(sizes)
    return Case(matching.build(x, lengths[:, 0], lengths[:, 1], np.array(links)), examples, 0, first=False)
