"""Points in the plane, of two or more classes: separable with a margin of choice, or overlapping.

For the pictures of klein2011 ("Examples: Perceptron", "Linear Separators", "Classification Margin"). Class k has
the direction at angle (k / classes + a turn of the seed) of a full circle. Separable points are uniform in the
unit disc, each of the class whose direction it lies in most. None is nearer than ``margin`` to a border between
two classes. Overlapping points are a cloud N(0.5 direction, 0.4^2) for each class. No straight line separates
them. Features: both coordinates and a constant 1.
"""

from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, multiclass
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
REFERENCES = ("klein2011",)
STRUCTURE = "multiclass"

CENTRE, NOISE = 0.5, 0.4


def load(
    files: Any,
    *,
    kind: Literal["separable", "overlapping"] = "separable",
    points: Annotated[int, ">= 2"] = 60,
    test_points: Annotated[int, ">= 1"] = 1000,
    classes: Annotated[int, ">= 2"] = 2,
    margin: Annotated[float, ">= 0", "<= 0.5"] = 0.1,
    seed: Annotated[int, ">= 0"] = 0,
) -> Problem:
    """``points`` training and ``test_points`` test points of the same kind; ``files`` is not used.

    Args:
        margin: Least distance of a separable point from a border, of the disc's radius.

    Raises:
        UserError: No point of the disc is so far from a border.
    """
    if kind == "separable" and margin >= (most := np.sin(np.pi / classes)):
        raise UserError(f"toy-points: margin must be below {most:.3g} with {classes} classes, not {margin:g}")
    rng = np.random.default_rng([seed, classes])
    angles = 2 * np.pi * (np.arange(classes) / classes + rng.random())
    directions = np.stack([np.cos(angles), np.sin(angles)])

    def split(count: int) -> multiclass.Multiclass:
        draw = _apart(rng, directions, count, margin) if kind == "separable" else _clouds(rng, directions, count)
        x = np.column_stack([draw[0], np.ones(count)])
        return multiclass.build(features.dense(x), draw[1], classes)

    return Problem(split(points), split(test_points), tuple(f"class {k + 1}" for k in range(classes)))


def _apart(
    rng: np.random.Generator, directions: np.ndarray, count: int, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 2) of the unit disc away from all borders, and their classes, as evenly as they fall."""
    found, labels = np.empty((0, 2)), np.empty(0, np.int64)
    while len(found) < count:
        radius, angle = np.sqrt(rng.random(4 * count)), 2 * np.pi * rng.random(4 * count)
        x = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
        scores = x @ directions
        y = scores.argmax(axis=1)
        gaps = directions[:, y].T[:, :, None] - directions[None]  # (points, 2, classes)
        lengths = np.linalg.norm(gaps, axis=1)
        lengths[lengths < 1e-12] = np.nan  # of a class and itself
        away = np.nanmin((scores.max(axis=1)[:, None] - scores) / lengths, axis=1)
        found = np.concatenate([found, x[away >= margin]])
        labels = np.concatenate([labels, y[away >= margin]])
    return found[:count], labels[:count]


def _clouds(rng: np.random.Generator, directions: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 2) of clouds that overlap, the classes in turn."""
    y = np.arange(count) % directions.shape[1]
    return CENTRE * directions[:, y].T + NOISE * rng.normal(size=(count, 2)), y
