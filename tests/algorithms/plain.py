"""What kernels compute, in one process without compilation and in one with it.

``NUMBA_DISABLE_JIT=1 python -m tests.algorithms.plain`` prints it as JSON, computed as plain Python, where an
index beyond an array is an error.
"""

import json
from typing import Any

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.search import decoding
from structbench.algorithms.structures import interface as parts
from structbench.bench.checks import operations as compiled
from tests.algorithms import any_order, hypergraphs
from tests.algorithms.learners import RUNS, learned
from tests.algorithms.oracle import COVERING, STRUCTURES, able, case
from tests.algorithms.searching import EXACT, LEARNABLE, learnable
from tests.algorithms.solvers import VARIANTS, first, runs_on

STEPS = 8
# that soon meet outputs whose scores differ by rounding alone
FEWER = {"frank-wolfe": 3, "smo-eg": 3, "cutting-plane": 6, "sequential-dual": 2}
SOONER = {
    ("smo-eg", kind): steps
    for kind, steps in (("dependency", 1), ("forest", 2), ("chain", 2), ("field", 2), ("tree", 2))
}


def operations() -> dict[str, list[float]]:
    """All that the operations of inference say of a few examples of each structure, at scores of two sizes."""
    found = {}
    for name in STRUCTURES:
        split, rng, numbers = case(name, lengths=(2, 1, 3)).split, np.random.default_rng(0), []
        w = rng.normal(size=parts.num_weights(split))
        for i, size in enumerate(np.diff(parts.offsets(split))):
            for scale in (1.0, 500.0):
                s, v = scale * rng.normal(size=(2, size))
                numbers += map(np.ravel, compiled.operations(split, i, w, s, v))
                if able(name, "cliques"):
                    numbers += map(np.ravel, compiled.cliques(split, i, s, v, 0.3, 0.01))
                if able(name, "k-best"):
                    numbers += map(np.ravel, compiled.k_best(split, i, s, 7))
            out = np.full(len(w), -1)
            numbers.append(np.array([feature_support(parts.compiled(split), i, v, out)]))
            numbers.append(out)
        found[name] = np.concatenate(numbers).tolist()
    return found


@kernel
def feature_support(split, i, v, out):
    return parts.feature_support(split, i, v, out) + 1000 * parts.num_examples(split)


def algorithms() -> dict[str, list[float]]:
    """(structure, algorithm, loss) -> primal and dual values of the first few steps."""
    found = {}
    for name in COVERING:
        split = case(name, lengths=(2, 1, 3)).split
        for variant, loss in runs_on(name):
            algorithm, structure = VARIANTS[variant][0], name.partition("-")[0]
            steps = SOONER.get((algorithm, structure), FEWER.get(algorithm, STEPS))
            run = first(steps, variant, split, loss, 0.8)
            found[f"{name} {variant} {loss}"] = [v for point in run for v in point.value]
    return found


def learners() -> dict[str, list[float]]:
    """Of each problem and run: averaged weights, their labels with that beam, and those of A*."""
    found = {}
    for name in LEARNABLE:
        problem = learnable(name)
        for algorithm, params in RUNS:
            if name in EXACT or params["beam"] != "inf":
                w = list(learned(algorithm, problem, 3, 0, **params))[-1][0]
                labels = [
                    decoding.predictions(problem, w, beam=params["beam"], decode="same", compare_at="decisions")[0]
                ]
                if name in EXACT:
                    labels.append(
                        decoding.predictions(problem, w, beam=1, decode="a-star", compare_at="decisions")[0]
                    )
                found[f"{name} {algorithm} {params}"] = np.concatenate([w, *labels]).tolist()
    return found


def results() -> dict[str, Any]:
    """By module of the tests."""
    return {
        "operations": operations(),
        "algorithms": algorithms(),
        "learners": learners(),
        "any order": any_order.results(),
        "dead end": any_order.dead_ends(),
        "hypergraphs": hypergraphs.results(),
    }


if __name__ == "__main__":
    print(json.dumps(results()))
