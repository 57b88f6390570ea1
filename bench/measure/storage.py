"""Compare where online EG keeps its dual variables: memory, single precision, or a memory-mapped file.

The file is visited in file order. After each tenth of a pass it is written and dropped from memory, as if it were
larger than memory. The wall seconds of a pass then show the disk's speed.
"""

import mmap
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from structbench.algorithms.exponentiated_gradient.dual_variables import State, visit
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.losses import family
from structbench.algorithms.structures import interface as parts
from structbench.bench.measure.row import Row
from structbench.bench.runs import problems, results

DATA, C = "bottou", 1.0
START, ETA, GROW = 10.0, 0.5, 1.05  # online EG's defaults
PASSES = 10


def rows() -> Iterator[Row]:
    """Ten passes of online EG: seconds of a pass, bytes of the dual variables, and the gap they certify."""
    with tempfile.TemporaryDirectory(dir=results.root()) as folder:
        yield _row("in memory, visited in random order", "random")
        yield _row("in memory, file order")
        yield _row("single precision, file order", kind=np.float32)
        yield _row("in a file, file order, dropped from memory", file=Path(folder, "duals"))


def _row(what: str, order: str = "cyclic", kind: type = np.float64, file: Path | None = None) -> Row:
    train = problems.obtain(DATA)[0].train
    objective, state = Objective(train, family.USUAL, C), State(train, START, ETA)
    state.u = state.u.astype(kind)
    mapped = np.memmap(file, kind, "w+", shape=state.u.shape) if file else None
    if mapped is not None:
        mapped[:] = state.u
        state.u = np.asarray(mapped)
    rng, n = np.random.default_rng(0), parts.num_examples(train)
    visit(objective, C, state, np.arange(min(10, n)), True, GROW)  # compiles
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(PASSES):
        for examples in split_pass(one_pass(rng, n, order)):
            visit(objective, C, state, examples, True, GROW)
            if mapped is not None:
                _drop(mapped)
    wall, cpu = (time.perf_counter() - wall) / PASSES, (time.process_time() - cpu) / PASSES
    size = state.u.nbytes / len(parts.label_sequences(train).y)
    state.u = state.u.astype(np.float64)
    conjugate, w = state.recompute_dual(objective)
    dual, primal = conjugate - w @ w / (2 * C), objective.value_and_gradient(w / C, np.empty_like(w))
    said = f"{cpu:.2f} CPU s a pass, wall {wall:.2f} s; {size:.0f} bytes a token"
    said += f"; relative gap {(primal - dual) / primal:.1e}"
    return Row("storage", f"{DATA}, C = {C:g}, EG's dual variables {what}", said)


def _drop(mapped: np.memmap) -> None:
    """Write what was changed, and let go of the pages."""
    mapped.flush()
    mapped._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
    with open(str(mapped.filename), "rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
