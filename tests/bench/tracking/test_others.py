"""What others wrote in MLflow stays: other accounts, other folders of results, and users between two calls."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlflow import MlflowClient
from mlflow.entities import ViewType

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import store, writing
from structbench.bench.tracking import bulk, mlflow_view
from structbench.bench.tracking.results_id import NAME, results_id
from structbench.bench.tracking.track import track
from tests.bench import fake_runs

NOTE = "mlflow.note.content"
POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.long)


@pytest.fixture(params=["sqlite", POSTGRESQL])
def uri(request, tmp_path):
    """An empty database of MLflow's."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(request.getfixturevalue('empty'), tmp_path / 'mlflow.db')}"
    server, tables = request.getfixturevalue("postgresql"), request.getfixturevalue("tables")
    name = request.node.name[:40].partition("[")[0]
    server.query("postgres", f"CREATE DATABASE {name} TEMPLATE {tables}")
    return server.uri(name)


@pytest.fixture(scope="module")
def tables(postgresql, tmp_path_factory):
    """A database with MLflow's tables, to be copied."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRUCTBENCH_RESULTS", str(tmp_path_factory.mktemp("tables")))
        track([], postgresql.new_database("others"))
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    for engine in SqlAlchemyStore._engine_map.values():
        engine.dispose()  # a database is copied when nobody is connected
    return "others"


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


@pytest.fixture
def run(results):
    return fake_runs.write(results / "runs", checkpoints=12)


def all_of(uri):
    """All runs, deleted ones as well."""
    client = MlflowClient(uri)
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    return list(client.search_runs(experiments, run_view_type=ViewType.ALL))


def only(uri):
    (run,) = all_of(uri)
    return run


def counted(**counts):
    return {"logged": 0, "amended": 0, "replaced": 0, "kept": 0} | counts


@pytest.fixture
def edit(monkeypatch, tmp_path):
    """Edit the program that decides what is shown, so that runs get other views."""

    def make(change=lambda view: view):
        file = tmp_path / "mlflow_view.py"
        file.write_text(f"{Path(mlflow_view.__file__).read_text()}\n# an edit")
        before = mlflow_view.of_run
        monkeypatch.setattr(mlflow_view, "__file__", str(file))
        monkeypatch.setattr(mlflow_view, "of_run", lambda *given: change(before(*given)))

    return make


def test_an_edit_of_what_is_shown_amends_runs_and_keeps_what_users_wrote(uri, results, run, edit):
    other = fake_runs.write(results / "runs", C=1.0, checkpoints=12)
    track([run, other], uri)
    client, before = MlflowClient(uri), {run.data.tags["run_key"]: run for run in all_of(uri)}
    seen = before[run.key].info
    for name, value in {"verdict": "publish", "status": "doubtful", NOTE: "mine", "host-note": "x"}.items():
        client.set_tag(seen.run_id, name, value)
    client.update_run(seen.run_id, name="my name")
    client.set_experiment_tag(seen.experiment_id, NOTE, "our experiment")

    def change(view):
        tags = {name: value for name, value in view.tags.items() if name != "cpu"} | {"colour": "red"}
        more = [mlflow_view.Point("primal", 5.0, view.ended, 10**6)]
        return replace(
            view, tags=tags | {"status": "new"}, description="other", points=view.points + more,
            params=view.params | {"added": "1"}, failed=True, name=f"the {view.name}",
        )  # fmt: skip

    edit(change)
    assert track([run, other], uri) == counted(amended=2)
    after = {run.data.tags["run_key"]: run for run in all_of(uri)}
    assert {key: run.info.run_id for key, run in after.items()} == {k: r.info.run_id for k, r in before.items()}
    for now in after.values():
        assert "cpu" not in now.data.tags and now.data.tags["colour"] == "red"
        assert (now.data.params["added"], now.info.status, now.data.metrics["primal"]) == ("1", "FAILED", 5.0)
        assert len(client.get_metric_history(now.info.run_id, "primal")) == 13
        assert len(client.get_metric_history(now.info.run_id, "gap")) == 12
    edited, untouched = after[run.key].data.tags, after[other.key].data.tags
    assert [edited[n] for n in ("verdict", "status", NOTE, "host-note")] == ["publish", "doubtful", "mine", "x"]
    assert [untouched["status"], untouched[NOTE]] == ["new", "other"]
    assert [after[each.key].info.run_name for each in (run, other)] == ["my name", "the eg C=1"]
    assert client.get_experiment(seen.experiment_id).tags[NOTE] == "our experiment"
    assert track([run, other], uri) == counted(kept=2)


def test_where_a_user_wrote_into_our_note_of_what_we_wrote_all_is_the_users(uri, run, edit):
    track([run], uri)
    edit()  # it shows the same
    assert track([run], uri) == counted(kept=1)
    MlflowClient(uri).set_tag(only(uri).info.run_id, "written", "[1")
    before = only(uri).data.tags
    edit(lambda view: replace(view, tags=view.tags | {"status": "new", "colour": "red"}))
    assert track([run], uri) == counted(amended=1)
    assert (only(uri).data.tags["status"], only(uri).data.tags["colour"]) == (before["status"], "red")


def test_a_run_that_is_made_again_takes_along_what_users_wrote(uri, run):
    track([run], uri)
    client, first = MlflowClient(uri), only(uri).info.run_id
    client.set_tag(first, "verdict", "publish")
    client.set_tag(first, NOTE, "mine")
    made = run.summary["provenance"] | {"started": "2026-11-22T07:00:00+00:00"}
    curve = run.curve.assign(wall_seconds=2 * run.curve.wall_seconds)
    writing.write(run.folder, run.spec, curve, run.summary | {"provenance": made}, np.zeros(2))
    again = store.read(run.folder)
    assert track([again], uri) == counted(replaced=1)
    assert track([again], uri) == counted(kept=1)
    states = {run.info.run_id: run.info.lifecycle_stage for run in all_of(uri)}
    assert sorted(states.values()) == ["active", "deleted"] and states[first] == "deleted"
    (now,) = (run for run in all_of(uri) if run.info.run_id != first)
    assert (now.data.tags["verdict"], now.data.tags[NOTE], now.info.status) == ("publish", "mine", "FINISHED")
    assert len(client.get_metric_history(now.info.run_id, "primal")) == 12


def test_two_folders_of_results_of_one_account_never_replace_each_others_runs(uri, tmp_path, monkeypatch):
    runs = {}
    for name, checkpoints in (("one", 12), ("two", 13)):
        monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / name))
        runs[name] = fake_runs.write(tmp_path / name / "runs", checkpoints=checkpoints)
        assert track([runs[name]], uri) == counted(logged=1)
    for name in ("one", "two", "one"):
        monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / name))
        assert track([runs[name]], uri) == counted(kept=1)
    assert {run.info.lifecycle_stage for run in all_of(uri)} == {"active"} and len(all_of(uri)) == 2
    merged = fake_runs.write(tmp_path / "one" / "hosts" / "bench-host" / "runs", checkpoints=14)
    for counts in (counted(logged=1, kept=1), counted(kept=2)):  # of a machine of our name
        assert track([runs["one"], merged], uri) == counts


def test_an_experiment_that_a_user_renamed_keeps_its_runs(uri, results, run):
    track([run], uri)
    client, home = MlflowClient(uri), only(uri).info.experiment_id
    client.rename_experiment(home, "convergence on MNIST")
    assert track([run, fake_runs.write(results / "runs", C=1.0)], uri) == counted(logged=1, kept=1)
    assert {run.info.experiment_id for run in all_of(uri)} == {home}
    assert client.get_experiment(home).name == "convergence on MNIST"


def test_another_account_changes_nothing_of_ours(uri, run, edit, monkeypatch):
    monkeypatch.setenv("LOGNAME", "anna")
    track([run], uri)
    before = only(uri).to_dictionary()
    monkeypatch.setenv("LOGNAME", "o'hara")
    assert track([run], uri) == counted(logged=1)
    edit(lambda view: replace(view, description="other"))
    assert track([run], uri, families={run.key: ["grid/mine"]}) == counted(replaced=1)
    (annas,) = (run for run in all_of(uri) if run.data.tags["user"] == "anna")
    assert annas.to_dictionary() == before


def test_a_collector_that_fails_half_way_leaves_nothing_running(uri, run, monkeypatch):
    from mlflow.exceptions import MlflowException

    def fail(*args, **more):
        raise MlflowException("no more")

    with monkeypatch.context() as patch, pytest.raises(UserError, match="no more; no finished run is lost"):
        patch.setattr(bulk, "place", lambda *given: None)
        patch.setattr("mlflow.MlflowClient.log_batch", fail)
        track([run], uri)
    failed = only(uri)
    assert failed.info.status == "FAILED"
    assert track([run], uri) == counted(logged=1)
    assert (only(uri).info.run_id, only(uri).info.status) == (failed.info.run_id, "FINISHED")


def test_what_a_killed_collector_left_running_is_ended_wherever_the_results_are_now(
    uri, run, results, tmp_path, monkeypatch
):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(bulk, "place", lambda *given: None)
        for name in ("log_batch", "set_terminated"):
            patch.setattr(f"mlflow.MlflowClient.{name}", lambda *a, **m: (_ for _ in ()).throw(KeyboardInterrupt))
        track([run], uri)
    left = only(uri)
    assert left.info.status == "RUNNING"
    results.rename(tmp_path / "moved")
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "moved"))
    assert track([], uri) == counted()
    assert only(uri).info.status == "FAILED"
    assert track(store.all_runs(), uri) == counted(logged=1)
    assert (only(uri).info.run_id, only(uri).info.status) == (left.info.run_id, "FINISHED")


def test_a_folder_of_results_keeps_its_id_when_it_is_moved_and_a_copy_gets_its_own(results, tmp_path, monkeypatch):
    first = results_id()
    assert results_id() == first
    copy, moved = tmp_path / "copy", tmp_path / "moved"
    shutil.copytree(results, copy)
    results.rename(moved)
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(moved))
    assert results_id() == first
    (tmp_path / "results").symlink_to(moved)
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    assert results_id() == first
    said = json.loads((copy / NAME).read_text()) | {"folder": str(moved)}
    (copy / NAME).write_text(json.dumps(said))  # as if it had been copied from there
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(copy))
    own = results_id()
    assert own != first and results_id() == own
    (copy / NAME).write_text(json.dumps({"id": own, "folder": str(moved)}))  # which has another id
    assert results_id() == own
    (copy / NAME).write_text(json.dumps({"id": own, "folder": "\0"}))
    assert results_id() == own
    for text in ("{}", json.dumps({"id": own, "folder": [str(copy)]})):
        (copy / NAME).write_text(text)
        with pytest.raises(UserError, match=r"results-id.json holds no id of a results folder: delete it"):
            results_id()
