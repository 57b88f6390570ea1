"""The peak memory of a run, measured in a run of its own; its seconds are thrown away.

A fresh process makes the run once more, with its evaluations, and nothing else: one that made other runs before
still holds what they left.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from algorithms.runtime.errors import Fault
from bench.runs.provenance import ROOT
from bench.runs.spec import Spec, parse

STATUS = Path("/proc/self/status")


def of_run(spec: Spec) -> int | None:
    """The bytes that a process which makes this run has resident at most; None where the system keeps no count.

    The interpreter and the compiled kernels are among them.

    Raises:
        Fault: the process failed.
    """
    if not STATUS.exists():
        return None
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "bench.runs.memory", spec.key]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise Fault(f"the run that measures the memory of {spec.algorithm} failed: {said}")
    return int(done.stdout)


def peak() -> int:
    """The bytes that this process had resident at most since it began; Linux only."""
    return 1024 * int(re.search(r"^VmHWM:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)[1])


def _make(spec: Spec) -> None:
    from bench.runs import problems
    from bench.runs.driver import run

    run(spec, problems.obtain(spec.data, spec.test)[0])


if __name__ == "__main__":
    _make(parse(sys.argv[1]))
    print(peak())
