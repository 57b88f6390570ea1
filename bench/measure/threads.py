"""What a second thread gives to whatever passes over all examples at once."""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from algorithms.learning.objective import Objective
from algorithms.runtime import parallel
from algorithms.runtime.errors import UserError
from algorithms.structures import interface as parts
from algorithms.structures import prediction
from bench.measure.row import Row
from bench.runs import algorithm_module, problems
from bench.runs.spec import make

DATA, C = "conll2000", 2.0
THREADS = 2
LEAST = 1.7  # times as fast as one thread
REPEATS = 5
STEPS = 10  # iterations of an algorithm a repetition
TIMES = 3  # passes of evaluation and prediction
BEFORE = 12  # iterations until L-BFGS has all its pairs


def rows() -> Iterator[Row]:
    """Wall time on one thread and on two: L-BFGS, batch EG, evaluation of a split, prediction.

    Raises:
        UserError: the machine has one processor.
    """
    if (os.cpu_count() or 1) < THREADS:
        raise UserError(f"measure: the part threads needs {THREADS} processors, and this machine has one")
    problem = problems.obtain(DATA)[0]
    objective = Objective(problem.train, "log", C)
    w = 0.1 * np.random.default_rng(0).normal(size=parts.num_weights(problem.train))
    works = {
        "an L-BFGS iteration": partial(_advancing, problem, "lbfgs", {}),
        "a step of batch EG": partial(_advancing, problem, "eg", {"mode": "batch"}),
        "evaluation of the training split": partial(_repeating, partial(objective.evaluate, w, None)),
        "prediction of the test split": partial(_repeating, partial(prediction.predictions, problem.test, w)),
    }
    with threadpool_limits(1):
        for what, prepare in works.items():
            yield _row(f"{what}, {DATA}", prepare())


def _row(what: str, works: dict[int, Callable[[], int]]) -> Row:
    """One row from, by threads, a function that works and says how many times it did the work."""
    taken: dict[int, list[float]] = {threads: [] for threads in works}
    for _ in range(REPEATS):
        for threads, work in works.items():
            parallel.set_threads(threads)
            started = time.perf_counter()
            times = work()
            taken[threads].append((time.perf_counter() - started) / times)
    parallel.set_threads(1)
    gains = sorted(one / more for one, more in zip(taken[1], taken[THREADS], strict=True))
    gain = median(gains)
    walls = f"{median(taken[1]):.3f} and {median(taken[THREADS]):.3f} s"
    said = f"{walls}, {gain:.2f} x ({gains[0]:.2f} to {gains[-1]:.2f})"
    return Row("threads", f"{what}: one thread and two, wall", said, "", f"at least {LEAST:g} x", gain >= LEAST)


def _advancing(problem: Any, algorithm: str, params: dict[str, Any]) -> dict[int, Callable[[], int]]:
    """Two runs of one algorithm, which make the same steps, whatever their threads."""
    from bench.runs.driver import warm_up

    warm_up(make(DATA, "log", C, algorithm, params), problem)

    def start() -> Callable[[], int]:
        rng = np.random.default_rng(0)
        solver = algorithm_module.solver(algorithm)(problem, Objective(problem.train, "log", C), rng, **params)
        for _ in islice(solver, BEFORE):
            pass
        return lambda: sum(1 for _ in islice(solver, STEPS))

    return {1: start(), THREADS: start()}


def _repeating(call: Callable[[], object]) -> dict[int, Callable[[], int]]:
    """The same call again and again; the first, which may compile, does not count."""
    call()
    return dict.fromkeys((1, THREADS), lambda: sum(1 for _ in range(TIMES) if call() is not None))
