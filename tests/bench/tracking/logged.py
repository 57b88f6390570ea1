"""What MLflow shows, read through its client; and a collector that is killed."""

import os
import signal
from pathlib import Path

from mlflow import MlflowClient
from mlflow.entities import ViewType
from sqlalchemy import event
from sqlalchemy.engine import Engine

from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.campaigns.guarded import Forked
from tests.narrowing import not_none

HALF = "CREATE TABLE logged_model_params"  # in the midst of a change that MLflow makes to its tables


def counted(**counts):
    return {"logged": 0, "replaced": 0, "kept": 0, "models": 0} | counts


def found(uri, filter_string="", kind=ViewType.ACTIVE_ONLY):
    """The runs that MLflow shows, in all experiments, with this filter; of a kind, such as deleted ones."""
    experiments = [experiment.experiment_id for experiment in MlflowClient(uri).search_experiments()]
    return list(MlflowClient(uri).search_runs(experiments, filter_string, kind))


def models(uri):
    """The logged models that MLflow shows."""
    experiments = [experiment.experiment_id for experiment in MlflowClient(uri).search_experiments()]
    return list(MlflowClient(uri).search_logged_models(experiments))


def figures(results, config="quick", runs=()):
    """Drawn figures of a config, and judged claims, where ``track`` looks for them."""
    fake_runs.figures(results / config / "figures", runs)
    fake_runs.claims(results / config / "claims", runs)
    return config


def shown(uri, filter_string=""):
    return sorted(not_none(run.info.run_name) for run in found(uri, filter_string))


def only(uri, filter_string=""):
    (run,) = found(uri, filter_string)
    return run


def history(uri, metric, filter_string=""):
    points = MlflowClient(uri).get_metric_history(only(uri, filter_string).info.run_id, metric)
    return sorted((point.step, point.value) for point in points)


def killed_while_tables_are_made(uri, said: Path) -> None:
    """Open an empty database in another process, which is killed when half of the tables are there."""

    def kill(connection, cursor, statement, *_) -> None:
        if HALF in statement:
            os.kill(os.getpid(), signal.SIGKILL)

    def opened() -> int:
        event.listen(Engine, "before_cursor_execute", kill)
        return len(track([], uri))

    assert Forked(opened, said).wait() == -signal.SIGKILL, said.read_text()
