"""Every algorithm on tiny cases of the oracle: primal and dual of a few steps of each run."""

from tests.algorithms.oracle import case
from tests.algorithms.solvers import RUNS, VARIANTS, first

STEPS = 8
FEWER = {"frank-wolfe": 3, "smo-eg": 2}  # that soon meet outputs which tie but for rounding: it has its own ways


def results(structures: list[str]) -> dict[str, list[float]]:
    """(structure, algorithm, loss) -> primal and dual values of the first few steps."""
    found = {}
    for name in structures:
        split = case(name, lengths=(2, 1, 3)).split
        for variant, loss in RUNS:
            run = first(FEWER.get(VARIANTS[variant][0], STEPS), variant, split, loss, 0.8)
            found[f"{name} {variant} {loss}"] = [v for point in run for v in point.value]
    return found
