"""What the explorer's page holds of the runs: thinned, rounded, complete in what it says."""

import json
from dataclasses import replace

import numpy as np
import pytest

from structbench.bench.report import explorer
from structbench.bench.runs import catalogue, store
from structbench.datasets import data_ref
from tests.bench import fake_runs


def data_of(runs):
    page, unreadable = explorer.contents(runs)
    assert unreadable == []
    json.dumps(page, allow_nan=False)
    return page


def curve_of(data, key):
    (entry,) = (run for run in data["runs"] if run["key"] == key)
    return dict(zip(data["columns"], entry["curve"], strict=True))


def test_a_run_keeps_its_numbers_to_four_digits(tmp_path):
    run = fake_runs.write(tmp_path)
    found = curve_of(data_of([run]), run.key)
    columns = {"passes": "passes", "seconds": "cpu_seconds", "gap": "relative_gap", "primal": "primal"}
    for name, column in (columns | {"error": "test_error"}).items():
        scale, digits = 100 if name == "error" else 1, 6 if name == "primal" else 4
        truth = scale * run.curve[column].to_numpy()
        assert np.allclose(found[name], truth, rtol=0.5 * 10 ** (1 - digits), atol=0)
        assert all(value == float(f"{value:.{digits}g}") for value in found[name])
    assert found["f1"] is None  # no chunks
    again = store.read_run(run.folder)
    explorer.contents([again])
    assert "curve" not in vars(again), "curves do not stay in memory"


def test_a_run_says_its_problem_variant_machine_and_end(tmp_path):
    alone = {"host": "one", "alone": True}
    runs = [
        fake_runs.write(tmp_path, order="cyclic", seed=3, machine=alone),
        fake_runs.write(tmp_path, algorithm="lbfgs", loss="log", C=0.5, diverges=True, machine={"alone": None}),
    ]
    data = data_of(runs)
    first, second = data["runs"]
    assert data["problems"][first["problem"]] == ("mnist", "log", "10")
    assert data["problems"][second["problem"]] == ("mnist", "log", "0.5")
    assert data["variants"][first["variant"]] == ("EG", "order=cyclic")
    assert data["hosts"][first["host"]] == "one (Some CPU @ 3 GHz)"
    assert (first["seed"], first["status"], first["alone"]) == (3, "passes", True)
    assert (second["status"], second["alone"]) == ("diverged", None)
    assert curve_of(data, second["key"])["primal"][-1] is None


def test_two_algorithms_of_one_label_are_named_by_their_ids(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "label", lambda name: "Gradient" if name in ("lbfgs", "sgd") else name)
    names = ("lbfgs", "sgd", "eg")
    data = data_of([fake_runs.write(tmp_path, algorithm=name, loss="log") for name in names])
    assert {name for name, _ in data["variants"]} == set(data["colours"]["own"]) == {*names}


def test_data_sets_have_titles_and_the_largest_is_first(tmp_path):
    runs = [fake_runs.write(tmp_path, data="ocr"), fake_runs.write(tmp_path), fake_runs.write(tmp_path, C=1.0)]
    assert data_of(runs)["data"] == [("mnist", "MNIST digits"), ("ocr", "OCR letters")]


def test_the_distance_is_from_the_best_bound_of_the_problem(tmp_path):
    runs = [
        fake_runs.write(tmp_path),
        fake_runs.write(tmp_path, algorithm="sgd"),
        fake_runs.write(tmp_path, C=1.0),
    ]
    data = data_of(runs)
    bound = runs[0].curve.dual.max()  # sgd has no dual value of its own
    primal = runs[1].curve.primal.to_numpy()
    sgd = curve_of(data, runs[1].key)
    assert np.allclose(sgd["distance"], (primal - bound) / primal, rtol=1e-3)
    assert sgd["gap"] is None
    alone = curve_of(data_of(runs[1:2]), runs[1].key)
    assert alone["distance"] is None, "without any bound there is no distance"
    curve = runs[1].curve.assign(dual=1e161)  # above its primal: as from weights of 1e80
    curve.to_parquet(runs[1].folder / "curve.parquet")
    again = curve_of(data_of([store.read_run(run.folder) for run in runs]), runs[1].key)
    assert again["distance"] == sgd["distance"], "that bounds nothing"


