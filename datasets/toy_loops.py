"""Loops whose labels tend to equal their neighbours', seen with noise: the least fields that are no trees.

Labels are drawn from a Potts model (``datasets.toy.potts``). A loop has width 2.
"""

from typing import Annotated, Any

import numpy as np

from structbench.datasets.problems.problem import Problem
from structbench.datasets.toy import potts

LICENCE = "generated here"
STRUCTURE = "field"
WIDTH = 2


def load(
    files: Any,
    *,
    nodes: Annotated[int, ">= 3"] = 8,
    labels: Annotated[int, ">= 2", "<= 20"] = 4,
    loops: Annotated[int, ">= 1"] = 100,
    test_loops: Annotated[int, ">= 1"] = 200,
    coupling: Annotated[float, ">= 0"] = 1.0,
    noise: Annotated[float, ">= 0"] = 0.8,
    seed: Annotated[int, ">= 0"] = 0,
) -> Problem:
    """``loops`` training and ``test_loops`` test loops; ``files`` is not used.

    Args:
        coupling: How much likelier equal neighbours are, as a logarithm; with 0 labels are independent.
        noise: Deviation of a feature.
    """
    v = np.arange(nodes)
    ends = np.stack([v, (v + 1) % nodes], axis=1)
    return potts.problem((loops, test_loops), nodes, ends, 0 * v, labels, coupling, noise, WIDTH, seed)
