"""The mistake-driven learners on tiny problems: weights after a few passes and what they predict."""

import numpy as np

from structbench.algorithms.search import decoding
from tests.algorithms.learners import learned
from tests.algorithms.searching import EXACT, LEARNABLE, learnable

PASSES = 3
RUNS = [
    (algorithm, params | {"beam": beam})
    for beam in (1, 3, "inf")
    for algorithm, params in (
        ("laso", {"update": "perceptron"}),
        ("laso", {"update": "alma"}),
        ("perceptron", {}),
        ("early-update", {}),
        ("max-violation", {}),
    )
    if beam != "inf" or algorithm in ("laso", "perceptron")
]


def results(seed: int = 0) -> dict[str, list[float]]:
    """Of each problem and run: averaged weights, their labels with that beam, and those of A*."""
    found = {}
    for name in LEARNABLE:
        problem = learnable(name)
        for algorithm, params in RUNS:
            if name in EXACT or params["beam"] != "inf":
                w = list(learned(algorithm, problem, PASSES, seed, **params))[-1][0]
                labels = [
                    decoding.predictions(problem, w, beam=params["beam"], decode="same", compare_at="decisions")[0]
                ]
                if name in EXACT:
                    labels.append(
                        decoding.predictions(problem, w, beam=1, decode="a-star", compare_at="decisions")[0]
                    )
                found[f"{name} {algorithm} {params}"] = np.concatenate([w, *labels]).tolist()
    return found
