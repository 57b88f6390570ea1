"""A second process that compiles kernels of a first run: numba compiles for many seconds, and on one core.

It compiles a structure's slowest operations, then what evaluations and predictions call. This process compiles the
rest, and finds the others in the folder of kernels. No kernel is compiled twice, since each has a lock
(``kernel_cache``).
"""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import compiling
from structbench.algorithms.runtime.kernel import COMPILED, Kernel
from structbench.algorithms.structures import handles, prediction, warm_up_sample
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import Operation
from structbench.bench.runs import algorithm_module
from structbench.bench.runs.spec import Spec

THEIRS = "marginals", "argmax", "labels"  # operations that the other process compiles, in this order


@contextmanager
def second_process(spec: Spec, train: Any) -> Iterator[None]:
    """Within the block, another process compiles, too, if it is of use to a run on this split."""
    kind = parts.kind_of(train)
    asked = dict.fromkeys(_asked(spec, kind)) if _is_free() else {}
    smooth = spec.loss != NO_LOSS and family.named_loss(spec.loss).temperature > 0
    theirs = [each for name in THEIRS if (each := getattr(parts, name)) in asked or smooth or name != THEIRS[0]]
    if not asked or handles.is_kept(kind, theirs[0]):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: there are only those of numpy's BLAS
        process = os.fork()
    if process == 0:
        with suppress(BaseException):
            compiling.forget_listeners()
            handles.prepare(kind, theirs)
            _evaluate(spec, train)
        os._exit(0)
    try:
        handles.prepare(kind, [each for each in asked if each not in theirs])
        yield
    finally:  # whatever it does now, this process has what it needs
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(process, 0)


def _evaluate(spec: Spec, train: Any) -> None:
    """Compile what evaluations and predictions call."""
    _, sample = warm_up_sample.sample(train, one=spec.loss == NO_LOSS)
    weights = np.zeros(parts.num_weights(sample))
    Objective(sample, spec.loss, spec.C, spec.penalty).evaluate(weights, None)
    prediction.predictions(sample, weights)


def _is_free() -> bool:
    """Whether there is a second core, and no other thread, whose locks a forked process would wait for."""
    linux = COMPILED and sys.platform == "linux"
    return linux and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


def _asked(spec: Spec, kind: type) -> Iterator[Operation]:
    """The operations that kernels of an algorithm's modules can reach on a structure."""
    found = vars(sys.modules[algorithm_module.solver(spec.algorithm).__module__])
    modules = [each for each in found.values() if isinstance(each, ModuleType)]
    for names in (found, *map(vars, modules)):
        for each in [*names.values()]:
            if isinstance(each, Kernel):
                yield from handles.asked(each, kind)
