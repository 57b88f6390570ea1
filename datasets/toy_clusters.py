"""Clusters on a circle, in turn of each class: hidden subclasses separate the classes, no straight line does.

Cluster c of K G lies on the unit circle at angle 2 pi (c + a turn of the seed) / (K G). Its class is c mod K. Its
points have normal noise. Features: both coordinates and a constant 1. For klein2011's latent variables.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, subclasses
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
SOURCES = ()
STRUCTURE = "subclasses"
SMALL = ("",)


def load(
    files: Any,
    *,
    points: int = 600,
    test_points: int = 1000,
    classes: int = 3,
    clusters: int = 3,
    noise: float = 0.08,
    hidden: int = 6,
    seed: int = 0,
) -> Problem:
    """``points`` training and ``test_points`` test points; ``files`` is not used.

    Args:
        clusters: G, of each class.
        noise: Deviation of each coordinate, in radii of the circle.
        hidden: Subclasses that the structure has for each class; with 1 nothing is hidden.

    Raises:
        UserError: An option is out of range.
    """
    for name, value, least in (
        ("points", points, 2), ("test_points", test_points, 1), ("classes", classes, 2),
        ("clusters", clusters, 1), ("hidden", hidden, 1), ("noise", noise, 0), ("seed", seed, 0),
    ):  # fmt: skip
        if value < least:
            raise UserError(f"data set toy-clusters: {name} must be {least} or more, not {value:g}")
    rng = np.random.default_rng([seed, classes, clusters])
    turn = rng.random()

    def split(count: int) -> subclasses.Subclasses:
        cluster = rng.integers(classes * clusters, size=count)
        angle = 2 * np.pi * (cluster + turn) / (classes * clusters)
        x = np.column_stack([np.cos(angle), np.sin(angle)]) + noise * rng.normal(size=(count, 2))
        return subclasses.build(
            features.dense(np.column_stack([x, np.ones(count)])), cluster % classes, classes, hidden
        )

    return Problem(split(points), split(test_points), tuple(f"class {k + 1}" for k in range(classes)))
