"""Work that goes on where a process crashed."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from structbench.bench.__main__ import main
from structbench.bench.verbs import jobs
from structbench.bench.workflow import batches
from structbench.bench.workflow.crash import KILLED, surviving
from structbench.bench.workflow.journal import BEGUN, ENDED, FAILED, FOUND, Journal
from tests.narrowing import fake, line_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("end", "said", "code"),
    [
        (
            lambda: os.kill(os.getpid(), signal.SIGKILL),
            "killed by SIGKILL, as the system does when memory runs out",
            KILLED,
        ),
        (lambda: os._exit(0), "ended by os._exit(0) or the like", 0),
        (lambda: os._exit(3), "ended by os._exit(3) or the like", 0),
    ],
)
def test_a_run_that_ends_its_process_leaves_the_others(tmp_path, end, said, code):
    book = Journal(tmp_path / "a.journal")
    book.begin()

    def work() -> int:
        for key in ("one", "two", "three"):
            if key in book.over:
                continue
            book.note(BEGUN, key)
            if key == "two":
                end()
            book.note(ENDED, key, "converged")
        return 0

    def crashed(how: str) -> None:
        assert book.unfinished == "two"
        book.note(FAILED, "two", how)

    assert surviving(work, crashed) == code
    assert {key: line.said for key, line in book.over.items()} == {
        "one": "converged",
        "two": said,
        "three": "converged",
    }


def test_a_batch_says_what_became_of_each_run(tmp_path, monkeypatch, capfd):
    keys = [f"mnist__log__C={C}__lbfgs" for C in (1, 2)]
    ended = {"status": "converged", "passes": 12.0, "train_error": 0.1}

    def run_all(specs, root, done, *rest):
        for spec, error, seconds in zip(specs, (None, 0.0725), (0.0, 3600.0), strict=True):
            done(spec, fake(summary=ended | {"test_error": error, "total_seconds": seconds}), "")

    monkeypatch.setattr(jobs.execute, "run_all", run_all)
    assert main(["batch", "--out", str(tmp_path / "a.journal"), *keys]) == 0
    said = capfd.readouterr()
    for line in (f"{keys[0]}: converged, 12 passes\n", f"{keys[1]}: converged, 12 passes, test error 7.25%\n"):
        assert line in said.out + said.err
    noted = [line.what for line in Journal(tmp_path / "a.journal").over.values()]
    assert noted == [ENDED, FOUND], "nobody makes an hour's run in this time"


@pytest.mark.parametrize(("words", "code"), [([], KILLED), (["--attempt", "1"], KILLED), (["--attempt", "2"], 0)])
def test_a_batch_of_which_a_run_was_killed_makes_the_others_and_fails_unless_it_is_the_last_attempt(
    tmp_path, monkeypatch, capfd, words, code
):
    keys = [f"mnist__log__C={C}__lbfgs" for C in (1, 2, 3)]

    def run_all(specs, root, done, *rest):
        for spec in specs:
            if spec.C == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            done(spec, None, "made")

    monkeypatch.setattr(jobs.execute, "run_all", run_all)
    monkeypatch.setenv(batches.ATTEMPTS_VARIABLE, "2")
    file = tmp_path / "a.journal"
    assert main(["batch", "--out", str(file), *words, *keys]) == code
    assert [line.said[:8] for line in Journal(file).over.values()] == ["made", "killed b", "made"]
    assert (
        f"FAILED {keys[1]}: killed by SIGKILL, as the system does when memory runs out\n" in capfd.readouterr().err
    )


def test_a_crash_is_told_though_a_process_that_was_started_goes_on(tmp_path):
    told = tmp_path / "told"

    def work() -> int:
        if told.exists():
            return 0
        if not os.fork():  # it has the pipe of its parent open
            for _ in range(200):
                time.sleep(0.0 if told.exists() else 0.1)
            os._exit(0 if told.exists() else (tmp_path / "late").write_text("late"))
        os.kill(os.getpid(), signal.SIGKILL)
        return 1

    assert surviving(work, told.write_text) == KILLED
    assert told.read_text().startswith("killed by SIGKILL") and not (tmp_path / "late").exists()


def test_exit_codes_and_exceptions(capfd):
    assert surviving(lambda: 3, print) == 3
    assert surviving(lambda: 1 // 0, print) == 1
    assert "ZeroDivisionError" in capfd.readouterr().err
    assert surviving(lambda: sys.exit(5), print) == 5


def test_a_full_disk_is_a_sentence_and_a_missing_file_of_ours_is_not(capfd):
    for number, said in ((errno.ENOSPC, "error: b.json: No space left on device\n"), (errno.ENOENT, "Traceback")):

        def work(number=number) -> int:
            raise OSError(number, os.strerror(number), "b.json")

        assert surviving(work, print) == (2 if number == errno.ENOSPC else 1)
        assert capfd.readouterr().err.startswith(said)


def test_a_process_that_is_told_to_stop_stops_its_work():
    program = "import time; from structbench.bench.workflow.crash import surviving\n"
    program += "print('there', flush=True); surviving(lambda: time.sleep(100) or 0, print)"
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert line_of(process) == "there\n"
    time.sleep(0.2)
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode in (143, -signal.SIGTERM, 0)


def test_whole_lines_of_a_journal_are_read(tmp_path):
    book = Journal(tmp_path / "deep" / "a.journal")
    assert book.lines() == [] and book.unfinished is None
    book.begin()
    book.note(BEGUN, "one")
    with book.file.open("a") as file:
        file.write('["ended", "one", 3')  # torn
    assert [line.key for line in book.lines()] == ["one"] and book.unfinished == "one"
    with book.file.open("a") as file:
        file.write(', "converged"]\nrubbish\n[1]\n')
    assert [line.key for line in book.lines()] == ["one", "one"] and book.over["one"].said == "converged"
    assert book.unfinished is None
