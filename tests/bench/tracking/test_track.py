"""The collector: MLflow shows what the run folders hold, however often and from wherever it is called."""

import fcntl
import sqlite3

import numpy as np
import pytest
from mlflow import MlflowClient

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import store, writing
from structbench.bench.tracking import collector
from structbench.bench.tracking import track as tracking
from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.tracking.logged import counted, figures, found, history, killed_while_tables_are_made, only, shown
from tests.narrowing import not_none

pytestmark = pytest.mark.usefixtures("results")
EG = "eg C=10 passes=60"


def interrupt(*given, **more):
    raise KeyboardInterrupt


def test_collecting_twice_changes_nothing(results, uri):
    runs = [fake_runs.write(results / "runs", C=C, checkpoints=12) for C in (1.0, 10.0)]
    figures(results, runs=runs)
    assert track(runs, uri, config="quick") == counted(logged=3)
    before = {run.info.run_id: not_none(run.info.run_name) for run in found(uri)}
    assert track(runs, uri, config="quick") == counted(kept=3)
    assert {run.info.run_id: run.info.run_name for run in found(uri)} == before
    assert sorted(before.values()) == ["eg C=1 passes=60", EG, "eg2008"]


def test_a_run_that_changed_is_logged_anew_and_names_the_one_that_it_replaces(results, uri):
    runs = [fake_runs.write(results / "runs", C=C, checkpoints=12) for C in (1.0, 10.0)]
    track(runs, uri)
    before = only(uri, "params.C = '1'")
    changed = store.amend(runs[0], {"peak_memory": 2**20, "status": "timeout"})
    assert track([changed, runs[1]], uri) == counted(replaced=1, kept=1)
    after = only(uri, "params.C = '1'")
    assert (after.data.tags["status"], after.data.metrics["peak_memory"]) == ("timeout", 2**20)
    assert after.data.tags["replaces"] == before.info.run_id
    gone = MlflowClient(uri).get_run(before.info.run_id)
    assert (gone.info.lifecycle_stage, gone.data.tags["replaced_by"]) == ("deleted", after.info.run_id)


def test_of_many_runs_the_last_values_are_logged_unless_curves_are_asked_for(
    results, uri, run, monkeypatch, capsys
):
    monkeypatch.setattr(tracking, "MOST_CURVES", 0)
    assert track([run], uri) == counted(logged=1)
    assert "1 runs: their last values alone are logged; `mlflow_curves: true`" in capsys.readouterr().err
    last = run.curve.iloc[-1]
    assert history(uri, "primal") == [(60_000, pytest.approx(last["primal"], rel=1e-8))]
    assert only(uri).data.metrics["test_error_percent"] == pytest.approx(100 * last["test_error"])
    assert track([run], uri) == counted(kept=1)
    assert track([run], uri, curves=True) == counted(replaced=1) and len(history(uri, "primal")) == 12
    assert track([run], uri) == counted(kept=1), "it shows more than it must"


def test_a_run_of_another_family_moves_and_is_not_doubled_and_configs_in_turn_leave_it_there(uri, run):
    mine, theirs = ["eg2008/mnist-log", "eg2008/mnist-orders"], ["grid/mine"]
    ids = set()
    for families, change, home, tag in (
        ([], "logged", "mnist-log", "mnist-log"),
        (mine, "replaced", mine[0], ", ".join(mine)),
        ([], "kept", mine[0], ", ".join(mine)),
        (theirs, "kept", mine[0], ", ".join([*mine, *theirs])),
        (mine, "kept", mine[0], ", ".join([*mine, *theirs])),
    ):
        assert track([run], uri, families={run.key: families}) == counted(**{change: 1})
        seen = only(uri)
        ids.add(seen.info.run_id)
        assert MlflowClient(uri).get_experiment(seen.info.experiment_id).name == home
        assert seen.data.tags["families"] == tag
    assert len(ids) == 2


def test_a_deleted_experiment_comes_back_with_all_its_runs(results, uri, run):
    theirs = fake_runs.write(results / "theirs", host="other")
    track([run, theirs], uri)
    MlflowClient(uri).delete_experiment(only(uri, "tags.host = 'other'").info.experiment_id)
    assert shown(uri) == []
    assert track([run], uri) == counted(kept=1)
    assert shown(uri) == [EG, EG]


@pytest.mark.parametrize("theirs", [{"host": "other"}, {"code": "beef"}])
def test_a_run_of_another_host_or_code_stands_beside_ours(results, uri, run, theirs):
    other = fake_runs.write(results / "hosts" / "other" / "runs", checkpoints=13, **theirs)
    assert other.key == run.key
    assert track([run, other], uri) == counted(logged=2)
    assert track([run], uri)["kept"] == track([other], uri)["kept"] == 1
    writing.write_run(run.folder, run.spec.as_dict(), run.curve, run.summary | {"status": "timeout"}, np.zeros(2))
    assert track([store.read_run(run.folder)], uri)["replaced"] == 1
    assert shown(uri, "tags.status = 'timeout'") == shown(uri, "tags.status = 'passes'") == [EG]


