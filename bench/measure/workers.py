"""Online EG on four simulated workers: passes and gap as they are, seconds as four cores would take at best.

One thread makes the blocks of every loop one after another, and times each. A block counts for the worker that
would be free first. Cores that share memory or caches are slower than this.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import interface as parts
from structbench.bench.drawing import curves
from structbench.bench.measure.row import Row
from structbench.bench.runs import algorithm_module, driver, problems
from structbench.bench.runs.spec import make

PROBLEMS = {"bottou": 1.0, "conll2000": 2.0, "mnist": 10.0}  # data set -> C
WORKERS, GAP = 4, 1e-3


class Workers:
    """In place of ``parallel`` with this many threads. ``saved``: CPU seconds that they would have saved."""

    clock = staticmethod(time.process_time)

    def __init__(self, count: int) -> None:
        self.count, self.saved = count, 0.0

    def threads(self) -> int:
        return self.count

    def for_each(self, kernel: Callable[..., None], items: int, *arguments: Any) -> None:
        """As ``parallel.for_each``."""
        busy = np.zeros(self.count)
        for first, last in parallel.blocks(items, self.count):
            begun = self.clock()
            kernel(first, last, *arguments)
            busy[np.argmin(busy)] += self.clock() - begun
        self.saved += float(busy.sum() - busy.max())


def rows() -> Iterator[Row]:
    """CoCoA+ with a block for each worker, against online EG by gap on one thread."""
    for data, C in PROBLEMS.items():
        one, _, _ = _to_gap(data, C, 1, "eg", order="gap")
        seconds, passes, gap = _to_gap(data, C, WORKERS, "cocoa", blocks=WORKERS)
        what = f"{data}, C = {C:g}, to a certified {GAP:g}: {WORKERS} simulated workers, against one thread"
        ours = f"{seconds:.2f} s, {passes:.1f} passes, gap {gap:.1e}"
        yield Row("workers", what, ours, f"{one:.2f} s", ratio=f"{one / seconds:.2f} x faster")


def _to_gap(data: str, C: float, count: int, algorithm: str, **params: Any) -> tuple[float, float, float]:
    """CPU seconds, less what workers save, and passes to a relative gap of ``GAP``; the last certified gap."""
    problem = problems.obtain(data)[0]
    problem = problem._replace(train=parts.compiled(problem.train), test=parts.compiled(problem.test))
    spec, n = make(data, family.USUAL, C, algorithm, params), parts.num_examples(problem.train)
    driver.warm_up(spec, problem)
    objective, workers, points = Objective(problem.train, spec.loss, C), Workers(count), []
    rng, seconds, due = np.random.default_rng(0), 0.0, 0.0
    with mock.patch.multiple(parallel, for_each=workers.for_each, threads=workers.threads):
        solver = algorithm_module.solver(algorithm)(problem, objective, rng, **dict(spec.params))
        while not points or points[-1]["relative_gap"] > GAP:
            begun, saved = time.process_time(), workers.saved
            iterate = next(solver)
            seconds += time.process_time() - begun - (workers.saved - saved)
            passes = iterate.visits / n
            if passes >= due:
                due = max(1.0, driver.SPACING * passes)
                value = objective.evaluate(iterate.vector * iterate.scale, *iterate.dual_point)
                relative = (value.primal - value.dual) / value.primal
                points.append({"seconds": seconds, "passes": passes, "relative_gap": relative})
        gap = (value.primal - objective.dual_value(*iterate.dual.recompute())) / value.primal
        solver.close()
    curve = pd.DataFrame(points)
    return curves.to_gap(curve, GAP, "seconds"), curves.to_gap(curve, GAP), gap
