"""A lock is taken away when its process is gone, and only then."""

import json
import platform
import subprocess
import sys

import pytest

from algorithms.runtime.errors import UserError
from bench.workflow import lock


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lock.LOCKS.mkdir(parents=True)
    return tmp_path


def left_behind() -> None:
    (lock.LOCKS / "0.input.lock").write_text("results/a\n")


def test_without_a_lock_there_is_nothing_to_do():
    assert not lock.clear()


def test_the_lock_of_a_process_that_is_gone_goes():
    left_behind()
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    lock.HOLDER.write_text(json.dumps({"host": platform.node(), "process": int(ended.stdout), "started": 1.0}))
    assert lock.clear() and not list(lock.LOCKS.iterdir())


@pytest.mark.parametrize("holder", [None, "{", '{"host": 1}'])
def test_so_does_one_that_nobody_has_noted(holder):
    left_behind()
    if holder is not None:
        lock.HOLDER.write_text(holder)
    assert lock.clear()


def test_a_process_that_is_there_keeps_its_lock():
    left_behind()
    lock.hold()
    with pytest.raises(UserError, match="a workflow is running in this folder"):
        lock.clear()
    assert list(lock.LOCKS.iterdir())


def test_the_lock_of_another_machine_is_respected():
    left_behind()
    lock.HOLDER.write_text(json.dumps({"host": "elsewhere", "process": 1, "started": 1.0}))
    with pytest.raises(UserError, match="on elsewhere; if that machine is down, delete"):
        lock.clear()
