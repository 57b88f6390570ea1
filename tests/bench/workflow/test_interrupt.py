"""Ctrl-C and SIGTERM end everything that a process started."""

import signal
import subprocess
import sys

import psutil
import pytest

from tests.narrowing import line_of
from tests.workflow.conftest import ROOT

# A process that starts two: one that ends when it is told to, and a shell with a child that will not be told.
PROGRAM = """
import subprocess, sys, time
from structbench.bench.workflow import interrupt
subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
stubborn = "trap '' TERM INT; echo there; exec >&2; sleep 1001 & wait; sleep 1002"
child = subprocess.Popen(["bash", "-c", stubborn], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
print(child.stdout.readline().strip(), flush=True)
interrupt.GRACE = 0.5
interrupt.{start}
try:
    print("ready", flush=True)
    time.sleep(100)
except KeyboardInterrupt:
    print(interrupt.last_words(), flush=True)
    sys.exit(1)
"""


@pytest.mark.parametrize(
    ("number", "start", "code", "is_ended"),
    [(signal.SIGTERM, "with_jobs(lambda: None)", 1, True), (signal.SIGINT, "before_jobs()", 130, False)],
)
def test_all_that_a_workflow_started_ends_whether_it_wants_to_or_not(number, start, code, is_ended):
    """Before there are jobs it just ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(start=start)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
    )  # fmt: skip
    assert line_of(process) + line_of(process) == "there\nready\n"
    tree = psutil.Process(process.pid).children(recursive=True)
    assert len(tree) >= 2
    process.send_signal(number)
    said = process.communicate(timeout=30)[0]
    left = [each for each in tree if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
    for each in left:
        each.kill()
    assert process.returncode == code and (left == []) is is_ended
    assert said == "Interrupted: what is finished is kept. The same command goes on from there.\n"
