"""What kernels compute, in one process without compilation and in one with it.

``NUMBA_DISABLE_JIT=1 python -m tests.algorithms.plain`` prints it as JSON, computed as plain Python, where an
index beyond an array is an error.
"""

import json
from typing import Any

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from tests.algorithms import any_order, compiled, dead_end, hypergraphs, tiny, tiny_search
from tests.algorithms.oracle import COVERING, STRUCTURES, able, case


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


def results() -> dict[str, Any]:
    """By module of the tests."""
    return {
        "operations": operations(),
        "algorithms": tiny.results(list(COVERING)),
        "learners": tiny_search.results(),
        "any order": any_order.results(),
        "dead end": dead_end.results(),
        "hypergraphs": hypergraphs.results(),
    }


if __name__ == "__main__":
    print(json.dumps(results()))
