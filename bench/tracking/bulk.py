"""The points of a new run, written at once where MLflow's database is at hand.

MLflow's own call makes an object of each point and asks for the latest ones. That is most of the collector's time.
"""

from typing import TYPE_CHECKING

from structbench.bench.tracking.mlflow_view import Point

if TYPE_CHECKING:
    from mlflow import MlflowClient


def log(client: "MlflowClient", run_id: str, points: list[Point]) -> bool:
    """Log all points of a run that has none, as ``log_batch`` would. Whether it could: not through a server."""
    from mlflow.store.tracking.dbmodels.models import SqlLatestMetric, SqlMetric
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    store = client._tracking_client.store
    if not points or not isinstance(store, SqlAlchemyStore):
        return False
    every = [*dict.fromkeys(points)]
    ordered = sorted(every, key=lambda point: (point.step, point.timestamp, point.value))
    latest = {point.key: point for point in ordered}
    same = {"run_uuid": run_id, "is_nan": False}
    with store.ManagedSessionMaker(read_only=False) as session:
        for table, some in ((SqlMetric, every), (SqlLatestMetric, latest.values())):
            session.execute(table.__table__.insert(), [point._asdict() | same for point in some])
    return True
