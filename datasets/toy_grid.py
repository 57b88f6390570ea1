"""Small grids whose labels tend to equal their neighbours', seen with noise, as Markov fields.

Labels are drawn from a Potts model (``datasets.toy.potts``). Neighbours in a row and in a column have transitions
of their own. The width of a grid is the lesser of its sides.
"""

from typing import Annotated, Any

import numpy as np

from structbench.datasets.problems.problem import Problem
from structbench.datasets.toy import potts

LICENCE = "generated here"
STRUCTURE = "field"


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

    Args:
        coupling: How much likelier equal neighbours are, as a logarithm; with 0 labels are independent.
        noise: Deviation of a feature.
        max_width: Of the field; a larger grid is refused.

    Raises:
        UserError: An option is out of range, or the grid is too wide.
    """
    cells = np.arange(rows * columns).reshape(rows, columns)
    along = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    down = np.stack([cells[:-1].ravel(), cells[1:].ravel()], axis=1)
    kinds = np.repeat([0, 1], [len(along), len(down)])
    ends = np.concatenate([along, down])
    sizes = grids, test_grids
    return potts.problem(sizes, cells.size, ends, kinds, labels, coupling, noise, max_width, seed)
