"""Timed batches of two checkouts do not run side by side."""

import subprocess
import sys
import time

import pytest

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.workflow import turns

HOLD = """
import sys, time
from pathlib import Path
from structbench.bench.workflow import turns
turns.FOLDER = Path(sys.argv[1])
with turns.taken(lambda line: print(line, flush=True)):
    print("mine", time.time(), flush=True)
    sys.stdin.read()
    print("over", time.time(), flush=True)
"""


@pytest.fixture
def holder(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)
    words = [sys.executable, "-c", HOLD, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline().startswith("mine")
        yield process
        process.kill()


def test_the_second_waits_and_says_so(holder, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.05)

    def say(line: str) -> None:
        said.append(line)
        holder.stdin.close()  # the first may end now

    said: list[str] = []
    with turns.taken(say):
        began = time.time()
    whose = f"process {holder.pid} of {ROOT}"
    assert said == [f"{whose} times runs on this machine: waiting until its batch ends"]
    assert float(holder.stdout.readline().split()[1]) <= began


def test_the_turn_of_one_that_was_killed_is_free(holder):
    holder.kill()
    holder.wait()
    with turns.taken(pytest.fail):
        pass
