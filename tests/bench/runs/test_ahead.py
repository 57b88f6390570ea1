"""The second process of a first run: it compiles its share, and is left out where it is of no use or does harm."""

import os
import subprocess
import sys
import threading

import pytest

from structbench.algorithms.runtime.kernel import COMPILED
from structbench.bench.runs import ahead
from structbench.bench.runs.spec import make
from tests.algorithms.oracle import case

SPEC = make("toy-points", "log", 1.0, "eg")
COMPILES = """
import sys, time
from structbench.algorithms.runtime import compiling
from structbench.algorithms.structures import handles, interface as parts
from structbench.algorithms.structures.multiclass import Multiclass
from structbench.bench.runs import ahead, problem_store
from structbench.bench.runs.spec import make
SPLIT = problem_store.obtain(make("toy-points", "log", 1.0, "eg").data)[0].train
spec, heard = make("toy-points", "log", 1.0, "eg"), []
with compiling.heard(lambda name, done: heard.append(name)):
    with ahead.second_process(spec, SPLIT):
        until = time.monotonic() + 300
        while time.monotonic() < until and not handles.is_kept(Multiclass, parts.labels):
            time.sleep(0.05)
print(*sorted({name for name in heard if name.endswith("_of_Multiclass")}))
print(handles.is_kept(Multiclass, parts.marginals), handles.is_kept(Multiclass, parts.argmax))
"""
pytestmark = pytest.mark.skipif(not COMPILED or sys.platform != "linux", reason="nothing is compiled so")


@pytest.mark.skipif(os.cpu_count() == 1, reason="one core compiles no faster in two processes")
def test_another_process_compiles_the_dearest_operations_and_this_one_others(tmp_path):
    given = os.environ | {"STRUCTBENCH_KERNELS": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", COMPILES], env=given, capture_output=True, text=True, check=True)
    here, kept = said.stdout.splitlines()
    assert "scores_of_Multiclass" in here and kept == "True True"
    assert not any(f"{name}_of_" in here for name in ahead.THEIRS)


def test_it_is_left_out_beside_threads_on_one_core_or_where_all_is_there(monkeypatch):
    def entered():
        with ahead.second_process(SPEC, case("multiclass-dense").split):
            return True

    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process is forked"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(ahead.handles, "is_kept", lambda kind, asked: False)
    with monkeypatch.context() as change:
        change.setattr(threading, "active_count", lambda: 2)
        assert entered()
    with monkeypatch.context() as change:
        change.setattr(os, "sched_getaffinity", lambda process: {0})
        assert entered()
    with monkeypatch.context() as change:
        change.setattr(ahead.handles, "is_kept", lambda kind, asked: True)
        assert entered()
    with pytest.raises(pytest.fail.Exception, match="forked"):
        entered()