def test_a_new_run_is_complete_before_the_one_that_it_replaces_goes(uri, run, monkeypatch):
    track([run], uri)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("mlflow.MlflowClient.delete_run", interrupt)
        track([run], uri, families={run.key: ["grid/mine"]})
    assert shown(uri, "attributes.status = 'FINISHED'") == [EG, EG]
    assert track([run], uri, families={run.key: ["grid/mine"]}) == counted(kept=1)
    assert only(uri).data.tags["families"] == "grid/mine"


CLIENT = "mlflow.MlflowClient"
CALLS = ("shutil.copyfile", f"{CLIENT}.log_inputs", f"{CLIENT}.log_batch", f"{CLIENT}.set_terminated")


@pytest.mark.parametrize("call", CALLS)
def test_logging_that_was_interrupted_goes_on(uri, run, monkeypatch, call):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(call, interrupt)
        track([run], uri)
    assert len(found(uri)) == 1
    MlflowClient(uri).set_tag(only(uri).info.run_id, "verdict", "publish")
    assert track([run], uri) == counted(logged=1)
    seen = only(uri)
    assert (seen.info.status, seen.data.tags["verdict"]) == ("FINISHED", "publish")
    assert len(history(uri, "primal")) == 12 and track([run], uri) == counted(kept=1)


def test_a_database_that_another_process_has_is_said_and_nothing_is_lost(database, uri, run, monkeypatch):
    holder, lock = sqlite3.connect(database), database.with_name("mlflow.db.lock")
    holder.execute("BEGIN EXCLUSIVE")
    said = r"mlflow.db: it is locked by another process.*no finished run is lost.*again"
    with pytest.raises(UserError, match=said):
        track([run], uri, patience=0.2)
    holder.close()
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(UserError, match=said):
            track([run], uri, patience=0.2)
    assert store.finished(run.folder)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    assert track([run]) == counted(logged=1) and shown(uri) == [EG]
    database.write_bytes(b"no database " * 100)
    with pytest.raises(UserError, match=r"cannot log to sqlite:.*not a database; no finished run is lost"):
        track([run], uri)


def test_a_broken_run_is_said_and_the_runs_before_it_are_logged(results, uri, run):
    broken = fake_runs.write(results / "runs", C=99.0)
    (broken.folder / "curve.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"curve.parquet cannot be read .*run it again"):
        track([run, broken], uri)
    (broken.folder / "curve.parquet").unlink()
    with pytest.raises(UserError, match=r"curve.parquet cannot be read .*run it again"):
        track([run, broken], uri)
    assert shown(uri) == [EG]


def test_a_collector_killed_while_mlflow_makes_its_tables_is_no_trouble_to_the_next(tmp_path, run):
    (folder := tmp_path / "new").mkdir()
    uri = f"sqlite:///{folder}/new.db"
    killed_while_tables_are_made(uri, tmp_path / "said")
    assert track([run], uri) == counted(logged=1) and shown(uri) == [EG]
    assert sorted(file.name for file in folder.iterdir()) == ["mlartifacts", "new.db", "new.db.lock"]


def test_a_text_that_is_too_long_for_a_tag_is_cut(results, uri, run):
    run = store.amend(run, {"notes": {"a": "x" * 9000}})
    assert track([run], uri) == counted(logged=1)
    assert max(map(len, only(uri).data.tags.values())) <= collector.LONGEST_TAG
    assert track([run], uri) == counted(kept=1)


def test_figures_of_an_earlier_text_of_a_config_are_not_logged(results, uri):
    runs = [fake_runs.write(results / "runs", checkpoints=12)]
    figures(results, runs=runs)
    assert track(runs, uri, config="quick", drawn={"eg2004": ["fig"]}) == counted(logged=1)
    assert track(runs, uri, config="quick", drawn={"eg2008": ["fig04-mnist"]}) == counted(logged=1, kept=1)


def test_a_database_that_moved_is_refused_and_its_former_folder_stays_away(tmp_path, run):
    (before := tmp_path / "before").mkdir()
    track([run], f"sqlite:///{before}/mlflow.db")
    before.rename(after := tmp_path / "after")
    assert track([run], f"sqlite:///{after}/mlflow.db") == counted(kept=1), "there is nothing to write"
    other = fake_runs.write(run.folder.parent, C=99.0)
    with pytest.raises(UserError, match=r"after/mlflow.db moved: .* delete mlflow.db and mlartifacts") as error:
        track([other], f"sqlite:///{after}/mlflow.db")
    assert str(before) in str(error.value) and not before.exists()
    after.rename(before)
    assert track([run], f"sqlite:///{before}/mlflow.db") == counted(kept=1)
