"""Threads that a run leaves are told of the next one; a notebook's and this project's own are not."""

import threading
from functools import wraps
from pathlib import Path

from structbench.algorithms.gradient import sgd
from structbench.bench.runs import execute, results
from structbench.bench.runs.spec import make


def test_a_run_after_one_that_left_threads_is_disturbed_and_one_in_a_notebook_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "problems", lambda: tmp_path / "problems")
    monkeypatch.setattr(results, "runs", lambda: tmp_path / "runs")
    over, started, original = threading.Event(), [], sgd.solve

    def start(name: str) -> None:
        started.append(threading.Thread(target=over.wait, name=name, daemon=True))
        started[-1].start()

    @wraps(original)  # called twice, the first time to compile its kernels
    def solve(*given, **params):
        for name in ("left", "structbench_0"):
            start(name)
        yield from original(*given, **params)

    def made(name: str) -> str:
        spec = make("toy-points", "log", 1.0, "sgd", passes=1)
        return execute.run_one(spec, Path(tmp_path, name), print, alone=True, again=True).disturbance

    start("a notebook's own")
    monkeypatch.setattr(sgd, "solve", solve)
    assert made("leaves two") == ""
    monkeypatch.setattr(sgd, "solve", original)
    assert made("beside it") == "2 threads of an earlier run were left in its process"
    over.set()
    for thread in started:
        thread.join()
    assert made("after it") == ""
