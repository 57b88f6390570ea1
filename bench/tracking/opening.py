"""MLflow opened for one collector: its client, the locks that it needs, and its errors as sentences."""

import contextlib
import logging
import os
import shutil
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench.runs import results
from structbench.bench.tracking.address import Address

if TYPE_CHECKING:
    from mlflow import MlflowClient

SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # a server that is gone is given up within a minute or so
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "PGCONNECT_TIMEOUT": "10",
}
SCHEMA_LOCK = 0x57B_5C4E  # any number, as long as all collectors ask PostgreSQL for the same one
AGAIN = "no finished run is lost; run `python -m bench track` again when that is mended"


def lock_of(address: Address) -> Path:
    """The lock that the one collector holds: next to a SQLite file, else these results' lock for this address."""
    file = address.file or results.root().resolve() / "tracked" / address.label
    return file.with_name(file.name + ".lock")


@contextlib.contextmanager
def opened(address: Address, patience: float) -> Iterator["MlflowClient"]:
    """MLflow's client, for as long as this process is the one collector of these results there."""
    with _quiet(), address.logged_in(), locked(lock_of(address), patience):
        yield patiently(lambda: _client(address, patience), patience)


def _client(address: Address, patience: float) -> "MlflowClient":
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    if address.file:
        _check_sqlite(address.file, patience)
        _make_tables(address.file)
    with contextlib.nullcontext() if address.file or address.is_server else _connected(address):
        from mlflow import MlflowClient

        return MlflowClient(address.uri)


def _check_sqlite(file: Path, patience: float) -> None:
    """Be sure that it can be written: MLflow would try for minutes."""
    with contextlib.closing(sqlite3.connect(file, timeout=patience)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.rollback()


def _make_tables(file: Path) -> None:
    """Have MLflow make its tables in another file, if this one is empty: it cannot go on from half of them."""
    if file.stat().st_size:
        return
    from mlflow import MlflowClient

    folder = file.with_name(f".{file.name}.partial")  # SQLite has a journal beside its file
    shutil.rmtree(folder, ignore_errors=True)  # of a collector that was killed: this one holds the lock
    folder.mkdir()
    made = folder / uuid.uuid4().hex  # MLflow keeps its connections, by a file's name
    try:
        MlflowClient(f"sqlite:///{made}")
        os.replace(made, file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _connected(address: Address) -> Iterator[None]:
    """See that the database answers, as MLflow would try for minutes. In PostgreSQL, hold a lock.

    When MLflow opens a database it makes missing tables. If several processes do so at once, they fail.
    """
    import sqlalchemy

    engine = sqlalchemy.create_engine(address.uri, poolclass=sqlalchemy.pool.NullPool)
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":  # the lock ends with the transaction, however that ends
            connection.execute(sqlalchemy.text("SELECT pg_advisory_xact_lock(:key)"), {"key": SCHEMA_LOCK})
        yield


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No log messages of MLflow and what it uses: their errors reach us as exceptions, too."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def patiently(action: Callable[[], Any], patience: float) -> Any:
    """Do it again, ever more slowly, while another process has the database locked."""
    give_up, pause = time.monotonic() + patience, 0.1
    while True:
        try:
            return action()
        except Exception as error:
            if not _is_locked(error) or time.monotonic() > give_up:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 5.0)


def _is_locked(error: Exception) -> bool:
    return isinstance(error, BlockingIOError) or "database is locked" in str(error)


def explained(address: Address, action: Callable[[], Any]) -> Any:
    """Do it, and turn the errors of files, databases, MLflow and a missing driver into a sentence.

    Raises:
        UserError: The sentence, without the error that it is made of, which may hold a password.
    """
    try:
        return action()
    except UserError:
        raise
    except Exception as error:
        if ended := next(
            (link for link in _chain(error) if isinstance(link, KeyboardInterrupt | SystemExit)), None
        ):
            raise ended from None  # a signal, which SQLAlchemy turned into an error of its own
        sentence = _sentence(error, address)
        if not sentence:
            raise
    raise UserError(sentence)


def _chain(error: BaseException) -> list[BaseException]:
    """The error, and those that it came of."""
    chain = [error]
    while cause := chain[-1].__cause__ or (not chain[-1].__suppress_context__ and chain[-1].__context__):
        chain.append(cause)
    return chain


def _sentence(error: Exception, address: Address) -> str:
    """What went wrong; empty for a fault of ours, which deserves its traceback."""
    chain = _chain(error)
    if _is_locked(error):
        return f"{address} is locked by another process: close what has it open; {AGAIN}"
    known = [link for link in chain if _is_known(link)]
    if link := next((link for link in known if isinstance(link, ModuleNotFoundError)), None):
        return f"cannot log to {address}: {link.name} is not installed (docs/how-to/tracking.md says how); {AGAIN}"
    if _is_known(error):
        reason = str(known[-1]).strip().partition("\n")[0][:300]
    elif any(address.betrayed_by(str(link)) for link in chain):
        reason = ""
    else:
        return ""
    if not reason or address.betrayed_by(reason):
        reason = f"{type(error).__name__}, whose message may hold a password"
    return f"cannot log to {address}: {reason}; {AGAIN}"


def _is_known(error: BaseException) -> bool:
    names = {base.__name__ for base in type(error).__mro__}
    return bool(names & {"MlflowException", "OSError", "DatabaseError", "ArgumentError", "ImportError"})
