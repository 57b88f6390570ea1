"""Every algorithm on the tiny cases of the oracle, for tests that need a process of their own.

``python -m tests.algorithms.tiny STRUCTURE ...`` prints, as JSON, primal and dual of a few steps of each run.
"""

import json
import sys

from tests.algorithms.oracle import case
from tests.algorithms.solvers import RUNS, first

STEPS = 8


def results(structures: list[str]) -> dict[str, list[float]]:
    """(structure, algorithm, loss) -> primal and dual values of the first few steps."""
    found = {}
    for name in structures:
        split = case(name, lengths=(2, 1, 3)).split
        for variant, loss in RUNS:
            run = first(STEPS, variant, split, loss, 0.8)
            found[f"{name} {variant} {loss}"] = [v for point in run for v in point.value]
    return found


if __name__ == "__main__":
    print(json.dumps(results(sys.argv[1:])))
