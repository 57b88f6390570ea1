"""One online pass of EG, and its cost beside SGD's."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.measure.row import Row
from bench.runs import algorithm_module, problems
from bench.runs.spec import make

PASSES = 5
REPEATS = 3  # of which the fastest counts
MOST = 1.3  # visits of SGD that one of EG may cost


def rows() -> Iterator[Row]:
    """One online pass of EG, and its cost beside SGD's."""
    for data, C, target in (("mnist", 10.0, 0.5), ("ocr", 10.0, None), ("conll2000", 2.0, 3.0)):
        eg, sgd = costs(data, C)
        limit = "" if target is None else f"at most {target:g} s"
        met = None if target is None else eg <= target
        what = f"one online EG pass over {data}, mean of the first {PASSES}"
        yield Row("passes", what, f"{eg:.3f} s", "", limit, met)
        yield against_sgd("passes", data, eg, sgd, MOST)


def against_sgd(part: str, data: str, eg: float, sgd: float, most: float) -> Row:
    """A visit of EG against one of SGD."""
    what = f"a visit of EG against one of SGD, {data}"
    return Row(part, what, f"{eg / sgd:.2f} x", f"{sgd:.3f} s a pass", f"at most {most:g} x", eg / sgd <= most)


def costs(data: str, C: float) -> tuple[float, float]:
    """CPU seconds of a pass of online EG and of SGD, the mean of the first ``PASSES``, set-up left out."""
    from algorithms.learning.objective import Objective
    from algorithms.structures import interface as parts
    from bench.runs.driver import warm_up

    problem = problems.obtain(data)[0]
    n = parts.num_examples(problem.train)
    found = {"eg": np.inf, "sgd": np.inf}
    for algorithm in [*found] * REPEATS:
        params: dict[str, Any] = {"eta0": 0.1} if algorithm == "sgd" else {}
        warm_up(make(data, "log", C, algorithm, params), problem)
        objective = Objective(problem.train, "log", C)
        solver = algorithm_module.solver(algorithm)(problem, objective, np.random.default_rng(0), **params)
        next(solver)
        started = time.process_time()
        iterate = next(iterate for iterate in solver if iterate.visits >= PASSES * n)
        found[algorithm] = min(found[algorithm], (time.process_time() - started) / iterate.visits * n)
    return found["eg"], found["sgd"]
