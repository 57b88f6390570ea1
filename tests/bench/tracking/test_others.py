"""What others wrote in MLflow stays: other accounts, other folders of results, and users between two calls."""

import shutil
import sqlite3
import tarfile

import numpy as np
import pytest
from mlflow import MlflowClient
from mlflow.entities import ViewType

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results as places
from structbench.bench.runs import store, writing
from structbench.bench.tracking import collector
from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.test_former_results import ARCHIVE
from tests.bench.tracking.logged import counted, found, only

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


def all_of(uri):
    """All runs, deleted ones as well."""
    return found(uri, kind=ViewType.ALL)


@pytest.fixture
def shown_otherwise(monkeypatch):
    """As if another version of the program showed runs otherwise."""
    return lambda: monkeypatch.setattr(collector, "VERSION", collector.VERSION + 1)


@pytest.mark.usefixtures("results")
def test_what_users_wrote_goes_over_to_the_run_that_is_logged_anew(uri, results, run, shown_otherwise):
    other = fake_runs.write(results / "runs", C=1.0, checkpoints=12)
    track([run, other], uri)
    client, before = MlflowClient(uri), only(uri, "params.C = '10'").info
    written = {"verdict": "publish", "status": "doubtful", NOTE: "mine", "host-note": "x", "mlflow.runColor": "#1"}
    for name, value in written.items():
        client.set_tag(before.run_id, name, value)
    client.update_run(before.run_id, name="my name")
    client.set_experiment_tag(before.experiment_id, NOTE, "our experiment")
    for _ in range(2):  # the second time, what users wrote is at a run that has it from another one
        shown_otherwise()
        assert track([run, other], uri) == counted(replaced=2)
    mine, theirs = only(uri, "params.C = '10'"), only(uri, "params.C = '1'")
    assert {name: mine.data.tags[name] for name in written} == written
    assert (mine.info.run_name, theirs.info.run_name) == ("my name", "eg C=1 passes=60")
    assert (theirs.data.tags["status"], theirs.data.tags[NOTE][:8]) == ("passes", "passes: ")
    assert client.get_experiment(before.experiment_id).tags[NOTE] == "our experiment"
    assert track([run, other], uri) == counted(kept=2)


def test_where_a_user_wrote_into_our_note_of_what_we_wrote_all_is_the_users(uri, run, shown_otherwise):
    track([run], uri)
    MlflowClient(uri).set_tag(only(uri).info.run_id, "written", "[1")
    MlflowClient(uri).set_tag(only(uri).info.run_id, "status", "old")
    shown_otherwise()
    assert track([run], uri) == counted(replaced=1)
    assert only(uri).data.tags["status"] == "old"


def test_a_run_that_is_made_again_takes_along_what_users_wrote(uri, run):
    track([run], uri)
    client, first = MlflowClient(uri), only(uri).info.run_id
    client.set_tag(first, "verdict", "publish")
    made = run.summary["provenance"] | {"started": "2026-11-22T07:00:00+00:00"}
    curve = run.curve.assign(wall_seconds=2 * run.curve.wall_seconds)
    writing.write_run(run.folder, run.spec.as_dict(), curve, run.summary | {"provenance": made}, np.zeros(2))
    again = store.read_run(run.folder)
    assert track([again], uri) == counted(replaced=1)
    assert track([again], uri) == counted(kept=1)
    states = {run.info.run_id: run.info.lifecycle_stage for run in all_of(uri)}
    assert sorted(states.values()) == ["active", "deleted"] and states[first] == "deleted"
    assert (only(uri).data.tags["verdict"], only(uri).info.status) == ("publish", "FINISHED")
    assert len(client.get_metric_history(only(uri).info.run_id, "primal")) == 12


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


def test_results_that_were_moved_keep_their_runs_which_say_where_they_are(
    uri, results, run, tmp_path, monkeypatch
):
    track([run], uri)
    before = only(uri).info.run_id
    results.rename(tmp_path / "moved")
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "moved"))
    assert track(store.all_runs(places.runs()), uri) == counted(kept=1)
    assert only(uri).info.run_id == before
    assert only(uri).data.tags["folder"] == str(tmp_path / "moved" / "runs" / run.key)


def test_a_broken_id_of_results_is_said(uri, results, run):
    (results / "results-id.json").write_text("{}")
    with pytest.raises(UserError, match=r"results-id.json is broken \(it has no 'id'\): delete it"):
        track([run], uri)


def test_an_experiment_that_a_user_renamed_keeps_its_runs(uri, results, run):
    track([run], uri)
    client, home = MlflowClient(uri), only(uri).info.experiment_id
    client.rename_experiment(home, "convergence on MNIST")
    assert track([run, fake_runs.write(results / "runs", C=1.0)], uri) == counted(logged=1, kept=1)
    assert {run.info.experiment_id for run in all_of(uri)} == {home}
    assert client.get_experiment(home).name == "convergence on MNIST"


def test_another_account_changes_nothing_of_ours(uri, run, shown_otherwise, monkeypatch):
    monkeypatch.setenv("LOGNAME", "anna")
    track([run], uri)
    before = only(uri).to_dictionary()
    monkeypatch.setenv("LOGNAME", "o'hara")
    assert track([run], uri) == counted(logged=1)
    shown_otherwise()
    assert track([run], uri, families={run.key: ["grid/mine"]}) == counted(replaced=1)
    (annas,) = (run for run in all_of(uri) if run.data.tags["user"] == "anna")
    assert annas.to_dictionary() == before


def test_a_failure_is_said_and_the_next_collector_logs_the_run(uri, run, monkeypatch):
    from mlflow.exceptions import MlflowException

    def fail(*args, **more):
        raise MlflowException("no more")

    with monkeypatch.context() as patch, pytest.raises(UserError, match="no more; no finished run is lost"):
        patch.setattr("mlflow.MlflowClient.log_batch", fail)
        track([run], uri)
    assert track([run], uri) == counted(logged=1)
    assert only(uri).info.status == "FINISHED"


def test_the_runs_that_276ca4a9_logged_are_kept_and_take_along_users_tags_when_they_change(tmp_path, monkeypatch):
    """Its tags say what it showed, and which values are its own."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.setenv(places.VARIABLE, str(tmp_path / "results"))
    uri = f"sqlite:///{tmp_path / 'results' / 'mlflow.db'}"
    with sqlite3.connect(tmp_path / "results" / "mlflow.db") as database:
        (account,) = {user for (user,) in database.execute("SELECT value FROM tags WHERE key = 'user'")}
        place = "UPDATE experiments SET artifact_location = replace(artifact_location, '/former/', ?)"
        database.execute(place, (f"{tmp_path}/",))  # which is absolute
    monkeypatch.setenv("LOGNAME", account)
    runs = store.all_runs(places.runs())
    before = {run.data.tags["run_key"]: run for run in found(uri, "tags.run_key LIKE 'toy%'")}
    assert before.keys() >= {run.key for run in runs} and len(runs) == 4
    families = {run.key: before[run.key].data.tags["families"].split(", ") for run in runs}
    for _ in range(2):
        assert track(runs, uri, families=families) == counted(kept=4)
    client, seen = MlflowClient(uri), before[runs[0].key]
    client.set_tag(seen.info.run_id, NOTE, "mine")
    assert track([store.amend(runs[0], {"peak_memory": 5})], uri, families=families) == counted(replaced=1)
    after = only(uri, f"tags.replaces = '{seen.info.run_id}'")
    assert (after.data.tags[NOTE], after.info.run_name) == ("mine", "eg C=10 passes=10")
    assert after.info.experiment_id == seen.info.experiment_id
