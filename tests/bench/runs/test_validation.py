"""Runs on data with a validation split report its error; the best method is chosen by it."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.structures import prediction
from structbench.bench.drawing import best
from structbench.bench.runs import results, spec, store
from structbench.bench.runs.execute import run_one
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.grids import expand

DATA = "toy-english:sentences=60,test_sentences=20"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))


def made(of: spec.Spec) -> store.Run:
    return run_one(of, results.runs() / of.key, lambda line: None)


def test_the_best_method_is_chosen_by_the_error_on_the_validation_split(capsys):
    grid = {"name": "g", "data": [DATA], "C": [0.01, 1000.0], "algorithms": {"lbfgs": {}}, "validation": 0.25}
    specs = expand(grid).specs
    assert {each.data.text for each in specs} == {"toy-english:sentences=60,test_sentences=20,validation=0.25"}
    problem = datasets.build(specs[0].data)
    for each in specs:
        run = made(each)
        w = store.weights_of(run)
        assert run.summary["validation_error"] == pytest.approx(prediction.error_rate(problem.validation, w))
        assert run.summary["test_error"] == pytest.approx(prediction.error_rate(problem.test, w))
        assert np.isfinite(run.curve["validation_f1"]).all()
    found = best.best(specs, Runs())
    assert (found.by, found.record()["C_chosen_on"]) == ("validation_error", "validation")
    assert [table.warning for table in found.tables] == [""]
    least = min(specs, key=lambda each: store.read_run(results.runs() / each.key).summary["validation_error"])
    assert found.tables[0].rows[0].runs == (least,)
    by_f1 = best.best(specs, Runs(), "validation_f1")
    most = max(specs, key=lambda each: store.read_run(results.runs() / each.key).summary["validation_f1"])
    assert by_f1.tables[0].rows[0].runs == (most,) and by_f1.record()["C_chosen_on"] == "validation"
    on_test = best.best(specs, Runs(), "test_error")
    assert on_test.record()["C_chosen_on"] == "test"
    assert on_test.tables[0].warning.startswith("CHOSEN ON TEST DATA: each method has the C of its best error on")


def test_other_runs_have_no_such_column():
    run = made(spec.make(DATA, "log", 1.0, "lbfgs", passes=5))
    assert not [name for name in (*run.curve.columns, *run.summary) if name.startswith("validation")]


def test_a_data_set_keeps_a_validation_split_of_its_own():
    grid = {"name": "g", "data": [f"{DATA},validation=0.5", "ocr"], "C": [1.0], "algorithms": {"lbfgs": {}}}
    assert [each.data.text for each in expand(grid | {"validation": 0.1}).specs] == [
        f"{DATA},validation=0.5",
        "ocr:validation=0.1",
    ]
