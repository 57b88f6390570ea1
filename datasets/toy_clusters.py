"""Clusters on a circle with alternating classes: hidden subclasses separate them, but no straight line does.

Cluster c of K G lies on the unit circle at angle 2 pi (c + a turn of the seed) / (K G). Its class is c mod K. Its
points have normal noise. Features: both coordinates and a constant 1. For klein2011's latent variables.
"""

from typing import Annotated, Any

import numpy as np

from structbench.algorithms.structures import features, subclasses
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
REFERENCES = ("klein2011",)
STRUCTURE = "subclasses"


def load(
    files: Any,
    *,
    points: Annotated[int, ">= 2"] = 600,
    test_points: Annotated[int, ">= 1"] = 1000,
    classes: Annotated[int, ">= 2"] = 3,
    clusters: Annotated[int, ">= 1"] = 3,
    noise: Annotated[float, ">= 0"] = 0.08,
    hidden: Annotated[int, ">= 1"] = 6,
    seed: Annotated[int, ">= 0"] = 0,
) -> Problem:
    """``points`` training and ``test_points`` test points; ``files`` is not used.

    Args:
        clusters: G, of each class.
        noise: Deviation of each coordinate, in radii of the circle.
        hidden: Subclasses that the structure has for each class; with 1 nothing is hidden.
    """
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
