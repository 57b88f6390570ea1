"""MLflow opened for one collector: its client, the locks that it needs, and its errors as sentences."""

import base64
import contextlib
import json
import logging
import os
import sqlite3
import uuid
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench.runs import results
from structbench.bench.tracking.address import Address, address_of, database

if TYPE_CHECKING:
    from mlflow import MlflowClient

SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # a server that is gone is given up within a minute or so
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "PGCONNECT_TIMEOUT": "10",
}
FAMILY = "family"  # the tag of an experiment of ours that has its name, even after users have renamed it
SCHEMA_LOCK = 0x57B_5C4E  # any number, as long as all collectors ask PostgreSQL for the same one
# A view that MLflow's page keeps when a user shares it: an experiment's tag, and what an address names it by.
VIEW, VIEW_TAG = "measures", "mlflow.sharedViewState.measures"
ERRORS = tuple(f"metrics.`{split}_error_percent`" for split in ("validation", "test"))
COLUMNS = (  # few, as the page puts all metrics before all parameters, and run names have the algorithm
    *ERRORS,
    *("metrics.`relative_gap`", "metrics.`cpu_seconds`", "params.`loss`", "params.`C`", "tags.`disturbed`"),
)
CHARTS = {"xAxisKey": "metric", "selectedXAxisMetricKey": "passes", "lineSmoothness": 0}
# errors, and what derives from them, that are nobody's fault here
KNOWN = {"MlflowException", "OSError", "DatabaseError", "ArgumentError", "ImportError"}
Result = TypeVar("Result")


@contextlib.contextmanager
def opened(address: Address, patience: float) -> Iterator["MlflowClient"]:
    """MLflow's client, while this process is the one collector into a SQLite file, or of these results."""
    file = address.file or results.root().resolve() / "tracked" / address.label
    with _quiet(), locked(file.with_name(f"{file.name}.lock"), patience), _fast_if_new(address.file):
        yield _client(address, patience)


@contextlib.contextmanager
def _fast_if_new(file: Path | None) -> Iterator[None]:
    """Fill a new SQLite file without waiting for the disk at each commit: nothing in it can be lost yet."""
    if not file or (file.exists() and file.stat().st_size):
        yield
        return
    from sqlalchemy import Engine, event

    def unsynced(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", unsynced)
    try:
        yield
    finally:
        event.remove(Engine, "connect", unsynced)
    with file.open("rb") as made:
        os.fsync(made.fileno())


def addresses(server: str) -> list[tuple[str, str]]:
    """The experiments that collectors made in ``address.database()``, each with its page on a server."""
    place = address_of(f"sqlite:///{database().resolve()}")
    with _quiet():
        found = explained(place, lambda: _client(place, 20).search_experiments(order_by=["name"]))
    page = server + "/#/experiments/{}/runs?workflowType=machine_learning"
    page += f"&viewStateShareKey={VIEW}"
    found = sorted(found, key=lambda each: not each.name.startswith("grid/"))  # the user's own first
    return [(each.name, page.format(each.experiment_id)) for each in found if FAMILY in each.tags]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No log messages, as errors reach us as exceptions, too; and our settings where the user has none."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@cache
def views_of_measures() -> list[str]:
    """Values of ``VIEW_TAG``: columns and charts, the least validation error first; and the least test error."""
    states = [{"selectedColumns": COLUMNS, "orderByKey": error, "orderByAsc": True} for error in ERRORS]
    dumped = [json.dumps(state | {"globalLineChartConfig": CHARTS}) for state in states]
    packed = [base64.b64encode(zlib.compress(state.encode())).decode() for state in dumped]
    about = {"name": "Measures", "createdAt": 0, "updatedAt": 0}
    return [json.dumps(about | {"state": f"deflate;{state}"}) for state in packed]


def _client(address: Address, patience: float) -> "MlflowClient":
    """MLflow's client of a database that answers (MLflow would try for minutes), and has all tables.

    MLflow makes them as it opens it. If several processes do so at once, or one is killed, it cannot go on. So a
    SQLite file gets its name when it is complete, and in PostgreSQL a lock is held.
    """
    from mlflow import MlflowClient

    if file := address.file:
        with contextlib.closing(sqlite3.connect(file, timeout=patience)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
        if not file.stat().st_size:
            for left in file.parent.glob(f".{file.name}.*"):  # of a collector that was killed
                left.unlink()
            made = file.with_name(f".{file.name}.{uuid.uuid4().hex}.partial")  # MLflow keeps connections, by name
            MlflowClient(f"sqlite:///{made}")
            os.replace(made, file)
    elif not address.is_server:
        import sqlalchemy

        engine = sqlalchemy.create_engine(address.uri, poolclass=sqlalchemy.pool.NullPool)
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":  # the lock ends with the transaction, however that ends
                connection.execute(sqlalchemy.text("SELECT pg_advisory_xact_lock(:key)"), {"key": SCHEMA_LOCK})
            return MlflowClient(address.uri)
    return MlflowClient(address.uri)


def explained(address: Address, action: Callable[[], Result]) -> Result:
    """Do it, and turn the errors of files, databases, MLflow and a missing driver into a sentence.

    The sentence is a UserError without the error that it is made of, which may hold a password.
    """
    try:
        return action()
    except UserError:
        raise
    except Exception as error:
        chain: list[BaseException] = [error]
        while cause := chain[-1].__cause__ or (not chain[-1].__suppress_context__ and chain[-1].__context__):
            chain.append(cause)
        if ended := next((link for link in chain if isinstance(link, KeyboardInterrupt | SystemExit)), None):
            raise ended from None  # a signal, which SQLAlchemy turned into an error of its own
        known = [link for link in chain if KNOWN & {base.__name__ for base in type(link).__mro__}]
        if error not in known and not any(address.betrayed_by(str(link)) for link in chain):
            raise  # a fault of ours, which deserves its traceback
        reason = str(known[-1]).strip().partition("\n")[0][:300] if error in known else ""
        if isinstance(error, BlockingIOError) or "database is locked" in str(error):
            reason = "it is locked by another process: close what has it open"
        elif not reason or address.betrayed_by(reason):
            reason = f"{type(error).__name__}, whose message may hold a password"
    again = "no finished run is lost; run `python -m bench track` again when that is mended"
    raise UserError(f"cannot log to {address}: {reason}; {again}")
