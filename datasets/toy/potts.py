"""Labellings of a graph from a Potts model, and what is seen of them: ``toy-grid`` and ``toy-loops``."""

import numpy as np

from structbench.algorithms.structures import features
from structbench.algorithms.structures.field import model as field
from structbench.datasets.problems.problem import Problem

SWEEPS = 50


def labellings(
    count: int, nodes: int, ends: np.ndarray, labels: int, coupling: float, rng: np.random.Generator
) -> np.ndarray:
    """``count`` labellings, int (count, nodes): p(y) in proportion to exp(coupling x edges whose ends are equal).

    By Gibbs sampling: the last states of ``SWEEPS`` sweeps from uniform labels.

    Args:
        ends: The two nodes of each edge, (edges, 2).
    """
    around = [np.concatenate([ends[ends[:, 0] == v, 1], ends[ends[:, 1] == v, 0]]) for v in range(nodes)]
    y = rng.integers(labels, size=(count, nodes))
    for _ in range(SWEEPS):
        for v in range(nodes):
            equal = (y[:, around[v], None] == np.arange(labels)).sum(axis=1)
            noise = rng.gumbel(size=(count, labels))
            y[:, v] = (coupling * equal + noise).argmax(axis=1)
    return y


def problem(
    sizes: tuple[int, int],
    nodes: int,
    ends: np.ndarray,
    kinds: np.ndarray,
    labels: int,
    coupling: float,
    noise: float,
    max_width: int,
    seed: int,
) -> Problem:
    """``count`` training and test examples of one graph.

    A node's features are a number for each label, and a constant 1. The number is 1 for its own label and 0 for
    others, with normal noise.

    Raises:
        UserError: The graph is wider than ``max_width``.
    """
    rng = np.random.default_rng([seed, nodes, len(ends), labels])

    def split(count: int) -> field.Field:
        y = labellings(count, nodes, ends, labels, coupling, rng).ravel()
        seen = np.eye(labels)[y] + noise * rng.normal(size=(len(y), labels))
        return field.build(
            features.dense(np.column_stack([seen, np.ones(len(y))])),
            np.full(count, nodes),
            y,
            labels,
            np.tile(ends, (count, 1)),
            np.full(count, len(ends)),
            kinds=np.tile(kinds, count),
            num_kinds=int(kinds.max()) + 1,
            max_width=max_width,
        )

    return Problem(split(sizes[0]), split(sizes[1]), tuple(f"label {k + 1}" for k in range(labels)))
