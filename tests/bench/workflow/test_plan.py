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


def test_snakemake_looks_for_jobs_only_when_one_ends():
    """Its limit on jobs a second, which it always has, makes it look for ever more often."""
    from snakemake.scheduling.job_scheduler import JobScheduler

    scheduler = SimpleNamespace(job_rate_limiter=object())
    progress.calm(scheduler)
    assert scheduler.job_rate_limiter is None
    # an upgrade that names it otherwise is noticed
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler.job_selector)
    assert "self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)
