"""Timed batches of two checkouts do not run side by side."""

import os
import subprocess
import sys
import time

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.workflow import turns
from tests.narrowing import line_of

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
        assert line_of(process).startswith("mine")
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


def test_the_folder_of_turns_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)
    folder, victim = tmp_path / f"structbench-{os.getuid()}", tmp_path / "victim"
    victim.mkdir()
    folder.symlink_to(victim)
    with pytest.raises(UserError, match=r"is a link, not your folder: have it removed"), turns.taken(print):
        pass
    assert not any(victim.iterdir())
    folder.unlink()
    folder.touch()
    with pytest.raises(UserError, match="not your folder"), turns.taken(print):
        pass
    folder.unlink()
    folder.mkdir(mode=0o777)
    with turns.taken(pytest.fail):
        assert folder.stat().st_mode & 0o777 == 0o700
    real = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: real + 1)
    folder.rename(tmp_path / f"structbench-{real + 1}")
    with pytest.raises(UserError, match=f"is of the user {real}, not your folder"), turns.taken(print):
        pass


def test_the_turn_of_one_that_was_killed_is_free(holder):
    holder.kill()
    holder.wait()
    with turns.taken(pytest.fail):
        pass
