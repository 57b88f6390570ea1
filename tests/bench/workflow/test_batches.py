"""Runs in batches, and journals that say what came of them."""

import os
import shlex

import pytest

from structbench.bench.runs import results
from structbench.bench.runs.spec import make, parse
from structbench.bench.verbs.command_line import parse_words
from structbench.bench.workflow import batches, config, estimate, journal, outcome
from tests.bench import synthetic_curves


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    monkeypatch.setattr(estimate, "seconds", lambda spec: 1.0)
    return tmp_path


def test_a_batch_is_of_one_data_set_with_whatever_options_and_of_one_file(tmp_path):
    names = [f"synthetic:crf={crf},fold={fold}" for crf in (0, 1) for fold in range(3)]
    names += ["mnist", *(f"svmlight:{tmp_path}/{name}" for name in "ab")]
    specs = [make(data, "log", 1.0, algorithm) for algorithm in ("lbfgs", "eg") for data in names]
    made = batches.cut(specs, frozenset(), frozenset())
    assert sorted(len(batch.specs) for batch in made.values()) == [2, 2, 2, 12]
    assert sorted(spec.key for batch in made.values() for spec in batch.specs) == sorted(s.key for s in specs)
    alike = [{(spec.data.name, spec.data.path) for spec in batch.specs} for batch in made.values()]
    assert all(len(each) == 1 for each in alike)
    assert batches.cut(reversed(specs), frozenset(), frozenset()).keys() == made.keys()


def test_a_job_is_told_where_the_files_in_its_keys_are(tmp_path):
    specs = [make(f"svmlight:{tmp_path}/it's {name}", "log", 1.0, "eg", test="x") for name in "ab"]
    made = batches.cut(specs, frozenset(specs), frozenset())
    batches.write_jobs("mine", made)
    jobs = batches.read_jobs("mine")
    assert jobs == {name: batch.job for name, batch in made.items()} and len(jobs) == 2
    for name, batch in made.items():
        given = parse_words(["batch", "--out", "o", *shlex.split(jobs[name].how), *jobs[name].runs])
        paths = dict(each.split("=", 1) for each in given.path)
        assert given.alone and tuple(parse(key, paths) for key in given.keys) == batch.specs


def test_a_batch_has_work_for_a_minute(monkeypatch):
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, 101)]
    for seconds, largest in ((0.001, batches.MAX_RUNS), (10.0, 6), (1000.0, 1)):
        monkeypatch.setattr(estimate, "seconds", lambda spec, s=seconds: s)
        assert max(len(batch.specs) for batch in batches.cut(specs, frozenset(), frozenset()).values()) == largest


def test_a_job_asks_for_memory_by_its_largest_problem_and_for_time_by_its_runs_and_more_after_a_failure(
    monkeypatch,
):
    specs = [make(f"mnist:train={count}", "log", 1.0, "lbfgs") for count in (100, 5000, 300)]
    (batch,) = batches.cut(specs, frozenset(), frozenset()).values()
    job = batch.job
    assert "train=5000" in job.problem
    small = job.megabytes_for(1)
    (problem := results.problems() / "mnist:train=5000").mkdir(parents=True)
    assert str(problem) + ".json" == job.problem
    (problem / "train.x.npy").write_bytes(bytes(10_000_000))
    large = job.megabytes_for(1)
    assert 100 <= large - small <= 200
    assert [job.megabytes_for(attempt) / large for attempt in (2, 3, 9)] == [2, 3, batches.MAX_GROWTH]
    assert [job.minutes_for(attempt) / job.minutes for attempt in (1, 2, 9)] == [1, 2, batches.MAX_GROWTH]
    monkeypatch.setattr(estimate, "seconds", lambda spec: 120.0)
    assert batch.job.minutes == 5 + 3 * 10 and job.minutes == 6


def test_runs_whose_seconds_or_memory_is_read_are_apart():
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, 7)]
    made = batches.cut(specs, frozenset(specs[:2]), frozenset(specs[2:4])).values()
    assert {(each.alone, each.memory): {*each.specs} for each in made} == {
        (True, False): {*specs[:2]}, (False, True): {*specs[2:4]}, (False, False): {*specs[4:]}
    }  # fmt: skip


def a_config(**more):
    grid = {"name": "a", "data": "mnist", "C": [1, 10], "algorithms": {"lbfgs": {}}, "timed": False} | more
    return config.config_of({"name": "mine", "grids": [grid]})


def in_batches(made):
    return {spec.key for batch in made.batches.values() for spec in batch.specs}


def test_only_runs_that_are_not_finished_are_in_a_batch_unless_all_are_made_again(monkeypatch):
    first = a_config()
    one, ten = sorted(first.specs, key=lambda spec: spec.C)
    monkeypatch.setitem(synthetic_curves.PROVENANCE, "alone", False)
    synthetic_curves.write(results.runs(), one)
    assert in_batches(a_config()) == {ten.key} and a_config().finished.keys() == {one}
    assert in_batches(a_config(C=[1, 10, 100])) - {ten.key} == {ten.key.replace("C=10", "C=100")}
    assert in_batches(a_config(timed=True)) == {one.key, ten.key}, "its seconds were not measured alone"
    with monkeypatch.context() as patch:
        patch.setenv(batches.AGAIN_VARIABLE, "1")
        assert in_batches(a_config()) == {one.key, ten.key}
    (results.runs() / one.key / "summary.json").write_text("{")
    assert in_batches(a_config()) == {one.key, ten.key}


def test_a_batch_that_is_to_be_made_has_a_journal_that_is_not_there():
    (batch,) = a_config().batches.values()
    for attempt in (1, 2):
        (batch,) = a_config().batches.values()
        assert batch.journal.name == f"{batch.name}.{attempt}.journal"
        journal.Journal(batch.journal).begin()
        assert batch.journal.exists(), "a batch keeps its journal while it is made"


def note(name: str, at: float, **said: str) -> None:
    """A journal of that time; ``said``: what became of each run."""
    book = journal.Journal(results.batches() / f"{name}.journal")
    book.begin()
    for key, what in said.items():
        book.note(journal.ENDED if what == "passes" else journal.FAILED, key, what)
    os.utime(book.file, (at, at))


def test_a_missing_run_has_the_reason_of_the_last_batch_that_tried_it():
    one, ten = sorted(a_config().specs, key=lambda spec: spec.C)
    note("b", 100, **{one.key: "broken", ten.key: "killed by SIGKILL"})
    assert outcome.missing(a_config()) == {one.key: "broken", ten.key: "killed by SIGKILL"}
    note("a", 200, **{one.key: "passes"})
    assert outcome.missing(a_config()) == {one.key: "it was not made yet", ten.key: "killed by SIGKILL"}
    for spec in (one, ten):
        synthetic_curves.write(results.runs(), spec)
    assert outcome.missing(a_config()) == {}


@pytest.mark.parametrize("content", ["", "[]", "{}", '["failed", 1]', '["failed", "a", 1.0, "b"'])
def test_a_damaged_journal_says_nothing(content):
    results.batches().mkdir()
    (results.batches() / "a.1.journal").write_text(content)
    assert batches.failures() == {}
