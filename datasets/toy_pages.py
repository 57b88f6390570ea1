"""The web pages of klein2011: the query "Apple Computers" and two pages, of which the second is the best.

"Feature Vectors" and "Example: 'Best' Web Page": f = [0.3 5 0 0] of the page on the fruit, [0.8 4 2 1] of the one
on the firm. The slide does not give the numbers behind the dots. They are left out.
"""

from typing import Any

import numpy as np

from structbench.algorithms.structures import candidates, features
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
REFERENCES = ("klein2011",)
STRUCTURE = "candidates"
SCORES = ("lists",)
PAGES = ("Apple (fruit)", "Apple Inc. (company)")
FEATURES = ((0.3, 5.0, 0.0, 0.0), (0.8, 4.0, 2.0, 1.0))
BEST = 1


def load(files: Any) -> Problem:
    """The one query, to train on and to test on; ``files`` is not used."""
    losses = np.array([float(k != BEST) for k in range(len(PAGES))])
    split = candidates.build(features.dense(np.array(FEATURES)), np.array([len(PAGES)]), losses)
    return Problem(split, split, PAGES)
