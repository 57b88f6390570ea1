"""Runs whose seconds something disturbed: seen, made once more, and not read by claims."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from structbench.bench.papers import judging
from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judging import Claim
from structbench.bench.runs import execute, machine, store
from structbench.bench.runs.finished import Runs, machines
from structbench.bench.runs.spec import make, parse
from tests.bench import fake_runs


def run(root, wall=2.0, cpu=2.0, others=0.0, alone=True, C=10.0, threads_left=0) -> store.Run:
    about = {"alone": alone, "others": others, "threads_left": threads_left}
    made = fake_runs.write(root, C=C, machine=about)
    return store.amend(made, {"wall_seconds": wall, "cpu_seconds": cpu})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ""),
        ({"wall": 1.1, "cpu": 1.0}, ""),
        ({"wall": 1.12, "cpu": 1.0}, "it took 1.1 s, of which it computed 1"),
        ({"wall": 1.0, "cpu": 1.1}, ""),
        ({"wall": 1.0, "cpu": 1.12}, "it took 1 s, and its process computed 1.1: other threads ran in it"),
        ({"threads_left": 2}, "2 threads of an earlier run were left in its process"),
        ({"threads_left": 2, "wall": 0.1, "cpu": 0.1}, "2 threads of an earlier run were left in its process"),
        ({"others": 0.5}, ""),
        ({"others": 0.6}, "0.6 other processes ran beside it"),
        ({"others": None}, ""),
        ({"wall": 0.29, "cpu": 0.1, "others": 2.0}, ""),  # too short to tell
        ({"wall": 0.3, "cpu": 0.1}, "it took 0.3 s, of which it computed 0.1"),
        ({"alone": False}, "it was not timed alone"),
        ({"alone": None}, "it was not timed alone"),
    ],
)
def test_what_disturbed_a_run(tmp_path, given, said):
    made = run(tmp_path, **given)
    assert made.disturbance == said
    several = replace(made.spec, threads=4)  # which may compute less or more than the wall clock says
    made = replace(made, spec=several)
    assert made.disturbance == ("" if said.startswith("it took") else said)


def test_threads_that_a_run_leaves_are_counted_and_ours_are_not():
    before, over = machine.facts()["threads_left"], threading.Event()
    threads = [threading.Thread(target=over.wait, name=name) for name in ("left", "structbench_0")]
    for thread in threads:
        thread.start()
    assert machine.facts()["threads_left"] == before + 1
    over.set()
    for thread in threads:
        thread.join()
    assert machine.facts()["threads_left"] == before


def test_what_others_do_is_what_the_machine_does_less_ones_own(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    now = {"wall": 0.0, "own": 0.0}
    monkeypatch.setattr(machine.time, "perf_counter", lambda: now["wall"])
    monkeypatch.setattr(machine.os, "times", lambda: (now["own"], 0.0, 0.0, 0.0, 0.0))
    monkeypatch.setattr(machine.os, "sysconf", lambda name: 100)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "stat").write_text("cpu  100 0 0 5000 70 0 0 0 0 0\n")
    watch = machine.Watch()
    now |= {"wall": 2.0, "own": 2.0}
    # user, nice, system, idle, waiting, interrupts: 3.5 seconds of work more, of which 2 are its own
    (tmp_path / "proc" / "stat").write_text("cpu  300 20 100 9000 990 10 20 0 0 0\n")
    assert watch.others() == pytest.approx(0.75)
    (tmp_path / "proc" / "stat").unlink()
    assert machine.Watch().others() is None


@pytest.mark.parametrize(
    ("first", "alone", "repeated"),
    [(5.0, True, [2.0, 4.0, 1.0]), (6.0, True, [2.0, 4.0]), (5.0, False, [])],  # of C = 2, 4 and 1: 2, 3 and 5 s
)
def test_disturbed_runs_are_made_once_more_within_a_tenth_of_the_time(
    tmp_path, monkeypatch, first, alone, repeated
):
    """100 seconds in all: 10 for repeats, the short ones first. Nothing disturbed those of C = 3 and 5."""
    now, told, made = [0.0], [], []
    monkeypatch.setattr(execute.time, "monotonic", lambda: now[0])
    specs = [make("mnist", "log", C, "eg", passes=60) for C in (1.0, 2.0, 3.0, 4.0, 5.0)]
    seconds = dict(zip(specs, (first, 2.0, 89.0, 3.0, 1.0), strict=True))

    def run_one(spec, folder, say, again, *rest):
        now[0] += seconds[spec]
        made.append((spec.C, again))
        shaken = spec.C not in (3.0, 5.0) and not again
        found = run(tmp_path, wall=3.0 if shaken else 1.0, cpu=1.0, C=spec.C)
        return store.amend(found, {"total_seconds": seconds[spec]})

    monkeypatch.setattr(execute, "run_one", run_one)
    execute.run_all(specs, tmp_path, lambda spec, *rest: told.append(spec.C), lambda *news: None, alone=alone)
    assert told == [1.0, 2.0, 3.0, 4.0, 5.0] and made[5:] == [(C, True) for C in repeated]


@pytest.mark.parametrize("clock", ["cpu_seconds", "passes"])
def test_claims_on_seconds_do_not_read_disturbed_runs(tmp_path, clock):
    specs = [parse(run(tmp_path, C=C, others=2.0 * (C == 10.0)).key) for C in (1.0, 10.0)]

    def measure(part: Part, runs: Runs) -> list[Evidence]:
        last = sum(float(runs.finished(spec).curve[clock].iloc[-1]) for spec in specs)
        return [Evidence({}, last, "value", low=last, high=last, source="exact")]

    row = Row("x", "Figure 1", "It is.", (Part("measure", "it is {}"),))
    (judged,) = judging.judge([Claim("eg2008/x", row, measure, specs, [])], Runs(tmp_path))
    assert judged.verdict == ("reproduced" if clock == "passes" else "open")
    assert judged.answer.endswith("needs runs timed alone.") == (clock != "passes")
    assert Runs(tmp_path).undisturbed().finished(specs[1]).summary["cpu_seconds"] != 2.0


def test_seconds_of_other_versions_do_not_compare(tmp_path):
    first, second = (fake_runs.write(tmp_path, C=C, machine={"numba": f"0.{68 + C:g}.0"}) for C in (1.0, 2.0))
    specs = [parse(first.key), parse(second.key)]
    runs = Runs(tmp_path)
    assert len(machines(runs.present(specs))) == 2
    known = [np.isfinite(runs.comparable(specs).finished(spec).summary["cpu_seconds"]) for spec in specs]
    assert sorted(known) == [False, True]
