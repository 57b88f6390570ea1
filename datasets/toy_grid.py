"""Small grids whose labels tend to equal their neighbours', seen with noise, as Markov fields.

Labels are drawn from a Potts model. Neighbours in a row and in a column have transitions of their own. The width
of a grid is the lesser of its sides.
"""

from typing import Annotated, Any

import numpy as np

from structbench.algorithms.structures import features
from structbench.algorithms.structures.field import model as field
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
STRUCTURE = "field"
SWEEPS = 50


def load(
    files: Any,
    *,
    rows: Annotated[int, ">= 2"] = 3,
    columns: Annotated[int, ">= 2"] = 4,
    labels: Annotated[int, ">= 2", "<= 20"] = 3,
    grids: Annotated[int, ">= 1"] = 100,
    test_grids: Annotated[int, ">= 1"] = 200,
    coupling: Annotated[float, ">= 0"] = 1.0,
    noise: Annotated[float, ">= 0"] = 0.8,
    max_width: Annotated[int, ">= 1"] = 4,
    seed: Annotated[int, ">= 0"] = 0,
) -> Problem:
    """``grids`` training and ``test_grids`` test grids; ``files`` is not used.

    A node's features are a number for each label, and a constant 1. The number is 1 for its own label and 0 for
    others, with normal noise.

    Args:
        coupling: How much likelier equal neighbours are, as a logarithm; with 0 labels are independent.
        noise: Deviation of a feature.
        max_width: Of the field; a larger grid is refused.

    Raises:
        UserError: The grid is too wide.
    """
    cells = np.arange(rows * columns).reshape(rows, columns)
    along = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    down = np.stack([cells[:-1].ravel(), cells[1:].ravel()], axis=1)
    kinds, ends = np.repeat([0, 1], [len(along), len(down)]), np.concatenate([along, down])
    rng = np.random.default_rng([seed, cells.size, len(ends), labels])

    def split(count: int) -> field.Field:
        y = labellings(count, cells.size, ends, labels, coupling, rng).ravel()
        seen = np.eye(labels)[y] + noise * rng.normal(size=(len(y), labels))
        return field.build(
            features.dense(np.column_stack([seen, np.ones(len(y))])),
            np.full(count, cells.size),
            y,
            labels,
            np.tile(ends, (count, 1)),
            np.full(count, len(ends)),
            kinds=np.tile(kinds, count),
            num_kinds=2,
            max_width=max_width,
        )

    return Problem(split(grids), split(test_grids), tuple(f"label {k + 1}" for k in range(labels)))


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
