"""MLflow opened for one collector: its client, the locks that it needs, and its errors as sentences."""

import contextlib
import logging
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator
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
# errors, and what derives from them, that are nobody's fault here
KNOWN = {"MlflowException", "OSError", "DatabaseError", "ArgumentError", "ImportError"}
Result = TypeVar("Result")


@contextlib.contextmanager
def opened(address: Address, patience: float) -> Iterator["MlflowClient"]:
    """MLflow's client, while this process is the one collector into a SQLite file, or of these results."""
    file = address.file or results.root().resolve() / "tracked" / address.label
    with _quiet(), locked(file.with_name(f"{file.name}.lock"), patience):
        yield _client(address, patience)


def addresses(server: str) -> list[tuple[str, str]]:
    """The experiments that collectors made in ``address.database()``, each with its page on a server."""
    place = address_of(f"sqlite:///{database().resolve()}")
    with _quiet():
        found = explained(place, lambda: _client(place, 20).search_experiments(order_by=["name"]))
    page = server + "/#/experiments/{}/runs?workflowType=machine_learning"
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
