"""Every algorithm on the tiny cases of the oracle, for tests that need a process of their own.

``python -m tests.algorithms.tiny STRUCTURE ...`` prints, as JSON, primal and dual of a few steps of each run.
"""

import json
import sys

from tests.algorithms.oracle import case
from tests.algorithms.solvers import RUNS, first

STEPS = 8
# Frank-Wolfe soon meets outputs that tie but for rounding, which differs without compilation: it goes another way.
FEWER = {"frank-wolfe": 4, "frank-wolfe-inner": 3, "frank-wolfe-toward": 4}


def results(structures: list[str]) -> dict[str, list[float]]:
    """(structure, algorithm, loss) -> primal and dual values of the first few steps."""
    found = {}
    for name in structures:
        split = case(name, lengths=(2, 1, 3)).split
        for variant, loss in RUNS:
            run = first(FEWER.get(variant, STEPS), variant, split, loss, 0.8)
            found[f"{name} {variant} {loss}"] = [v for point in run for v in point.value]
    return found


if __name__ == "__main__":
    print(json.dumps(results(sys.argv[1:])))
