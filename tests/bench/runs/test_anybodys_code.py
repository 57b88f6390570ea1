"""Code of the user's prints nothing among results, and a call that does not end is named."""

import os
import subprocess
import sys
import threading
import time

import pytest

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.bench.checks import own
from structbench.bench.runs import anybodys_code, machine

WAITS = """heard = []


def wait(event):
    print("a print of yours")
    event.wait(60)
"""


GOES_ON = """def go_on():
    for _ in range(10**9):
        try:
            pass
        except Exception:
            pass
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine" / "algorithms").mkdir(parents=True)
    monkeypatch.setenv(own_folders.VARIABLE, str(tmp_path / "mine"))
    yield tmp_path / "mine" / "algorithms"
    for name in [name for name, module in sys.modules.items() if str(tmp_path) in str(module)]:
        del sys.modules[name]


def test_a_call_that_does_not_end_is_named_and_prints_are_no_results(mine, monkeypatch, capsys):
    (mine / "never_ends.py").write_text(WAITS)
    wait, event, said = modules.imported("structbench.algorithms.never_ends").wait, threading.Event(), []
    monkeypatch.setattr(anybodys_code, "PATIENCE", 0.05)

    def say(line: str) -> None:
        said.append(line)
        if "no news" in line:
            event.set()

    left = machine.facts()["threads_left"]
    with anybodys_code.watched(say, mine) as told:
        assert machine.facts()["threads_left"] == left, "a run would look disturbed"
        told("begun")
        wait(event)
    assert said[0] == "begun" and said[1].endswith(f"it is at {mine / 'never_ends.py'}:6: event.wait(60)"), said
    assert capsys.readouterr() == ("", "a print of yours\n")


def test_what_children_and_libraries_write_is_no_result_either():
    program = """import os
from structbench.bench.runs import anybodys_code
with anybodys_code.away_from_stdout():
    os.system("echo of a child")
    print("of ours")
print("the result")"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "the result\n" and {*done.stderr.splitlines()} == {"of a child", "of ours"}


def test_a_call_that_takes_longer_than_it_may_is_ended(mine, monkeypatch):
    (mine / "goes_on.py").write_text(GOES_ON)
    go_on = modules.imported("structbench.algorithms.goes_on").go_on
    monkeypatch.setattr(anybodys_code, "PATIENCE", 0.05)
    line = f"{mine / 'goes_on.py'}:"
    ended = pytest.raises(Fault, match=f"no iterate for .* the run is ended, .* it was at {line}")
    with ended, anybodys_code.watched(lambda line: None, mine, most=0.1):
        go_on()
    with anybodys_code.watched(lambda line: None, mine, most=0.1):
        time.sleep(0.5)  # it is not the user's


def test_a_module_that_prints_or_ends_the_program_spoils_nothing(mine, capsys):
    (mine / "prints.py").write_text("print('a print of yours')\n")
    modules.imported("structbench.algorithms.prints")
    assert capsys.readouterr() == ("", "a print of yours\n")
    (mine / "ends.py").write_text("import sys\n\nsys.exit(0)\n")
    with pytest.raises(UserError, match=r"ends\.py:3: sys\.exit\(0\): SystemExit: 0"):
        modules.imported("structbench.algorithms.ends")


def test_a_process_that_is_forked_leaves_as_ever(mine):
    refused = pytest.raises(SystemExit, match=r"it called os._exit\(3\)")
    with anybodys_code.watched(lambda line: None, mine), refused:
        if not (child := os.fork()):
            os._exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
        os._exit(3)


def test_a_check_goes_on_after_what_ends_the_program(tmp_path):
    (said,) = own._said(tmp_path, lambda name: sys.exit(0), "mine")
    assert said.startswith("it failed with SystemExit: 0 at ")


def test_leaving_is_as_ever_once_the_last_of_two_blocks_ended():
    before, first, second = os._exit, anybodys_code.staying(), anybodys_code.staying()
    with first:
        second.__enter__()
    assert os._exit is not before
    second.__exit__(None, None, None)
    assert os._exit is before
