"""What ``import structbench`` offers: runs made and read again, grids, tables of them, and plots."""

import json
import shutil

import numpy as np
import pytest

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench import python_data
from structbench.bench.runs import results, store
from structbench.bench.workflow import turns
from tests.bench import fake_runs

DATA = "toy-english:sentences=20,test_sentences=10"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(autouse=True)
def _results(root, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(root))


@pytest.fixture
def made(_results):
    return [structbench.run(DATA, "lbfgs", loss="log", C=1, passes=5, memory=memory) for memory in (3, 10)]


def test_a_run_is_made_once_and_has_curve_weights_and_a_model(made):
    again = structbench.run(data=DATA, algorithm="lbfgs", loss="log", C=1, passes=5, memory=3)
    assert again.started == made[0].started and isinstance(again, structbench.Run)
    assert len(again.weights) == again.summary["num_weights"] and np.abs(again.weights).max() > 0
    assert again.curve["passes"].iloc[0] == 0 and repr(again) == f"Run({again.key}, passes)"
    (labels,) = again.predict([[("the", "DT"), ("dog", "NN")]])
    assert (
        len(labels) == 2 and labels == structbench.load(again.folder).predict([[("the", "DT"), ("dog", "NN")]])[0]
    )
    with pytest.raises(UserError, match="did you mean 'lbfgs'"):
        structbench.run(DATA, "lbgfs", loss="log", C=1)


def test_parameters_with_the_names_of_arguments_are_given_in_a_dict():
    made = structbench.run("toy-points", "sgd-classifier", passes=1, params={"loss": "perceptron"}, alpha=0.01)
    assert dict(made.spec.params) == {"loss": "perceptron", "alpha": 0.01}
    with pytest.raises(UserError, match="alpha is given twice"):
        structbench.run("toy-points", "sgd-classifier", passes=1, params={"alpha": 1}, alpha=0.01)
    again = structbench.run("toy-points", "sgd-classifier:alpha=0.01", passes=1, params={"loss": "perceptron"})
    assert again.spec.params == made.spec.params
    with pytest.raises(UserError, match="alpha is given twice, drop it from algorithm"):
        structbench.run("toy-points", "sgd-classifier:alpha=1", passes=1, alpha=0.01)


def test_a_run_without_weights_of_features_says_so():
    made = structbench.run("toy-points", "nearest-neighbours")
    with pytest.raises(UserError, match="nearest-neighbours has no weights of features"):
        _ = made.weights


def test_results_are_tables(made, root, monkeypatch):
    file = root / "mine" / "claims" / "eg2008.json"
    file.parent.mkdir(parents=True)
    claim = fake_runs.CLAIM | {"paper": "eg2008", "id": "eg2008/faster", "verdict": "holds", "answer": "yes"}
    conditions = [fake_runs.CONDITION | {"value": value} for value in (1.5, 2.5)]
    claims = [claim | {"conditions": conditions}, claim | {"id": "b"}]
    file.write_text(json.dumps({"scale": "tiny", "claims": claims}))
    table, checkpoints, evidence = structbench.results(root)
    both = table.loc[[run.key for run in made]]
    assert {*both["param_memory"]} == {3, 10}
    assert table.loc[made[0].key, "test_error"] == made[0].summary["test_error"]
    rows = checkpoints[checkpoints["run"] == made[1].key]
    assert rows["primal"].tolist() == made[1].curve["primal"].tolist() and checkpoints.columns[0] == "run"
    assert evidence["value"].tolist()[:2] == [1.5, 2.5] and evidence["claim"].tolist() == ["eg2008/faster"] * 2 + [
        "b"
    ]
    assert structbench.results().runs.equals(table)
    with pytest.raises(UserError, match="there is no folder nowhere"):
        structbench.results("nowhere")
    with monkeypatch.context() as other, pytest.raises(UserError, match="there is no folder mistyped"):
        other.setenv(results.VARIABLE, "mistyped")
        structbench.results()
    with monkeypatch.context() as other:
        other.delenv(results.VARIABLE)
        other.chdir(root.parent)
        assert structbench.results().runs.empty
    monkeypatch.setenv("HOME", str(root.parent))
    assert structbench.results(f"~/{root.name}").runs.equals(table)
    assert structbench.load(f"~/{root.name}/runs/{made[0].key}").about["key"] == made[0].key
    (root.parent / "own.yaml").write_text("grids: [{}]")
    with pytest.raises(UserError, match=r"own\.yaml, grid 1: the key 'name' is missing"):
        structbench.grid("~/own.yaml")


