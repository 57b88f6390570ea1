"""The plan before the start: how long it will take, and what it says."""

import os
from dataclasses import replace

import pytest

from structbench.bench.runs import kernels, results, state, yardstick
from structbench.bench.runs.spec import make
from structbench.bench.workflow import batches, estimate, plan
from tests.bench.workflow.conftest import a_config, a_plan

pytestmark = pytest.mark.usefixtures("folder")


def test_timed_runs_go_one_after_another_and_the_others_on_all_cores(monkeypatch):
    monkeypatch.setattr(batches, "SECONDS", 5.0)
    monkeypatch.setattr(batches, "ALONE_SECONDS", 5.0)
    planned = a_plan(timed=2, others=4)
    assert len(planned.batches) == 6
    each = {batch.name: 5.0 for batch in planned.batches}
    left = {
        (cores, machines): plan.time_left(replace(planned, cores=cores, machines=machines), each, {}, {})
        for cores, machines in ((1, 1), (2, 1), (64, 1), (1, 2), (1, 100))
    }
    assert left[1, 1] == 6 * 5
    assert left[2, 1] == 2 * 5 + max(4 * 5 / 2, 5)
    assert left[64, 1] == 2 * 5 + 5
    assert left[1, 2] == 6 * 5 / 2
    assert left[1, 100] == 5 + 5
    assert plan.time_left(planned, each, {"figures_a": 7.0, "figures_b": 1.0}, {"track": 3.0}) == 10 + 14 + 3


def test_all_that_is_to_be_done_counts(monkeypatch):
    """Two timed runs, four that are not, the problem, five figures, and what comes last."""
    monkeypatch.setattr(kernels, "of_run", lambda spec: frozenset({"lbfgs.step"}))
    monkeypatch.setattr(kernels, "seconds", lambda names: 30.0 * len(names))
    planned = a_plan(timed=2, others=4, cores=2, figures=5)
    assert planned.jobs == {"problem mnist": 2.0, "figures_grid_mine": 6.0, "track_runs": 9.0}
    assert planned.last == {"track": 2.0, "report": 7.0, "outcome": 1.0}
    compiling, start = 30, 1
    alone, others = start + 2 * 5 + compiling, start + 4 * 5
    assert planned.wall == alone + max(others, (others + 2 + 6 + 9) / 2) + 10
    said = plan.describe(planned, a_config(timed=2, others=4, figures=5))
    assert "6 runs, 2 of them timed alone on the machine: about 72 s and 6 MB on 2 cores" in said
    assert "compiling kernels, once: about 30 s of that" in said
    assert "1 run, 0 of them" in plan.describe(a_plan(timed=0, others=1), a_config(timed=0, others=1))


def test_what_is_there_takes_no_time_unless_all_is_made_again(monkeypatch):
    monkeypatch.setattr(state, "of", lambda *given: state.Found(state.State.FINISHED, "", None))
    planned = a_plan(figures=5)
    assert planned.specs == [] and "figures_grid_mine" not in planned.jobs
    monkeypatch.setenv(batches.AGAIN, "1")
    assert len(a_plan().specs) == 6


def test_runs_that_are_logged_already_take_no_time(monkeypatch, folder):
    """Two of six runs are there, one of them since the database was brought up to date."""
    config = a_config(timed=2, others=4)
    there = {spec.key for spec in config.specs[:2]}
    kinds = {True: state.State.FINISHED, False: state.State.MISSING}
    monkeypatch.setattr(state, "of", lambda spec, *given: state.Found(kinds[spec.key in there], "", None))
    for key, time in zip(sorted(there), (100, 300), strict=True):
        (results.runs() / key).mkdir(parents=True)
        os.utime(results.runs() / key, (time, time))
    for file in (results.root() / "mlflow.db", results.root() / config.name / "runs-tracked"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (200, 200))
    starts = 2.0  # of a job, and of the collector
    assert plan.make_plan(config, 2).jobs["track_runs"] == starts + 5
    (results.root() / "mlflow.db").unlink()
    assert plan.make_plan(config, 2).jobs["track_runs"] == starts + 1 + 6  # and a new database


def test_a_slow_machine_and_a_large_file_take_longer_but_not_beyond_a_limit_of_seconds(monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setattr(yardstick, "slowness", lambda: 3.0)
    free, limited = (make("mnist", "log", 10.0, "eg", seconds=seconds) for seconds in (None, 0.5))
    assert estimate.of(free).seconds == pytest.approx(3 * estimate.reference(free).seconds)
    assert 0.5 < estimate.of(limited).seconds <= 0.5 + 3 * 1 and estimate.reference(limited).seconds <= 1.5
    folds = (make(f"synthetic:crf={k},fold={3 * k}", "log", 1.0, "eg") for k in (1, 0))
    assert len(set(map(estimate.kind, folds))) == 1
    file, seconds = tmp_path / "mine.txt", []
    for megabytes in (8, 0.8):
        file.write_bytes(b"1 1:1\n" * int(megabytes * 1e6 / 6))
        spec = make(f"svmlight:{file}", "log", 10.0, "eg", passes=20)
        seconds.append(estimate.reference(spec).seconds)
    mnist = estimate.reference(make("mnist", "log", 10.0, "eg", passes=20)).seconds
    assert seconds == pytest.approx([mnist / 10, mnist / 100], rel=1e-3)


def forget():
    estimate.measured.cache_clear()
    estimate._of_kind.cache_clear()


def test_a_kind_that_was_not_measured_takes_as_long_as_those_most_alike(monkeypatch, tmp_path):
    monkeypatch.undo()
    rows = {
        ("mnist:", "eg", "log", 20.0): (4.0, 0.4),  # ended after ten passes
        ("mnist:train=100", "eg", "log", 10.0): (1.0, 0.1),
        ("mnist:train=100", "sgd", "log", 10.0): (0.3, 0.03),
        ("mnist:train=100", "perceptron", "none", 10.0): (0.2, 0.02),
        ("ocr:", "laso", "none", 10.0): (5.0, 0.5),
        ("ocr:fewer=1", "laso", "none", 10.0): (15.0, 1.5),
    }
    file = tmp_path / "rates.csv"
    estimate.write([(estimate.Kind(*kind), estimate.Rate(*rate, 100.0)) for kind, rate in rows.items()], file)
    monkeypatch.setattr(estimate, "RATES", file)
    forget()
    expected = {
        make("mnist", "log", 1.0, "eg", passes=20): 4.0,
        make("mnist", "log", 1.0, "eg", passes=60): 12.0,  # of the same kind with another limit, in proportion
        make("mnist", "hinge", 1.0, "eg", passes=10): 2.0,  # the same algorithm with another loss
        make("mnist:train=9", "log", 1.0, "eg", passes=10): 1.0,  # eg with another value of the option
        make("mnist:test=9,train=100", "log", 1.0, "eg", passes=10): 1.0,  # with one other option
        make("mnist:train=100", "hinge", 1.0, "smo", passes=10): 0.3,  # the median of all with these options
        make("ocr:words=9", None, None, "laso", passes=10): 5.0,
        make("toy-points", None, None, "perceptron", passes=10): 3.0,  # nothing is known
    }
    try:
        assert [estimate.reference(spec).seconds for spec in expected] == pytest.approx([*expected.values()])
    finally:
        forget()
