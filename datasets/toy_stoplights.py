"""The stoplights of klein2011: two lights that are red or green in turn, or broken and both red.

"Example: Stoplights": P(broken) = 1/7, and both lights are red then; else one is red and the other green. The data
have these shares exactly: 1 observation of 7 is of broken lights. Features: how many lights are red, how many
green, and a constant 1. A model that counts words then has P(red | working) = 1/2 and P(red | broken) = 1, as on
the slide.
"""

from typing import Annotated, Any

import numpy as np

from structbench.algorithms.structures import features, multiclass
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
REFERENCES = ("klein2011",)
STRUCTURE = "multiclass"
WORKING, BROKEN = LABELS = ("working", "broken")
BOTH_RED, ONE_RED = (2, 0, 1), (1, 1, 1)


def load(files: Any, *, broken: Annotated[int, ">= 1"] = 1, working: Annotated[int, ">= 1"] = 6) -> Problem:
    """``broken`` and ``working`` observations of such lights, to train on and to test on; ``files`` is not used.

    ``broken=6`` is the slide's "imagine if P(b) were boosted higher, to 1/2".
    """
    x = np.array([BOTH_RED] * broken + [ONE_RED] * working, float)
    y = np.repeat([LABELS.index(BROKEN), LABELS.index(WORKING)], [broken, working])
    split = multiclass.build(features.dense(x), y, len(LABELS))
    return Problem(split, split, LABELS)
