"""Every algorithm on tiny cases of the oracle: primal and dual of a few steps of each run."""

from tests.algorithms.oracle import case
from tests.algorithms.solvers import VARIANTS, first, runs_on

STEPS = 8
FEWER = {"frank-wolfe": 3, "smo-eg": 3, "cutting-plane": 6}  # that soon meet outputs which tie but for rounding
SOONER = {
    ("smo-eg", kind): steps for kind, steps in (("dependency", 1), ("forest", 2), ("chain", 2), ("field", 2))
}


def results(structures: list[str]) -> dict[str, list[float]]:
    """(structure, algorithm, loss) -> primal and dual values of the first few steps."""
    found = {}
    for name in structures:
        split = case(name, lengths=(2, 1, 3)).split
        for variant, loss in runs_on(name):
            algorithm, structure = VARIANTS[variant][0], name.partition("-")[0]
            steps = SOONER.get((algorithm, structure), FEWER.get(algorithm, STEPS))
            run = first(steps, variant, split, loss, 0.8)
            found[f"{name} {variant} {loss}"] = [v for point in run for v in point.value]
    return found
