"""What the tests of algorithms share."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from structbench.algorithms.runtime.files import locked

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What ``tests.algorithms.plain`` computes in a process of its own without compilation."""
    folder = tmp_path_factory.getbasetemp()
    file = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "plain.json"
    with locked(file.with_suffix(".lock")):
        if not file.exists():
            words = [sys.executable, "-m", "tests.algorithms.plain"]
            env = os.environ | {"NUMBA_DISABLE_JIT": "1"}
            done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            file.write_text(done.stdout)
    return json.loads(file.read_text())
