"""The collector: finished runs and figures, logged to MLflow for its UI to browse, filter and compare.

Run folders are the truth and MLflow a view of them, so that collecting twice changes nothing, and whatever
goes wrong is mended by collecting again. A run whose tag ``content_sha`` is that of its files is kept; any
other run with its ``run_key`` is replaced. That tag is written last: a run whose logging was interrupted has
none. Processes that open one new database together fail, so one collector at a time holds its lock.
"""

import contextlib
import hashlib
import logging
import os
import re
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algorithms.runtime.errors import UserError
from algorithms.runtime.files import locked
from bench.runs import results
from bench.runs.store import Run
from bench.tracking import mlflow_view
from bench.tracking.mlflow_view import View

if TYPE_CHECKING:
    from mlflow import MlflowClient

PATIENCE = 120.0  # seconds
BATCH = 1000  # metrics, parameters and tags a call: MLflow's limit
NEWS = 5.0  # seconds between two lines of progress
FILES = ("spec.json", "summary.json", "curve.parquet")


def track(
    runs: Iterable[Run],
    uri: str | None = None,
    *,
    families: dict[str, list[str]] | None = None,
    figures: Path | None = None,
    progress: bool = True,
    patience: float = PATIENCE,
) -> dict[str, int]:
    """Log finished runs to MLflow, so that it shows what their folders hold.

    Runs that MLflow has and ``runs`` has not are left alone.

    Args:
        uri: the tracking URI; by default ``MLFLOW_TRACKING_URI``, else the SQLite file results/mlflow.db.
        families: run key -> the figure families that use the run, such as ``eg2008/mnist-log``. The first
            is its experiment; a run in none stays where MLflow has it, a new one goes to ``<data>-<loss>``.
        figures: the folder of drawn figures; each folder in it (a paper) becomes a run of the experiment
            ``figures``.
        progress: say on stderr how far it is.
        patience: seconds to wait for a database that another process has locked.

    Returns:
        How many were ``logged`` for the first time, ``replaced``, and ``kept`` as they were.

    Raises:
        UserError: the database is locked, unwritable or no database, or the server does not answer.
    """
    uri = uri or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{(results.root() / 'mlflow.db').resolve()}"
    with _explained(uri), _one_collector(_sqlite_file(uri), patience):
        collector = _Collector(uri, patience)
        runs = list(runs)
        started = said = time.monotonic()
        for done, run in enumerate(runs):
            now = time.monotonic()
            if progress and now - said > NEWS:
                left = (now - started) / done * (len(runs) - done)
                print(f"track: {done} of {len(runs)} runs, about {left:.0f} s left", file=sys.stderr)
                said = now
            collector.add_run(run, (families or {}).get(run.key))
        for folder in sorted(figures.iterdir()) if figures and figures.is_dir() else ():
            if folder.is_dir():
                collector.add_figures(folder)
        return collector.counts


class _Collector:
    def __init__(self, uri: str, patience: float):
        self.client, self.patience = _client(uri), patience
        file = _sqlite_file(uri)
        self.artifacts = file.with_name("mlartifacts") if file else None  # else wherever the server keeps them
        self.experiments: dict[str, str] = {}
        self.counts = {"logged": 0, "replaced": 0, "kept": 0}
        self.families: dict[str, list[str]] = {}
        self.known = _patiently(self._known, patience)

    def add_run(self, run: Run, families: list[str] | None) -> None:
        """``families`` None: those that MLflow has it in, or one of its own."""
        families = families or self.families.get(run.key) or [f"{run.spec['data']}-{run.spec['loss']}"]
        sha = _sha([run.folder / name for name in FILES], *families)
        self._add(run.key, sha, families[0], lambda: mlflow_view.of_run(run, families))

    def add_figures(self, folder: Path) -> None:
        sha = _sha(sorted(file for file in folder.iterdir() if file.is_file()))
        self._add(f"figures/{folder.name}", sha, "figures", lambda: mlflow_view.of_figures(folder))

    def _known(self) -> dict[str, list[tuple[str, str]]]:
        """run_key -> (MLflow's id, content_sha), more than one where two collectors met on a server."""
        known = defaultdict(list)
        experiments = [experiment.experiment_id for experiment in _pages(self.client.search_experiments)]
        for run in _pages(self.client.search_runs, experiments, "tags.run_key != ''") if experiments else ():
            key = run.data.tags["run_key"]
            known[key].append((run.info.run_id, run.data.tags.get("content_sha", "")))
            if "families" in run.data.tags:
                self.families[key] = run.data.tags["families"].split(", ")
        return known

    def _add(self, key: str, sha: str, experiment: str, view: Callable[[], View]) -> None:
        known = self.known[key]
        if [content for _, content in known] == [sha]:
            self.counts["kept"] += 1
            return
        change, seen = "replaced" if known else "logged", view()
        _patiently(lambda: self._replace(key, sha, experiment, seen), self.patience)
        self.counts[change] += 1

    def _replace(self, key: str, sha: str, experiment: str, view: View) -> None:
        from mlflow.entities import Metric, Param, RunTag

        client, known = self.client, self.known[key]
        while known:
            client.delete_run(known[-1][0])
            known.pop()
        tags = view.tags | {"run_key": key}
        created = client.create_run(self._experiment(experiment), view.started, tags, view.name)
        run_id = created.info.run_id
        known.append((run_id, ""))
        if view.data:
            client.log_inputs(run_id, datasets=[_data_set(**view.data)])
        for name, content in view.artifacts.items():
            if isinstance(content, Path):
                client.log_artifact(run_id, content)
            else:
                client.log_text(run_id, content, name)
        note = RunTag("mlflow.note.content", view.description.replace("{run_id}", run_id))
        params = [Param(*pair) for pair in view.params.items()]
        metrics = [Metric(*point) for point in view.points]
        room = BATCH - len(params) - 1
        client.log_batch(run_id, metrics[:room], params, [note])
        for first in range(room, len(metrics), BATCH):
            client.log_batch(run_id, metrics[first : first + BATCH])
        client.set_terminated(run_id, "FAILED" if view.failed else "FINISHED", view.ended)
        client.set_tag(run_id, "content_sha", sha)

    def _experiment(self, name: str) -> str:
        if name not in self.experiments:
            found = self.client.get_experiment_by_name(name)
            if found and found.lifecycle_stage == "deleted":
                self._restore(found.experiment_id)
            experiment_id = found.experiment_id if found else self._new_experiment(name)
            for tag, value in mlflow_view.experiment_tags(name, experiment_id).items():
                self.client.set_experiment_tag(experiment_id, tag, value)
            self.experiments[name] = experiment_id
        return self.experiments[name]

    def _restore(self, experiment_id: str) -> None:
        """Restoring an experiment brings back its runs, too, which were not among the known ones."""
        self.client.restore_experiment(experiment_id)
        for run in list(_pages(self.client.search_runs, [experiment_id], "tags.run_key != ''")):
            self.client.delete_run(run.info.run_id)

    def _new_experiment(self, name: str) -> str:
        location = self.artifacts and (self.artifacts / re.sub(r"[^\w.=-]+", "-", name)).as_uri()
        return self.client.create_experiment(name, location)


