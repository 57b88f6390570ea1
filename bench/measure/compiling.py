"""What compiling everything costs: every algorithm on every structure that it learns, from an empty cache.

``python -m bench.measure.compiling`` prints, as JSON, how many kernels this process compiled and the CPU seconds
that took. The folder of the cache is that of ``STRUCTBENCH_KERNELS``.
"""

import json
import time

from algorithms.runtime import compiling
from bench.runs import catalogue, problems
from bench.runs.spec import make

DATA = {  # of each structure
    "multiclass": "mnist:train=100,test=100",
    "chain": "toy-english:sentences=30",
    "segments": "toy-english:sentences=30,task=segments",
    "joint": "toy-english:sentences=30,task=joint",
}


class Compilations:
    """Counts and times what numba compiles, from the outermost kernel on, in CPU seconds."""

    def __init__(self) -> None:
        self.count, self.seconds, self._depth, self._started = 0, 0.0, 0, 0.0

    def __call__(self, name: str, done: bool) -> None:
        if not self._depth:
            self._started = time.process_time()
        self._depth += -1 if done else 1
        self.count += done
        if not self._depth:
            self.seconds += time.process_time() - self._started


def everything() -> dict[str, float]:
    """Warm up every algorithm, with each of its losses, on every structure; kernels, and CPU seconds for them."""
    from bench.runs.driver import warm_up

    with compiling.heard(met := Compilations()):
        for structure, data in DATA.items():
            problem = problems.obtain(data)[0]
            for name in catalogue.algorithms():
                if not catalogue.runs_on(name, structure) or catalogue.missing(name):
                    continue
                for loss in catalogue.losses(name):
                    if name == "crfsuite" and loss == "hinge":
                        continue  # its default method has none
                    C = None if loss == catalogue.NO_LOSS else 1.0
                    penalty = catalogue.penalties(name)[0].replace("LAMBDA", "1")
                    warm_up(make(data, loss, C, name, penalty=penalty), problem)
    return {"kernels": met.count, "cpu_seconds": met.seconds}


if __name__ == "__main__":
    print(json.dumps(everything()))
