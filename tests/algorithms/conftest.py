"""What the tests of algorithms share."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from structbench.algorithms.runtime import parallel

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def plain() -> dict[str, Any]:
    """What ``tests.algorithms.plain`` computes in a process of its own without compilation."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.algorithms.plain"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(autouse=True)
def one_thread():
    """Whatever a test did, the next begins with one thread."""
    yield
    parallel.set_threads(1)
