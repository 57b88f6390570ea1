"""A new run, written at once where MLflow's database is at hand.

MLflow's own calls make an object of each row, ask for what is there, and end a transaction each. That is most of
the collector's time.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from structbench.bench.tracking.mlflow_view import View

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment

RUN, DATASET = "RUN", "DATASET"  # what MLflow calls the two ends of an input


class Place(NamedTuple):
    """The id of a new run, and the address of its artifacts, a folder of this machine."""

    run_id: str
    artifacts: str

    @property
    def folder(self) -> Path:
        from mlflow.utils.file_utils import local_file_uri_to_path

        return Path(local_file_uri_to_path(self.artifacts))


def place(client: "MlflowClient", experiment: "Experiment") -> Place | None:
    """A place for a new run of the experiment. None: a server has the database, or the artifacts."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
    from mlflow.utils.uri import append_to_uri_path, is_local_uri

    store, home = client._tracking_client.store, experiment.artifact_location
    if not isinstance(store, SqlAlchemyStore) or not is_local_uri(home):
        return None
    run_id = uuid4().hex
    return Place(run_id, append_to_uri_path(home, run_id, store.ARTIFACTS_FOLDER_NAME))


def add(client: "MlflowClient", experiment: "Experiment", place: Place, view: View, tags: dict[str, str]) -> None:
    """Add a run with all that it shows but its artifacts, in one transaction, as MLflow's calls would.

    Args:
        tags: All its tags, with its name and its user.
    """
    from mlflow.store.tracking.dbmodels import models
    from mlflow.utils import mlflow_tags
    from mlflow.utils.validation import _validate_param, _validate_tag

    run_id = place.run_id
    run = {
        "run_uuid": run_id, "name": tags[mlflow_tags.MLFLOW_RUN_NAME], "artifact_uri": place.artifacts,
        "experiment_id": int(experiment.experiment_id), "source_type": "UNKNOWN", "source_name": "",
        "entry_point_name": "", "source_version": "", "user_id": tags[mlflow_tags.MLFLOW_USER],
        "status": "FAILED" if view.failed else "FINISHED", "start_time": view.started, "end_time": view.ended,
    }  # fmt: skip
    own = {"run_uuid": run_id}
    every = [*dict.fromkeys(view.points)]
    latest = {
        point.key: point for point in sorted(every, key=lambda each: (each.step, each.timestamp, each.value))
    }
    points = [[point._asdict() | own | {"is_nan": False} for point in some] for some in (every, latest.values())]
    params = [_validate_param(*pair) for pair in view.params.items()]
    texts = [[{"key": each.key, "value": each.value} | own for each in some]
             for some in (params, [_validate_tag(*pair) for pair in tags.items()])]  # fmt: skip
    tables = (models.SqlRun, models.SqlMetric, models.SqlLatestMetric, models.SqlParam, models.SqlTag)
    with client._tracking_client.store.ManagedSessionMaker(read_only=False) as session:

        def insert(table: type, rows: list[dict]) -> None:
            if rows:
                session.execute(table.__table__.insert(), rows)

        for table, rows in zip(tables, ([run], *points, *texts), strict=True):
            insert(table, rows)
        if view.data:
            data = {"experiment_id": run["experiment_id"]} | {name: view.data[name] for name in ("name", "digest")}
            known = session.query(models.SqlDataset.dataset_uuid).filter_by(**data).scalar()
            source = known or uuid4().hex
            about = {
                "source_type": "dataset_source_type",
                "source": "dataset_source",
                "profile": "dataset_profile",
            }
            made = {column: view.data[name] for name, column in about.items()}
            insert(models.SqlDataset, [] if known else [data | made | {"dataset_uuid": source}])
            edge = {"input_uuid": uuid4().hex, "source_type": DATASET, "source_id": source}
            insert(models.SqlInput, [edge | {"destination_type": RUN, "destination_id": run_id}])
            tag = {"name": mlflow_tags.MLFLOW_DATASET_CONTEXT, "value": "training"}
            insert(models.SqlInputTag, [tag | {"input_uuid": edge["input_uuid"]}])