def _client(uri: str) -> "MlflowClient":
    """A client that sends no telemetry, gives up on a dead server within a minute, and is quiet."""
    wanted = {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2"}
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
    from mlflow import MlflowClient

    for name in ("alembic", "mlflow.store.db.utils"):  # their errors reach us as exceptions, too
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return MlflowClient(uri)


def _data_set(name: str, digest: str, source: str, profile: str) -> Any:
    from mlflow.entities import Dataset, DatasetInput, InputTag

    return DatasetInput(
        Dataset(name, digest, "code", source, profile=profile), [InputTag("mlflow.data.context", "training")]
    )


def _pages(search: Callable, *args: Any) -> Iterator[Any]:
    token = None
    while True:
        page = search(*args, max_results=1000, page_token=token)
        yield from page
        token = page.token
        if not token:
            return


def _sha(files: list[Path], *words: str) -> str:
    """Of the files, the words, and the code that decides what MLflow shows of them."""
    digest = hashlib.sha256("\n".join(words).encode())
    for file in (*files, Path(__file__), Path(mlflow_view.__file__)):
        try:
            content = file.read_bytes()
        except OSError as error:
            raise UserError(
                f"cannot read {file} ({error.strerror}): delete {file.parent} and make it again"
            ) from error
        digest.update(f"\n{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _sqlite_file(uri: str) -> Path | None:
    return Path(uri.removeprefix("sqlite:///")).resolve() if uri.startswith("sqlite:///") else None


@contextlib.contextmanager
def _one_collector(database: Path | None, patience: float) -> Iterator[None]:
    """Hold the lock beside a SQLite database, and be sure that it can be written."""
    if database is None:
        yield
        return
    with locked(database.with_name(database.name + ".lock"), patience):
        with contextlib.closing(sqlite3.connect(database, timeout=patience)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
        with _without_waiting_for_the_disk():
            yield


@contextlib.contextmanager
def _without_waiting_for_the_disk() -> Iterator[None]:
    """Waiting at each of some ten commits a run would take most of the time.

    A killed collector costs nothing; a power cut may cost the database, which collecting again restores.
    """
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    def hurry(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", hurry)
    try:
        yield
    finally:
        event.remove(Engine, "connect", hurry)


def _patiently(action: Callable[[], Any], patience: float) -> Any:
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


@contextlib.contextmanager
def _explained(uri: str) -> Iterator[None]:
    """Turn the errors of files, SQLite, MLflow and a missing database driver into a sentence."""
    where = re.sub(r"//[^@/]*@", "//***@", uri)  # no password in a message
    again = "no finished run is lost; run `python -m bench track` again when that is mended"
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        kind = {base.__name__ for base in type(error).__mro__}
        if not kind & {"MlflowException", "OSError", "DatabaseError", "ImportError"}:
            raise
        if _is_locked(error):
            raise UserError(f"{where} is locked by another process: close what has it open; {again}") from error
        raise UserError(f"cannot log to {where}: {str(error).partition(chr(10))[0]}; {again}") from error
