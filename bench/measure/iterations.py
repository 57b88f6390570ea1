"""One L-BFGS iteration against CRFsuite's on the chunking templates, on one thread and on two."""

import os
import time
from collections.abc import Iterator
from itertools import islice
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from algorithms.learning.objective import Objective
from algorithms.runtime import parallel
from algorithms.structures import interface as parts
from bench.measure.row import Row
from bench.runs import algorithm_module, catalogue, problems
from bench.runs.spec import make

SIZES = (("conll2000", 2.0), ("bottou", 1.0))  # 7.4 and 1.68 million weights
SHARES = {1: 0.4, 2: 0.25}  # of CRFsuite's seconds, which knows one thread: CPU on one thread, wall on more
REPEATS = 3
ITERATIONS = 8
FULL = 12  # iterations until all pairs are in use


def rows() -> Iterator[Row]:
    """An iteration in turn on one thread, on two, and CRFsuite's: medians of the repetitions, and their spread."""
    catalogue.require("crfsuite")
    for data, C in SIZES:
        ours, theirs = seconds(data, C)
        size = parts.num_weights(problems.obtain(data)[0].train) / 1e6
        for threads, found in ours.items():
            clock = "CPU" if threads == 1 else "wall"
            its = [pair[threads > 1] for pair in theirs]
            ratios = sorted(mine / other for mine, other in zip(found, its, strict=True))
            ratio, limit = median(ratios), SHARES[threads]
            what = (
                f"one L-BFGS iteration, {size:.2f} million weights, {threads} thread{'s' * (threads > 1)}, {clock}"
            )
            said = f"{median(found):.3f} s, {ratio:.2f} x ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            yield Row("chunking", what, said, f"{median(its):.3f} s", f"at most {limit:g} x", ratio <= limit)


def seconds(data: str, C: float) -> tuple[dict[int, list[float]], list[tuple[float, float]]]:
    """Seconds an iteration, one number a repetition: ours by threads, CPU or wall, and CRFsuite's CPU and wall."""
    from algorithms.peers import crfsuite
    from bench.runs.driver import warm_up

    problem = problems.obtain(data)[0]
    warm_up(make(data, "log", C, "lbfgs"), problem)
    objective = Objective(problem.train, "log", C)
    peer = crfsuite.timed(objective)
    solver = algorithm_module.solver("lbfgs")(problem, objective, np.random.default_rng(0))
    for _ in islice(solver, FULL):
        pass
    ours: dict[int, list[float]] = {threads: [] for threads in SHARES if threads <= (os.cpu_count() or 1)}
    theirs = []
    with threadpool_limits(1):
        for _ in range(REPEATS):
            for threads, found in ours.items():
                parallel.set_threads(threads)
                clock = time.process_time if threads == 1 else time.perf_counter
                started = clock()
                for _ in islice(solver, ITERATIONS):
                    pass
                found.append((clock() - started) / ITERATIONS)
            parallel.set_threads(1)
            first, all_of_them = peer(1), peer(1 + ITERATIONS)
            wall, cpu = ((b - a) / ITERATIONS for a, b in zip(first, all_of_them, strict=True))
            theirs.append((cpu, wall))
    solver.close()
    return ours, theirs