def test_a_grid_gives_its_runs_and_warns_of_failures(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)  # this machine may time other runs
    algorithms = {"lbfgs": {"memory": [3, 10]}, "perceptron": {}}
    grid = {"name": "mine", "data": DATA, "loss": "log", "C": [1], "passes": 5, "algorithms": algorithms}
    made = structbench.grid({"grids": [grid]})
    assert sorted(run.spec.algorithm for run in made) == ["lbfgs", "lbfgs", "perceptron"]
    assert all(run.curve is not None and isinstance(run, structbench.Run) for run in made)
    assert all(run.summary["provenance"]["alone"] for run in made), "a grid is timed, as in the workflow"
    from structbench.bench.runs import driver

    def fails(*given, **named):
        raise ZeroDivisionError("no")

    monkeypatch.setattr(driver, "run", fails)
    with pytest.warns(
        UserWarning, match=r"1 of 2 runs failed: .*lbfgs.* \(lbfgs failed with ZeroDivisionError: no"
    ):
        left = structbench.grid({"grids": [grid | {"algorithms": {"lbfgs": {"memory": [3, 11]}}}]})
    assert [dict(run.spec.params)["memory"] for run in left] == [3], "the run that was there"
    with pytest.raises(UserError, match="neither figures nor grids"):
        structbench.grid({})


def test_a_config_is_named_for_its_best_model_and_is_no_data_set(made, tmp_path):
    config = tmp_path / "own.yaml"
    algorithms = {"lbfgs": {"memory": [3, 10]}}
    grid = {"name": "own", "data": DATA, "loss": "log", "C": [1], "passes": 5, "algorithms": algorithms}
    config.write_text(json.dumps({"grids": [grid]}))
    assert structbench.load(str(config)).about["key"] in {run.key for run in made}
    for asks in (lambda: structbench.run(str(config), "lbfgs", C=1), lambda: structbench.arrays(str(config))):
        with pytest.raises(UserError, match=f"own.yaml' is a config, not a data set: .*its data are {DATA}"):
            asks()
    (words := tmp_path / "train.txt").write_text("the D\ncat N\n")
    with pytest.raises(UserError, match=r"train\.txt' is a file, not a data set: write FORMAT:"):
        structbench.run(str(words), "lbfgs", loss="log", C=1)
    for name in ("nothing", str(words)):
        with pytest.raises(UserError, match=f"there is no run '{name}'"):
            structbench.load(name)


def test_published_claims_are_a_table_and_have_evidence():
    table = structbench.claims("laso2005")
    assert table.loc["laso2005/p1-beats-semicrf", "claim"].startswith("Our simplest model, LaSOp1")
    assert [*table] == ["claim", "where", "verdict", "answer", "theirs"] and table["verdict"].notna().all()
    with pytest.raises(
        UserError, match=r"^'laso2004' is not published: did you mean 'laso2005'\? there are .*eg2004, "
    ):
        structbench.claims("laso2004")
    evidence = structbench.claims("eg2004", "hybrid")
    assert [*evidence][:5] == ["setting", "what", "N", "needed", "outcome"] and evidence["N"].str.contains(
        r"\d"
    ).all()
    assert evidence.equals(structbench.claims("eg2004", "eg2004/hybrid"))
    with pytest.raises(UserError, match=r"eg2004/none is not published, see structbench"):
        structbench.claims("eg2004", "none")


