"""The peak memory of a run, and the seconds of labelling one sentence, measured in a run of its own.

A fresh process makes the run once more, with its evaluations, and nothing else: other runs would leave memory
behind. It is a copy of a server process that has loaded the programs and made no run.
"""

import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import Fault
from structbench.bench.runs import documents
from structbench.bench.runs.spec import Spec

STATUS = Path("/proc/self/status")
LOADED = (
    "structbench.bench.runs.driver",
    "structbench.bench.runs.problem_store",
    "structbench.algorithms.runtime.indirect_calls",
)  # before it is copied


def of_run(spec: Spec) -> documents.Json:
    """The most bytes that a process which makes this run has resident, and ``latency``, for the run's summary.

    The interpreter and the compiled kernels are among them. Empty if the system keeps no count. Raises a Fault if
    the process failed.
    """
    if not STATUS.exists():
        return {}
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*LOADED])
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as alone:
        try:
            return alone.submit(_measured, spec).result()
        except Exception as error:  # whatever the run's own process may raise, or die of
            said = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise Fault(f"the run that measures the memory of {spec.algorithm} failed: {said}") from error


def peak() -> int:
    """The bytes that this process had resident at most since it began; Linux only."""
    return 1024 * int(re.findall(r"^VmHWM:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)[0])


def _measured(spec: Spec) -> documents.Json:
    """The peak memory of this process, once it has made a run, and then the latency."""
    from structbench.bench.runs import algorithm_module, problem_store
    from structbench.bench.runs.driver import run

    names = algorithm_module.declaration(spec.algorithm).reads_names
    problem = problem_store.obtain(spec.data, spec.test, names)[0]
    made, most = run(spec, problem), peak()
    latency = modules.imported("structbench.bench.runs.latency")
    return {"peak_memory": most, "sentence_seconds": latency.seconds_of_one(spec, problem, made)}
