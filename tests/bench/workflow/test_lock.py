"""A lock is taken away when its process is gone, and only then."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.workflow import lock


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lock.LOCKS.mkdir(parents=True)
    return tmp_path


def note(text: str | None = None, **holder) -> None:
    """Leave a lock behind, and who holds it."""
    (lock.LOCKS / "0.input.lock").write_text("results/a\n")
    lock.HOLDER.write_text(text or json.dumps({"host": platform.node(), "boot": "b", "process": 1} | holder))


@pytest.fixture(autouse=True)
def start_of_the_system(tmp_path, monkeypatch):
    (tmp_path / "boot_id").write_text("b\n")
    monkeypatch.setattr(lock, "BOOT", tmp_path / "boot_id")


@pytest.mark.parametrize(
    "holder",
    [
        {},
        {"host": "3f9a1c27be04"},  # a container of this machine that is gone
        {"boot": "before"},  # this machine before it was switched off
        {"text": "{"},
        {"text": '{"host": 1}'},
        None,
    ],
)
def test_the_lock_of_a_process_that_is_gone_or_that_nobody_has_noted_goes(holder):
    assert not lock.clear(), "without a lock there is nothing to do"
    note(**holder or {})
    if holder is None:
        lock.HOLDER.unlink()
    assert lock.clear() and not list(lock.LOCKS.iterdir())


def test_a_process_that_is_there_keeps_its_lock():
    holds = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from structbench.bench.workflow import lock
lock.hold()
print("held", flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", holds], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        for holder in ({"process": process.pid}, {"host": "3f9a1c27be04"}, {"boot": "before"}):
            note(**holder)
            with pytest.raises(UserError, match="a workflow is running in this folder"):
                lock.clear()
        process.kill()
    assert lock.clear()


def test_the_lock_of_another_machine_is_respected():
    note(host="elsewhere", boot="another")
    with pytest.raises(UserError, match="on elsewhere; if that machine is down, delete"):
        lock.clear()
    assert list(lock.LOCKS.iterdir())


def test_batches_of_a_killed_workflow_are_ended_and_others_are_not(tmp_path):
    wait = "import sys; print(1, flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", wait, "-m", "bench", "batch", "--out", "x"]
    pipe = subprocess.PIPE

    def started(folder: Path, words: list[str]) -> subprocess.Popen:
        process = subprocess.Popen(words, cwd=folder, stdin=pipe, stdout=pipe)
        process.stdout.readline()
        return process

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with started(Path.cwd(), words) as orphan, started(Path.cwd(), words[:3]) as other:
        with started(elsewhere, words) as theirs:
            assert lock.hold() == 1
            assert not psutil.pid_exists(orphan.pid)
            assert other.poll() is None and theirs.poll() is None
            theirs.kill()
        other.kill()
    lock._held.close()