def test_what_is_offered_is_there():
    assert {*dir(structbench)} == {*structbench.OFFERED} and "rooms" not in str(structbench.__doc__)
    assert all(getattr(structbench, name) for name in structbench.OFFERED)
    offered: dict[str, object] = {}
    exec("from structbench import *", offered)
    assert offered.keys() - {"__builtins__"} == {*structbench.OFFERED}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = structbench.nothing


def test_a_grid_says_what_it_leaves_out_and_leaves_results_where_they_were(root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)
    grid = {"name": "mine", "data": "toy-points", "loss": "log", "C": [1], "algorithms": {"lbfgs": {}}}
    (run,) = structbench.grid({"grids": [grid | {"seeds": [0, 1]}], "results": str(tmp_path / "elsewhere")})
    assert "structbench: grid mine: lbfgs" in capsys.readouterr().err
    assert run.folder.is_relative_to(tmp_path / "elsewhere") and results.root() == root
    assert structbench.results(tmp_path / "elsewhere").runs["state"].tolist() == ["finished"]
    with pytest.raises(UserError, match="is no folder of results: it holds none of kernels, problems, runs"):
        structbench.results(tmp_path / "elsewhere" / "runs")


def test_a_disturbed_run_that_is_made_again_is_returned_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)
    from structbench.bench.runs import execute

    made, usual = [], execute.run_one

    def run_one(spec, folder, *given, **named):
        run = usual(spec, folder, *given, **named)
        quiet = run.summary["provenance"] | {"others": 0.0, "threads_left": 0}
        seconds = {"wall_seconds": 1.0 if made else 9.0, "cpu_seconds": 1.0}
        made.append(store.amend(run, seconds | {"provenance": quiet}))
        return made[-1]

    monkeypatch.setattr(execute, "run_one", run_one)
    monkeypatch.setattr(execute, "REPEATS", 1e9)
    grid = {"name": "mine", "data": DATA, "loss": "log", "C": [7], "passes": 2, "algorithms": {"lbfgs": {}}}
    (run,) = structbench.grid({"grids": [grid]})
    assert len(made) == 2 and made[0].disturbance and not run.disturbance
    assert run.summary == made[1].summary


def test_a_table_has_each_run_by_its_folder(made, root):
    shutil.copytree(made[0].folder, root / "runs" / "copied")
    found = structbench.results(root)
    assert "copied" not in found.runs.index and found.runs.index.is_unique
    shutil.rmtree(root / "runs" / "copied")


def test_a_run_of_a_grid_predicts_wherever_its_results_lie(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)
    grid = {"name": "mine", "data": DATA, "loss": "log", "C": [3], "passes": 2, "algorithms": {"lbfgs": {}}}
    (run,) = structbench.grid({"grids": [grid], "results": str(tmp_path / "there")})
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "here"))
    assert len(run.predict([[("the", "DT"), ("dog", "NN")]])[0]) == 2
    assert not (tmp_path / "here").exists() and results.root() == tmp_path / "here"


def test_what_is_odd_about_labels_is_said_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(turns, "FOLDER", tmp_path)
    data = ([["the", "dog"]], [["D", "N"]]), ([["the", "cat"]], [["D", "X"]])
    structbench.run(data[0], "lbfgs", loss="log", C=1, passes=1, test=data[1])
    odd = "test: 1 decision has a label that training lacks (X): it counts as an error\n"
    assert capsys.readouterr().err == f"structbench: {odd}"
    name, test = python_data.named(*data)
    grid = {"name": "mine", "data": name, "test": test, "loss": "log", "C": [2, 3], "passes": 1}
    structbench.grid({"grids": [grid | {"algorithms": {"lbfgs": {}}}]})
    said = capsys.readouterr().err
    assert said.startswith("structbench: columns:") and said.endswith(f": {odd}") and said.count("\n") == 1
