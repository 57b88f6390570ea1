"""One workflow makes results at a time. What a killed one left is taken away, and nothing else."""

import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.runs import results
from structbench.bench.workflow import lock
from tests.narrowing import line_of, not_none

HOLDS = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from structbench.bench.workflow import lock
lock.take()
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(results.VARIABLE, "results")
    (tmp_path / "results").mkdir()
    lock.SNAKEMAKE.mkdir(parents=True)
    with ExitStack() as held:
        monkeypatch.setattr(lock, "_held", held)
        yield tmp_path


@contextmanager
def another(**env):
    """Another workflow in this folder, which ends with the block."""
    words = [sys.executable, "-c", HOLDS]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | env) as process:
        assert line_of(process) == "held\n"
        yield process
        process.kill()


def test_a_second_workflow_is_refused_until_the_first_is_gone_however_it_ended():
    with another() as process:
        left = lock.SNAKEMAKE / "0.input.lock"
        left.write_text("results/a\n")
        with pytest.raises(
            UserError, match=rf"a workflow makes results already \(process {process.pid} on .*\): wait"
        ):
            lock.take()
        assert left.exists()
    assert lock.take() == ["the workflow before was killed: it goes on from there"] and not left.exists()


def test_workflows_of_other_results_do_not_disturb_each_other():
    with another(STRUCTBENCH_RESULTS="others"):
        left = lock.SNAKEMAKE / "0.input.lock"
        left.write_text("others/a\n")
        assert lock.take() == [] and left.exists(), "Snakemake's lock is of the workflow that lives"


def test_results_that_a_workflow_makes_are_not_removed(folder):
    (folder / "results" / "runs" / "a").mkdir(parents=True)
    (folder / "results" / "runs" / "a" / "spec.json").touch()
    with another():
        assert results.clean() == "a workflow makes results: wait for it, or stop it"
        assert (folder / "results" / "runs" / "a" / "spec.json").exists()
    assert results.clean() is None and not (folder / "results" / "runs").exists()


def test_a_working_folder_that_cannot_be_written_is_said(monkeypatch):
    monkeypatch.setattr(lock, "HERE", Path("/proc/none/structbench.lock"))
    with pytest.raises(UserError, match=r"^cannot write /proc/none in .*, where Snakemake keeps its notes"):
        lock.take()


def test_results_that_cannot_be_locked_are_said(folder):
    (folder / "results" / "workflow.lock").mkdir()
    with pytest.raises(UserError, match=r"cannot lock results/workflow\.lock"):
        lock.take()


def test_batches_of_a_killed_workflow_are_ended_and_others_are_not(tmp_path):
    wait = "import sys; print(1, flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE

    def started(folder: Path, *words: str) -> subprocess.Popen:
        process = subprocess.Popen([sys.executable, "-c", wait, *words], cwd=folder, stdin=pipe, stdout=pipe)
        not_none(process.stdout).readline()
        return process

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    batch = ("-m", "bench", "batch", "--out")
    of_these = f"{tmp_path}/results/batches/b.1.journal"
    orphans = [
        started(tmp_path, *batch, "results/batches/a.1.journal"),
        started(elsewhere, *batch, of_these, "key"),
        started(tmp_path, "-m", "bench", "breakdown", "--out", "results/breakdown/mnist.json", "mnist"),
    ]
    others = [
        started(elsewhere, *batch, "results/batches/a.1.journal"),
        started(tmp_path, *batch, "others/batches/a.1.journal"),
        started(tmp_path, *batch, "results/others/batches/a.1.journal"),
        started(tmp_path, "-m", "bench", "status"),
        started(tmp_path),
    ]
    try:
        assert lock.take() == ["ended 3 processes that a killed workflow left running"]
        assert all(each.wait(10) for each in orphans)
        assert all(each.poll() is None for each in others)
    finally:
        for process in (*orphans, *others):
            process.kill()
            process.communicate()
