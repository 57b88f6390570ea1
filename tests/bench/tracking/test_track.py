"""The collector: MLflow shows what the run folders hold, however often and from wherever it is called."""

import fcntl
import itertools
import sqlite3
from types import SimpleNamespace

import numpy as np
import pytest
from mlflow import MlflowClient

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import store, writing
from structbench.bench.tracking import track as collecting
from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.tracking.logged import counted, found, killed_while_tables_are_made, only, shown

pytestmark = pytest.mark.usefixtures("place")


def test_collecting_twice_changes_nothing(tmp_path, uri):
    runs = [fake_runs.write(tmp_path / "runs", C=C, checkpoints=12) for C in (1.0, 10.0)]
    fake_runs.figures(tmp_path / "figures", runs)
    assert track(runs, uri, figures=tmp_path / "figures") == counted(logged=3)
    before = {run.info.run_id: run.info.run_name for run in found(uri)}
    assert track(runs, uri, figures=tmp_path / "figures", missing=3) == counted(kept=3, missing=3)
    assert {run.info.run_id: run.info.run_name for run in found(uri)} == before
    assert sorted(before.values()) == ["eg C=1", "eg C=10", "eg2008"]


def test_progress_says_how_long_the_other_runs_may_take(monkeypatch, capsys):
    clock = itertools.count(100.0, 3.0)
    monkeypatch.setattr(collecting, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    added = SimpleNamespace(add_run=lambda *given: None)
    collecting._collect(added, [SimpleNamespace(key="")] * 4, {}, True)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"track: {done} of 4 runs, about {left} s left" for done, left in ((1, 18), (3, 4))]


def test_a_run_of_which_more_is_known_is_amended_and_the_others_kept(tmp_path, uri):
    runs = [fake_runs.write(tmp_path / "runs", C=C, checkpoints=12) for C in (1.0, 10.0)]
    track(runs, uri)
    before = only(uri, "attributes.run_name = 'eg C=1'").info.run_id
    amended = store.amend(runs[0], {"peak_memory": 2**20, "status": "timeout"})
    assert track([amended, runs[1]], uri) == counted(amended=1, kept=1)
    assert shown(uri) == ["eg C=1", "eg C=10"]
    seen = only(uri, "attributes.run_name = 'eg C=1'")
    assert (seen.info.run_id, seen.data.tags["status"]) == (before, "timeout")
    assert seen.data.metrics["peak_memory"] == 2**20


def test_a_run_of_another_family_moves_and_is_not_doubled_and_configs_in_turn_leave_it_there(uri, run):
    mine, theirs = ["eg2008/mnist-log", "eg2008/mnist-orders"], ["grid/mine"]
    for families, change, home, tag in (
        ([], "logged", "mnist-log", "mnist-log"),
        (mine, "replaced", mine[0], ", ".join(mine)),
        ([], "kept", mine[0], ", ".join(mine)),
        (theirs, "amended", mine[0], ", ".join([*mine, *theirs])),
        (mine, "kept", mine[0], ", ".join([*mine, *theirs])),
    ):
        assert track([run], uri, families={run.key: families}) == counted(**{change: 1})
        seen = only(uri)
        assert MlflowClient(uri).get_experiment(seen.info.experiment_id).name == home
        assert seen.data.tags["families"] == tag


def test_a_deleted_experiment_comes_back_with_all_its_runs(tmp_path, uri, run):
    theirs = fake_runs.write(tmp_path / "theirs", host="other")
    track([run, theirs], uri)
    MlflowClient(uri).delete_experiment(only(uri, "tags.host = 'other'").info.experiment_id)
    assert shown(uri) == []
    assert track([run], uri) == counted(kept=1)
    assert shown(uri) == ["eg C=10", "eg C=10"]


@pytest.mark.parametrize("theirs", [{"host": "other"}, {"code": "beef"}])
def test_a_run_of_another_host_or_code_stands_beside_ours(tmp_path, uri, run, theirs):
    other = fake_runs.write(tmp_path / "hosts" / "other" / "runs", checkpoints=13, **theirs)
    assert other.key == run.key
    assert track([run, other], uri) == counted(logged=2)
    assert track([run], uri)["kept"] == track([other], uri)["kept"] == 1
    writing.write(run.folder, run.spec, run.curve, run.summary | {"status": "timeout"}, np.zeros(2))
    assert track([store.read(run.folder)], uri)["amended"] == 1
    assert shown(uri, "tags.status = 'timeout'") == ["eg C=10"]
    assert shown(uri, "tags.status = 'passes'") == ["eg C=10"]


def test_a_new_run_is_complete_before_the_one_that_it_replaces_goes(uri, run, monkeypatch):
    track([run], uri)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("mlflow.MlflowClient.delete_run", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
        track([run], uri, families={run.key: ["grid/mine"]})
    assert shown(uri, "attributes.status = 'FINISHED'") == ["eg C=10", "eg C=10"]
    assert track([run], uri, families={run.key: ["grid/mine"]}) == counted(kept=1)
    assert only(uri).data.tags["families"] == "grid/mine"


def test_a_database_that_another_process_has_is_said_and_nothing_is_lost(database, uri, run, monkeypatch):
    holder, lock = sqlite3.connect(database), database.with_name("mlflow.db.lock")
    holder.execute("BEGIN EXCLUSIVE")
    said = r"mlflow.db is locked by another process.*no finished run is lost.*again"
    with pytest.raises(UserError, match=said):
        track([run], uri, patience=0.2)
    holder.close()
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(UserError, match=said):
            track([run], uri, patience=0.2)
    assert store.finished(run.folder)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    assert track([run]) == counted(logged=1) and shown(uri) == ["eg C=10"]
    database.write_bytes(b"no database " * 100)
    with pytest.raises(UserError, match=r"cannot log to sqlite:.*not a database; no finished run is lost"):
        track([run], uri)


def test_a_broken_run_is_said_and_the_runs_before_it_are_logged(tmp_path, uri, run):
    broken = fake_runs.write(tmp_path / "runs", C=99.0)
    (broken.folder / "curve.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"curve.parquet cannot be read .*run it again"):
        track([run, broken], uri)
    (broken.folder / "curve.parquet").unlink()
    with pytest.raises(UserError, match=r"curve.parquet cannot be read .*run it again"):
        track([run, broken], uri)
    assert shown(uri) == ["eg C=10"]


def test_a_collector_killed_while_mlflow_makes_its_tables_is_no_trouble_to_the_next(tmp_path, run):
    uri = f"sqlite:///{tmp_path}/new.db"
    killed_while_tables_are_made(uri, tmp_path / "said")
    assert track([run], uri) == counted(logged=1) and shown(uri) == ["eg C=10"]
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        *("mlartifacts", "new.db", "new.db.lock", "runs", "said")
    ]
