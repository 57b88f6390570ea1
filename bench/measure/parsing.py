"""Dependency parsing on the Spanish trees, in units of p: the time of one online EG pass over MNIST, beside it."""

import os
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.structures import interface as parts
from bench.measure import passes
from bench.measure.row import Row
from bench.runs import problems

DATA, C = "conll2007", 10.0
REPEATS = 3  # of which the fastest counts
MOST_MEMORY = 2.5  # GB


def rows() -> Iterator[Row]:
    """Dependency parsing: passes, iterations, inference, decoding, memory."""
    from algorithms.learning.objective import Objective
    from algorithms.runtime import parallel
    from algorithms.structures.prediction import error_rate

    p = passes.costs("mnist", 10.0)[0]

    def row(what: str, seconds: float, most: float) -> Row:
        said = f"{seconds:.2f} s = {seconds / p:.1f} p"
        return Row("parsing", what, said, "", f"at most {most:g} p", seconds <= most * p)

    eg, sgd = passes.costs(DATA, C)
    yield row(f"one online EG pass over {DATA}, mean of the first {passes.PASSES}", eg, 20)
    yield passes.against_sgd("parsing", DATA, eg, sgd, 1.1)

    problem = problems.obtain(DATA)[0]
    objective = Objective(problem.train, "log", C)
    w = 0.1 * np.random.default_rng(0).normal(size=parts.num_weights(problem.train))
    evaluate = partial(objective.value_and_gradient, w, np.empty_like(w))
    wall = {}
    for threads in sorted({1, min(2, os.cpu_count() or 1), os.cpu_count() or 1}):
        parallel.set_threads(threads)
        wall[threads] = _fastest(evaluate)
    parallel.set_threads(1)
    yield row("value and gradient of all sentences, as in an L-BFGS iteration", wall[1], 20)
    said = ", ".join(f"{threads}: {seconds:.2f} s" for threads, seconds in wall.items())
    yield Row("parsing", "wall time of these, by threads", said, "", "falls", wall[max(wall)] < wall[1])

    offsets = parts.offsets(problem.train)
    s, mu = np.random.default_rng(0).normal(size=(2, offsets[-1]))
    infer = partial(_marginals, parts.compiled(problem.train), offsets, s, mu)
    yield row("inside and outside sums of all sentences", _fastest(infer), 4)
    decode = partial(error_rate, problem.test, w)
    yield row(f"scores and best trees of {parts.num_examples(problem.test)} test sentences", _fastest(decode), 8)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    what = "most memory of this process"
    yield Row("parsing", what, f"{memory:.2f} GB", "", f"at most {MOST_MEMORY:g} GB", memory <= MOST_MEMORY)


def _fastest(call: Callable[[], object]) -> float:
    """Wall seconds; the first call, which may compile, does not count."""
    call()
    found = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        found.append(time.perf_counter() - started)
    return min(found)


@kernel
def _marginals(split, offsets, s, mu):
    for i in range(offsets.shape[0] - 1):
        parts.marginals(split, i, s[offsets[i] : offsets[i + 1]], mu[offsets[i] : offsets[i + 1]])
