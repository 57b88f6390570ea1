"""What the explorer's page holds of the runs: thinned, rounded, complete in what it says."""

import json
import math

import numpy as np
import pytest

from structbench.bench.report import explorer
from structbench.bench.runs import store
from tests.bench import fake_runs


def data_of(runs):
    page, unreadable = explorer.contents(runs)
    assert unreadable == []
    json.dumps(page["data"], allow_nan=False)
    return page["data"]


def curve_of(data, key):
    (entry,) = (run for run in data["runs"] if run["key"] == key)
    return dict(zip(data["columns"], entry["curve"], strict=True))


def test_a_run_keeps_its_numbers_to_four_digits(tmp_path):
    run = fake_runs.write(tmp_path)
    found = curve_of(data_of([run]), run.key)
    for name, column, scale, digits in (
        ("passes", "passes", 1, 4),
        ("seconds", "cpu_seconds", 1, 4),
        ("gap", "relative_gap", 1, 4),
        ("primal", "primal", 1, 6),
        ("error", "test_error", 100, 4),
    ):
        truth = scale * run.curve[column].to_numpy()
        assert np.allclose(found[name], truth, rtol=0.5 * 10 ** (1 - digits), atol=0)
        assert all(value == float(f"{value:.{digits}g}") for value in found[name])
    assert found["f1"] is None  # no chunks


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


def test_a_dual_value_above_a_primal_one_bounds_nothing(tmp_path):
    runs = [fake_runs.write(tmp_path), fake_runs.write(tmp_path, algorithm="lbfgs")]
    curve = runs[1].curve.assign(dual=1e161)  # as from weights of 1e80
    curve.to_parquet(runs[1].folder / "curve.parquet")
    eg = curve_of(data_of([store.read(run.folder) for run in runs]), runs[0].key)
    primal, bound = runs[0].curve.primal.to_numpy(), runs[0].curve.dual.max()
    assert np.allclose(eg["distance"], (primal - bound) / primal, rtol=1e-3)


def test_a_problem_without_any_bound_has_no_distance(tmp_path):
    run = fake_runs.write(tmp_path, algorithm="sgd")
    assert curve_of(data_of([run]), run.key)["distance"] is None


def test_data_of_one_name_that_differ_are_two_problems(tmp_path):
    mine = fake_runs.write(tmp_path / "mine")
    theirs = fake_runs.write(tmp_path / "theirs", algorithm="lbfgs", machine={"data_sha256": "f00d" * 16})
    data = data_of([mine, theirs])
    names = ("mnist (SHA-256 ba89ba89)", "log", "10"), ("mnist (SHA-256 f00df00d)", "log", "10")
    assert [data["problems"][run["problem"]] for run in data["runs"]] == [*names]
    for run in (mine, theirs):  # each with its own bound
        assert np.allclose(curve_of(data, run.key)["distance"], curve_of(data_of([run]), run.key)["distance"])
    assert explorer.view(theirs, explorer.data_versions([mine, theirs]))["data"] == names[1][0]


def view(run):
    return explorer.view(run, explorer.data_versions([run]))


def test_what_goes_by_mistakes_has_neither_objective_nor_strength(tmp_path):
    run = fake_runs.write(tmp_path)
    run.spec.update(loss="none", penalty="none", C=1.0)
    assert view(run) == {"data": "mnist", "loss": "none", "C": "-"}


def test_a_penalty_is_part_of_the_loss(tmp_path):
    run = fake_runs.write(tmp_path)
    run.spec.update(loss="hinge", penalty="l1", test="other.txt")
    assert view(run) == {"data": "mnist, test other.txt", "loss": "hinge, l1", "C": "10"}


def test_long_curves_are_thinned_and_the_page_says_so(tmp_path):
    runs = [fake_runs.write(tmp_path, checkpoints=500), fake_runs.write(tmp_path, C=1.0, checkpoints=20)]
    page, _ = explorer.contents(runs)
    long, short = (curve_of(page["data"], run.key)["passes"] for run in runs)
    assert (len(long), len(short)) == (explorer.MOST_POINTS, 20)
    assert (long[0], long[-1]) == (0, 60)
    assert page["notes"] == ["Of 1 run only 60 checkpoints are here, evenly spread: curve.parquet has all."]


def test_many_runs_keep_fewer_points_each(tmp_path, monkeypatch):
    monkeypatch.setattr(explorer, "ALL_POINTS", 100)
    runs = [fake_runs.write(tmp_path, C=C) for C in (1.0, 2.0, 3.0, 4.0)]
    page, _ = explorer.contents(runs)
    assert {len(curve_of(page["data"], run.key)["passes"]) for run in runs} == {25}
    monkeypatch.setattr(explorer, "ALL_POINTS", 1)
    page, _ = explorer.contents(runs)
    assert {len(curve_of(page["data"], run.key)["passes"]) for run in runs} == {explorer.FEWEST_POINTS}


def test_more_runs_than_a_page_holds_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_RUNS", 2)
    page, _ = explorer.contents(fake_runs.write(tmp_path, C=C) for C in (1.0, 2.0, 3.0))
    assert page["runs"] == len(page["data"]["runs"]) == 2
    assert page["notes"] == ["Of 3 runs the first 2 by name are here."]


def test_a_curve_that_cannot_be_read_is_named(tmp_path):
    runs = [fake_runs.write(tmp_path), fake_runs.write(tmp_path, C=1.0)]
    (runs[0].folder / "curve.parquet").write_bytes(b"PAR1")
    page, unreadable = explorer.contents(runs)
    assert [run["key"] for run in page["data"]["runs"]] == [runs[1].key]
    assert [run.key for run, _ in unreadable] == [runs[0].key]
    assert "delete" in unreadable[0][1]
    assert page["notes"] == ["1 run cannot be read."]


def test_curves_do_not_stay_in_memory(tmp_path):
    run = fake_runs.write(tmp_path)
    explorer.contents([run])
    assert "curve" not in vars(run)


@pytest.mark.parametrize(("value", "short"), [(0.1234567, 0.1235), (3.0, 3), (123456.7, 123500), (1e-300, 1e-300)])
def test_numbers_are_short(value, short):
    rounded = explorer._short(value, 4)
    assert rounded == short
    assert math.isfinite(rounded)
