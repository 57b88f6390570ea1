"""Rows about threads and iterations, of clocks made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from algorithms.runtime import parallel
from algorithms.structures import chain
from algorithms.structures import features as ft
from bench.measure import iterations, threads
from bench.runs import catalogue, problems
from datasets.problems.problem import Problem


@pytest.mark.parametrize(("two", "gain", "holds"), [(2.0, "2.00 x", True), (2.5, "1.60 x", False)])
def test_the_gain_is_the_median_ratio_of_the_walls_of_one_thread_and_two(monkeypatch, two, gain, holds):
    now, used = [0.0], []
    monkeypatch.setattr(threads, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    def work(seconds):
        used.append(parallel.threads())
        now[0] += seconds * (3 if len(used) == 1 else 1)  # the first repetition is an exception
        return 5

    row = threads._row("work", {1: lambda: work(4.0), 2: lambda: work(two)})
    assert used == [1, 2] * threads.REPEATS
    assert gain in row.ours and "0.800" in row.ours
    assert row.holds is holds
    assert parallel.threads() == 1


def test_every_work_of_the_part_runs(monkeypatch):
    rng = np.random.default_rng(0)
    split = chain.build(ft.dense(rng.normal(size=(60, 3))), np.full(12, 5), rng.integers(3, size=60), 3)
    monkeypatch.setattr(problems, "obtain", lambda data: (Problem(split, split, ("a", "b", "c")), "0" * 64))
    monkeypatch.setattr(threads, "REPEATS", 1)
    monkeypatch.setattr(threads, "BEFORE", 2)
    monkeypatch.setattr(threads, "STEPS", 1)
    found = list(threads.rows())
    assert len({row.what for row in found}) == 4
    assert all(row.target == "at least 1.7 x" and row.holds is not None for row in found)


def test_an_iteration_is_judged_by_the_clock_of_its_threads(monkeypatch):
    split = SimpleNamespace()
    monkeypatch.setattr(catalogue, "require", lambda name: None)
    monkeypatch.setattr(problems, "obtain", lambda data: (SimpleNamespace(train=split), ""))
    monkeypatch.setattr(iterations.parts, "num_weights", lambda split: 7_400_000)
    ours = {1: [0.3, 0.5, 0.39], 2: [0.2, 0.1, 0.3]}
    monkeypatch.setattr(iterations, "seconds", lambda data, C: (ours, [(1.0, 0.5)] * 3))
    one, two = list(iterations.rows())[:2]
    assert one.holds is True
    assert "0.39 x (0.30 to 0.50)" in one.ours and "7.40 million" in one.what
    assert two.holds is False  # 0.2 of 0.5 wall seconds
    assert "0.40 x (0.20 to 0.60)" in two.ours
