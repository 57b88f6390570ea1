"""Where online EG's dual variables are kept: in memory, in single precision, or in a file mapped into memory.

The file is written and dropped from memory after each tenth of a pass, in file order, as where it is larger than
memory: what a pass then takes in wall seconds is what the disk gives.
"""

import mmap
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.exponentiated_gradient.dual_variables import State, visit
from algorithms.learning.objective import Objective
from algorithms.learning.sampling import in_ticks, one_pass
from algorithms.structures import interface as parts
from bench.measure.row import Row
from bench.runs import problems, results

DATA, C = "bottou", 1.0
START, ETA, GROW = 10.0, 0.5, 1.05  # online EG's defaults
PASSES = 10


def rows() -> Iterator[Row]:
    """Ten passes of online EG: seconds of a pass, bytes of the dual variables, and the gap they certify."""
    problem = problems.obtain(DATA)[0]
    tokens = len(parts.label_sequences(problem.train).y)
    with tempfile.TemporaryDirectory(dir=results.root()) as folder:
        yield _row("in memory, visited in random order", problem, tokens, "random")
        yield _row("in memory, file order", problem, tokens)
        yield _row("single precision, file order", problem, tokens, single=True)
        yield _row("in a file, file order, dropped from memory", problem, tokens, file=Path(folder, "duals"))


def _row(
    what: str, problem: Any, tokens: int, order: str = "cyclic", single: bool = False, file: Path | None = None
) -> Row:
    objective = Objective(problem.train, "log", C)
    state = State(problem.train, START, ETA)
    mapped = np.memmap(file, state.u.dtype, "w+", shape=state.u.shape) if file else None
    if mapped is not None:
        mapped[:] = state.u
        state.u = np.asarray(mapped)
    elif single:
        state.u = state.u.astype(np.float32)
    rng = np.random.default_rng(0)
    n = parts.num_examples(problem.train)
    visit(objective, C, state, np.arange(min(10, n)), True, GROW)  # compiles
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(PASSES):
        for examples in in_ticks(one_pass(rng, n, order)):
            visit(objective, C, state, examples, True, GROW)
            if mapped is not None:
                _drop(mapped)
    wall, cpu = (time.perf_counter() - wall) / PASSES, (time.process_time() - cpu) / PASSES
    size = state.u.nbytes / tokens
    state.u = state.u.astype(np.float64)
    conjugate, w = state.anew(objective)
    dual, primal = conjugate - w @ w / (2 * C), objective.value_and_gradient(w / C, np.empty_like(w))
    gap = (primal - dual) / primal
    said = f"{cpu:.2f} CPU s a pass, wall {wall:.2f} s; {size:.0f} bytes a token; relative gap {gap:.1e}"
    return Row("storage", f"{DATA}, C = {C:g}, EG's dual variables {what}", said)


def _drop(mapped: np.memmap) -> None:
    """Write what was changed, and let go of the pages."""
    mapped.flush()
    mapped._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
    with open(str(mapped.filename), "rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
