"""The plan before the start, and the time left while it goes on."""

import inspect
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bench.runs import results
from bench.runs.spec import make
from bench.workflow import batches, estimate, journal, plan, progress

RATE = estimate.Rate(5.0, 0.1, 1e6)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    monkeypatch.setattr(estimate, "of", lambda spec: RATE)
    monkeypatch.setattr(estimate, "reference", lambda spec: RATE)
    monkeypatch.setattr(estimate, "overhead", lambda what: 1.0)
    return tmp_path


def a_plan(timed=2, others=4, cores=2) -> plan.Plan:
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, timed + others + 1)]
    made = batches.of(specs, frozenset(specs[:timed]))
    config = SimpleNamespace(
        batches=made,
        manifests={name: batch.manifest for name, batch in made.items()},
        figures={},
        specs=specs,
        places={"mnist": "mirror"},
        left_out=["sklearn is not installed"],
        skipped=[],
    )
    planned = plan.of(config, cores)
    assert "(0 more" not in plan.said(planned, config)
    return planned


def test_timed_runs_go_one_after_another_and_the_others_on_all_cores(monkeypatch):
    monkeypatch.setattr(batches, "SECONDS", 5.0)
    monkeypatch.setattr(batches, "ALONE_SECONDS", 5.0)
    planned = a_plan(timed=2, others=4)
    assert len(planned.batches) == 6
    left = {
        (cores, machines): plan.time_left(replace(planned, cores=cores, machines=machines), planned.seconds)
        for cores, machines in ((1, 1), (2, 1), (64, 1), (1, 2), (1, 100))
    }
    assert left[1, 1] == 6 * 5
    assert left[2, 1] == 2 * 5 + max(4 * 5 / 2, 5)
    assert left[64, 1] == 2 * 5 + 5
    assert left[1, 2] == 6 * 5 / 2
    assert left[1, 100] == 5 + 5


def test_dry_runs_are_known_by_their_command_line():
    assert all(map(plan.dry, (["-n"], ["a", "-np"], ["--dry-run"], ["--dryrun"])))
    assert not any(map(plan.dry, ([], ["--cores", "2"], ["--nolock"], ["-p"], ["results/n"])))


def test_the_time_left_follows_what_runs_take():
    planned = a_plan(timed=0, others=4, cores=1)
    watched = progress.Progress(planned)
    (batch,) = planned.batches
    book = journal.Journal(planned.manifests[batch.name].with_suffix(".journal"))
    book.begin()
    first = watched.seconds_left
    assert first >= 20
    now = time.time()

    def note(what: str, key: str, at: float, said: str = "") -> None:
        with book.file.open("a") as file:
            file.write(f'["{what}", "{key}", {at}, "{said}"]\n')

    keys = [spec.key for spec in batch.specs]
    note("begun", keys[0], now - 200)
    note("ended", keys[0], now - 100, "converged")
    note("begun", keys[1], now - 100)
    note("failed", keys[1], now, "it broke")
    note("begun", keys[2], now)
    note("news", keys[2], now, "pass 3 of 100")
    assert watched.look() == [f"FAILED {keys[1]}: it broke"]
    assert watched.seconds_left > first / 2  # ten times slower than expected
    assert watched.line.startswith("2/4 runs, about ") and "L-BFGS, C = 3, mnist: pass 3 of 100" in watched.line
    note("ended", keys[2], now + 100, "converged")
    note("ended", keys[3], now + 100, "converged")
    assert watched.look() == [] and watched.line == "4/4 runs; drawing, judging, tracking"


def test_the_rates_are_of_every_data_set_of_the_default_config(monkeypatch):
    monkeypatch.undo()
    spec = make("mnist", "log", 10.0, "eg")
    assert estimate.reference(spec).seconds > 0
    limited = make("mnist", "log", 10.0, "eg", seconds=0.5)
    assert estimate.reference(limited).seconds <= 1.5
    assert estimate.kind(make("synthetic:crf=1,fold=3", "log", 1.0, "eg")) == estimate.kind(
        make("synthetic:crf=0,fold=0", "log", 1.0, "eg")
    )


def test_a_kind_that_was_not_measured_takes_as_long_as_those_most_alike(monkeypatch, tmp_path):
    monkeypatch.undo()
    rows = {
        ("mnist:", "eg", "log", 20.0): (4.0, 0.4),  # ended after ten passes
        ("mnist:train=100", "eg", "log", 10.0): (1.0, 0.1),
        ("mnist:train=100", "sgd", "log", 10.0): (0.3, 0.03),
        ("ocr:", "laso", "none", 10.0): (5.0, 0.5),
        ("ocr:fewer=1", "laso", "none", 10.0): (15.0, 1.5),
    }
    file = tmp_path / "rates.csv"
    estimate.write([(estimate.Kind(*kind), estimate.Rate(*rate, 100.0)) for kind, rate in rows.items()], file)
    monkeypatch.setattr(estimate, "RATES", file)
    for cached in (estimate.measured, estimate._of_kind):
        cached.cache_clear()
    expected = {
        make("mnist", "log", 1.0, "eg", passes=20): 4.0,
        make("mnist", "log", 1.0, "eg", passes=60): 12.0,  # of the same kind with another limit, in proportion
        make("mnist:train=9", "log", 1.0, "eg", passes=10): 2.0,  # the pace of eg with another value, and a second
        make("mnist:test=9,train=100", "log", 1.0, "eg", passes=10): 2.0,  # that with one other option
        make("mnist:train=100", "hinge", 1.0, "smo", passes=10): 1.65,  # that of all with these options
        make("ocr:words=9", None, None, "laso", passes=10): 6.0,
        make("toy-points", None, None, "perceptron", passes=10): 3.0,
    }
    try:
        assert {spec.key: estimate.reference(spec).seconds for spec in expected} == pytest.approx(
            {spec.key: seconds for spec, seconds in expected.items()}
        )
    finally:
        for cached in (estimate.measured, estimate._of_kind):
            cached.cache_clear()


def test_snakemake_looks_for_jobs_only_when_one_ends():
    """Its limit on jobs a second, which it always has, makes it look for ever more often."""
    from snakemake.scheduling.job_scheduler import JobScheduler

    scheduler = SimpleNamespace(job_rate_limiter=object())
    progress.calm(scheduler)
    assert scheduler.job_rate_limiter is None
    # an upgrade that names it otherwise is noticed
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler.job_selector)
    assert "self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)