def test_data_of_one_name_that_differ_are_two_problems(tmp_path):
    mine = fake_runs.write(tmp_path / "mine")
    theirs = fake_runs.write(tmp_path / "theirs", algorithm="lbfgs", machine={"data_sha256": "f00d" * 16})
    data = data_of([mine, theirs])
    names = ("mnist (SHA-256 ba89ba89)", "log", "10"), ("mnist (SHA-256 f00df00d)", "log", "10")
    assert [data["problems"][run["problem"]] for run in data["runs"]] == [*names]
    for run in (mine, theirs):  # each with its own bound
        assert np.allclose(curve_of(data, run.key)["distance"], curve_of(data_of([run]), run.key)["distance"])
    assert explorer.view(theirs, explorer.data_versions([mine, theirs]))["data"] == names[1][0]


@pytest.mark.parametrize(
    ("loss", "penalty", "C", "test", "seen"),
    [
        ("none", "none", 1.0, None, {"data": "mnist", "loss": "none", "C": "-"}),
        ("hinge", "l1", 10.0, "a.txt", {"data": "mnist, test a~18b7cb", "loss": "hinge, l1", "C": "10"}),
    ],
)
def test_a_penalty_is_part_of_the_loss_and_what_goes_by_mistakes_has_neither(
    tmp_path, loss, penalty, C, test, seen
):
    run = fake_runs.write(tmp_path)
    run = replace(run, spec=replace(run.spec, loss=loss, penalty=penalty, C=C, test=test))
    assert explorer.view(run, explorer.data_versions([run])) == seen


def test_folds_are_one_data_set_each_with_a_bound_of_its_own(tmp_path):
    runs = []
    for k in (1, 2, 3):
        run = fake_runs.write(tmp_path, data="ocr", seed=k)
        spec = replace(run.spec, data=data_ref(f"ocr:validation={k}of3"), seed=0)
        runs.append(replace(run, key=spec.key, spec=spec))
    data = data_of(runs)
    assert data["data"] == [("ocr:3 folds", "OCR letters, 3 folds")] and len(data["problems"]) == 1
    assert [run["fold"] for run in data["runs"]] == ["fold 1 of 3", "fold 2 of 3", "fold 3 of 3"]
    for run in runs:
        assert curve_of(data, run.key)["distance"] == curve_of(data_of([run]), run.key)["distance"]


def test_long_curves_are_thinned_and_the_page_says_so(tmp_path):
    runs = [fake_runs.write(tmp_path, checkpoints=500), fake_runs.write(tmp_path, C=1.0, checkpoints=20)]
    page, _ = explorer.contents(runs)
    long, short = (curve_of(page, run.key)["passes"] for run in runs)
    assert (len(long), len(short)) == (explorer.MOST_POINTS, 20)
    assert (long[0], long[-1]) == (0, 60)
    assert page["notes"] == ["Of 1 run only 60 checkpoints are here, evenly spread: curve.parquet has all."]


def test_many_runs_keep_fewer_points_each_and_what_a_page_does_not_hold_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(explorer, "ALL_POINTS", 100)
    runs = [fake_runs.write(tmp_path, C=C) for C in (1.0, 2.0, 3.0, 4.0)]
    page, _ = explorer.contents(runs)
    assert {len(curve_of(page, run.key)["passes"]) for run in runs} == {25}
    monkeypatch.setattr(explorer, "ALL_POINTS", 1)
    page, _ = explorer.contents(runs)
    assert {len(curve_of(page, run.key)["passes"]) for run in runs} == {explorer.FEWEST_POINTS}
    monkeypatch.setattr(explorer, "MOST_RUNS", 2)
    page, _ = explorer.contents(iter(runs))
    assert len(page["runs"]) == 2
    assert page["notes"][0] == "Of 4 runs the first 2 by name are here."
    (runs[0].folder / "curve.parquet").write_bytes(b"PAR1")
    page, unreadable = explorer.contents([store.read_run(run.folder) for run in runs[:2]])
    assert [run["key"] for run in page["runs"]] == [runs[1].key]
    ((run, why),) = unreadable
    assert run.key == runs[0].key and "delete" in why and page["notes"][-1] == "1 run cannot be read."


def test_a_bound_that_is_reached_is_a_distance_of_0(tmp_path):
    run = fake_runs.write(tmp_path)
    curve = run.curve.assign(dual=run.curve["primal"].min())
    curve.to_parquet(run.folder / "curve.parquet")
    run = store.read_run(run.folder)
    found = curve_of(data_of([run]), run.key)["distance"]
    assert found[0] > 0 and found[int(run.curve["primal"].argmin())] == 0


def test_the_page_names_the_folders_of_the_user(tmp_path, monkeypatch):
    run = fake_runs.write(tmp_path / "runs")
    assert "with" not in data_of([run])
    (tmp_path / "mine" / "algorithms").mkdir(parents=True)
    monkeypatch.setenv("STRUCTBENCH_WITH", str(tmp_path / "mine"))
    assert data_of([run])["with"] == [str(tmp_path / "mine")]
