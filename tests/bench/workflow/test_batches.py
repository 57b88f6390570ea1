"""Runs in batches, and manifests that say what came of them."""

import itertools
import shlex

import pytest

from structbench import datasets
from structbench.bench.runs import results
from structbench.bench.runs.spec import make, parse
from structbench.bench.verbs.command_line import parser
from structbench.bench.workflow import batches, estimate, stamps
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
    made = batches.of(specs, frozenset())
    assert sorted(len(batch.specs) for batch in made.values()) == [2, 2, 2, 12]
    assert sorted(spec.key for batch in made.values() for spec in batch.specs) == sorted(s.key for s in specs)
    alike = [{datasets.parse(spec.data)[::2] for spec in batch.specs} for batch in made.values()]
    assert all(len(each) == 1 for each in alike)
    assert batches.of(reversed(specs), frozenset()).keys() == made.keys()


def test_a_job_is_told_where_the_files_in_its_keys_are(tmp_path):
    specs = [make(f"svmlight:{tmp_path}/it's {name}", "log", 1.0, "eg", test="x") for name in "ab"]
    for batch in batches.of(specs, frozenset(specs)).values():
        words = ["batch", "--out", "o", *shlex.split(batch.options), *(spec.key for spec in batch.specs)]
        given = parser().parse_args(words)
        paths = dict(each.split("=", 1) for each in given.path)
        assert given.alone and tuple(parse(key, paths) for key in given.keys) == batch.specs


def test_a_batch_has_work_for_a_minute(monkeypatch):
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, 101)]
    for seconds, largest in ((0.001, batches.RUNS), (10.0, 6), (1000.0, 1)):
        monkeypatch.setattr(estimate, "seconds", lambda spec, s=seconds: s)
        assert max(len(batch.specs) for batch in batches.of(specs, frozenset()).values()) == largest


def test_new_runs_and_other_estimates_move_no_run_that_has_its_place(monkeypatch):
    def specs(seeds):
        grid = itertools.product(("eg", "sgd", "lbfgs"), (1.0, 10.0, 100.0), range(seeds))
        return list(dict.fromkeys(make("mnist", "log", C, name, seed=seed) for name, C, seed in grid))

    def made(wanted):
        found = batches.of(wanted, frozenset(wanted), before=batches.cut_before("mine"))
        stamps.keep(batches.cut_file("mine"), batches.cut_as_json(found.values(), "mine"))
        return found

    monkeypatch.setattr(batches, "ALONE_SECONDS", 5.0)
    many, more = specs(20), specs(21)
    first = made(many)
    assert len(first) == 36
    added = {name: batch for name, batch in made(more).items() if name not in first}
    new = set(more) - set(many)
    assert {spec for batch in added.values() for spec in batch.specs} == new and len(added) == 2  # 9 runs of 1 s
    every = made(more)
    assert first.keys() < every.keys()
    monkeypatch.setattr(estimate, "seconds", lambda spec: 0.3)
    assert made(more).keys() == every.keys()
    name, gone = next(iter(first.items()))  # a config of the same name that lacks these runs
    assert made([spec for spec in more if spec not in gone.specs]).keys() == every.keys() - {name}
    assert made(more).keys() == every.keys()
    batches.cut_file("mine").write_text("{")
    assert len(made(more)) == 12  # as in an empty folder: 189 runs of 0.3 s


def test_runs_whose_seconds_are_read_are_apart_wherever_they_were_before():
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, 5)]
    (whole,) = batches.of(specs, frozenset()).values()
    for before in ({}, {whole.name: [spec.key for spec in whole.specs]}):
        made = batches.of(specs, frozenset(specs[:2]), before=before)
        assert {each.alone: {*each.specs} for each in made.values()} == {True: {*specs[:2]}, False: {*specs[2:]}}


def test_a_run_that_an_edited_cut_names_twice_is_in_one_batch():
    specs = [make("mnist", "log", C, "lbfgs") for C in (1.0, 10.0)]
    made = batches.of(specs, frozenset())
    keys = [spec.key for batch in made.values() for spec in batch.specs]
    for before in ({"a": keys * 2}, {"a": keys, "b": keys}):
        assert batches.of(specs, frozenset(), before=before) == made


def test_what_is_missing_gets_another_attempt():
    specs = [make("mnist", "log", C, "lbfgs") for C in (1.0, 10.0)]
    (batch,) = batches.of(specs, frozenset()).values()
    first = batch.manifest
    assert first.name.endswith(".1.json") and set(batch.last()) == {spec.key for spec in specs}
    synthetic_curves.write(results.runs(), specs[0])
    assert set(batch.last()) == {specs[1].key}  # another config's batch made the other one
    batches.write_manifest(first, [spec.key for spec in specs], {specs[1].key: "killed by SIGKILL"})
    assert batch.last() == {specs[1].key: "killed by SIGKILL"}
    second = batch.manifest
    assert second.name.endswith(".2.json") and first.exists()
    synthetic_curves.write(results.runs(), specs[1])
    batches.write_manifest(second, [spec.key for spec in specs], {})
    assert batch.last() == {} and batch.manifest == second
    (results.runs() / specs[0].key / "summary.json").write_text("{")
    assert batch.manifest.name.endswith(".3.json") and batch.last() == {specs[0].key: "it cannot be read"}


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"runs": {}}', '{"failed": []}', '{"failed": {"a": 1'])
def test_a_damaged_manifest_counts_for_nothing(content):
    (batch,) = batches.of([make("mnist", "log", 1.0, "lbfgs")], frozenset()).values()
    batch.manifest.parent.mkdir(parents=True)
    batch.manifest.write_text(content)
    assert batch.manifest.name.endswith(".2.json")
