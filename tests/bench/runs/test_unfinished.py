"""The curve so far: of a process that goes on, that was killed, that failed, that another one waits for."""

import os
import resource
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench.report import plot
from structbench.bench.runs import store, unfinished
from structbench.bench.runs.spec import make
from tests.narrowing import line_of, not_none

ROOT = Path(__file__).parents[3]
SPEC = make("mnist", "log", 1.0, "eg", passes=40.0)
NONE = dict.fromkeys((*store.COLUMNS, "test_f1"), float("nan"))
ROWS = [NONE | {"passes": float(k), "primal": 5.0 - k} for k in range(3)]
PROVENANCE = {"host": "here", "started": "2026-11-22T06:00:00+00:00"}

MAKING = """
import sys, time
from pathlib import Path
from structbench.bench.runs import unfinished
from tests.bench.runs.test_unfinished import PROVENANCE, ROWS, SPEC
import signal
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
with unfinished.keeping(Path(sys.argv[1]), SPEC, PROVENANCE, print) as keep:
    for row in ROWS:
        keep(row)
    print("there", flush=True)
    time.sleep(60)
"""


def keep_all(folder: Path, rows=ROWS) -> None:
    with unfinished.keeping(folder, SPEC, PROVENANCE, print) as keep:
        for row in rows:
            keep(row)
        raise ArithmeticError


def interrupted(folder: Path, rows=ROWS) -> unfinished.Unfinished:
    with pytest.raises(ArithmeticError):
        keep_all(folder, rows)
    return unfinished.read_unfinished(folder)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_a_process_made_before_it_was_stopped_is_there(tmp_path, end):
    folder = tmp_path / "run"
    command = [sys.executable, "-c", MAKING, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        there = line_of(process)
        summary = unfinished.find_unfinished(folder).summary
        process.send_signal(end)
        said = not_none(process.stdout).read()
    assert there == "there\n"
    assert (summary["status"], summary["message"]) == ("running", "2 of 40 passes so far")
    assert ("for its curve so far" in said) == (end != signal.SIGKILL)
    run = unfinished.find_unfinished(folder)
    assert (run.key, run.spec) == (SPEC.key, SPEC)
    assert run.summary["status"] == "interrupted"
    assert run.summary["message"] == "2 of 40 passes made before it was stopped"
    assert run.summary["provenance"] == PROVENANCE and run.started > 0
    assert run.curve["primal"].tolist() == [5.0, 4.0, 3.0] and np.isnan(run.curve["test_f1"]).all()
    assert not store.finished(folder)
    assert store.all_runs(tmp_path) == []


def test_points_can_be_read_as_soon_as_they_are_made_and_whole_lines_count(tmp_path):
    file = unfinished.folder_of(tmp_path / "run") / "curve.jsonl"
    with unfinished.keeping(tmp_path / "run", SPEC, PROVENANCE, print) as keep:
        for count, row in enumerate(ROWS, 1):
            keep(row)
            assert file.read_text().count("\n") == count
    assert list(tmp_path.iterdir()) == []  # the run is finished
    interrupted(tmp_path / "run")
    file.write_text(file.read_text()[:-20])  # a line that was being written
    assert [row["passes"] for row in unfinished.read_unfinished(tmp_path / "run").rows] == [0, 1]
    for text in ("", '{"passes": 0.0, "primal": 5.0}\n'):
        file.write_text(text)
        run = unfinished.find_unfinished(tmp_path / "run")
        assert run.summary["message"] == "no checkpoint made before it was stopped" and run.curve.empty
        with pytest.raises(UserError, match="cannot draw the test error: no run has a test error"):
            plot.error(run)
    assert len(interrupted(tmp_path / "run", ROWS[:1]).rows) == 1, "it begins anew"


def test_nothing_is_left_of_a_run_that_fails_before_its_first_checkpoint(tmp_path):
    with pytest.raises(ArithmeticError):
        keep_all(tmp_path / "run", [])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    mine = tmp_path / "run.partial"
    mine.mkdir()
    (mine / "thesis.tex").write_text("three years of work")
    with pytest.raises(UserError, match=r"run.partial holds something other than a run's curve"):
        keep_all(tmp_path / "run")
    assert [file.name for file in mine.iterdir()] == ["thesis.tex"]
    for name, said in (("none", "none holds no finished run"), ("none.partial", "holds no unfinished run")):
        with pytest.raises(UserError, match=said):
            unfinished.find_unfinished(tmp_path / name)


def test_a_folder_that_another_process_removes_meanwhile_is_made_again(tmp_path, monkeypatch):
    ends = [FileNotFoundError("removed before it was locked"), FileExistsError("there, and a moment later gone")]

    def locked_at_last(file, patience):
        if ends:
            raise ends.pop()
        return locked(file, patience)

    monkeypatch.setattr(unfinished, "locked", locked_at_last)
    with unfinished.keeping(tmp_path / "run", SPEC, PROVENANCE, print) as keep:
        keep(ROWS[0])
    assert not ends


def test_a_full_disk_is_said_at_whichever_row(tmp_path):
    """A limit on the size of files: a row that does not fit stays in Python's buffer, and would come again."""
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with (
            pytest.raises(UserError, match=r"cannot write the run to .*: free some space"),
            unfinished.keeping(tmp_path / "run", SPEC, PROVENANCE, print) as keep,
        ):
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, unlimited[1]))
            while True:
                keep(ROWS[0])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_a_process_left_that_was_killed_after_its_run_was_finished_is_swept(tmp_path):
    for name in ("finished", "emptied", "made again", "held", "begun"):
        interrupted(tmp_path / name)
        if name != "begun":
            (tmp_path / name).mkdir()
            (tmp_path / name / "summary.json").touch()
    for file in (tmp_path / "emptied.partial").iterdir():  # it was killed while it removed the folder
        file.unlink()
    os.utime(tmp_path / "made again" / "summary.json", (0, 0))  # the curve is of a later attempt
    with locked(tmp_path / "held.partial" / "lock"):
        unfinished.sweep_curves(tmp_path)
    kept = {each.name for each in tmp_path.iterdir() if each.suffix}
    assert kept == {"made again.partial", "held.partial", "begun.partial"}


def test_one_process_waits_for_the_other(tmp_path):
    order, begun, waiting = [], Event(), Event()

    def first():
        with unfinished.keeping(tmp_path / "run", SPEC, PROVENANCE, print) as keep:
            keep(ROWS[0])
            begun.set()
            assert waiting.wait(30)
            order.append("the first is done")

    def say(line: str) -> None:
        order.append(line)
        waiting.set()

    def second():
        assert begun.wait(30)
        with unfinished.keeping(tmp_path / "run", SPEC, PROVENANCE, say):
            order.append("the second begins")

    with ThreadPoolExecutor(2) as pool:
        for made in [pool.submit(first), pool.submit(second)]:
            made.result()
    said = "another process is making this run: waiting for it"
    assert order == [said, "the first is done", "the second begins"]
    assert list(tmp_path.iterdir()) == []
