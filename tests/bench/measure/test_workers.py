"""Simulated workers come to the passes and gap of real threads, and save time."""

import re

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.bench.measure import workers
from structbench.bench.runs import results


def test_workers_save_all_but_the_longest_share():
    team, done, clock = workers.Workers(2), [], iter(range(100))
    team.clock = lambda: float(next(clock))

    def kernel(first, last):
        done.extend(range(first, last))
        if first == 0:
            next(clock)  # this block takes two seconds, the others one

    team.for_each(kernel, 3)
    assert done == [0, 1, 2]
    assert team.saved == 2.0  # four seconds, of which one worker has 2 and the other 1 + 1


def test_passes_and_gap_are_those_of_a_run(monkeypatch, tmp_path):
    monkeypatch.setattr(workers, "PROBLEMS", {"toy-english:sentences=20,test_sentences=5": 1.0})
    monkeypatch.setattr(results, "root", lambda: tmp_path)
    (row,) = workers.rows()
    assert float(re.search(r"gap (\S+)", row.ours)[1]) <= workers.GAP
    assert parallel.threads() == 1
    assert np.isfinite(float(re.search(r"([\d.]+) passes", row.ours)[1]))
