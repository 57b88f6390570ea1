"""The collector: finished runs and figures, logged to MLflow for its UI to browse, filter and compare.

Run folders are the truth and MLflow a view of them, so that collecting twice changes nothing, and whatever
goes wrong is mended by collecting again. A run whose tag ``content_sha`` is that of its files is kept. Only a run
of the same key, host, user and code is ever replaced. That tag is written last: a run whose logging was
interrupted has none, and is removed by the next collector at the same place.
"""

import getpass
import hashlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from algorithms.runtime.errors import UserError
from bench.runs.store import Run
from bench.tracking import address, mlflow_view
from bench.tracking.mlflow_view import View
from bench.tracking.opening import explained, lock_of, opened, patiently

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run as Logged

PATIENCE = 120.0  # seconds
BATCH = 1000  # metrics, parameters and tags a call: MLflow's limit
NEWS = 5.0  # seconds between two lines of progress
FILES = ("spec.json", "summary.json", "curve.parquet")


class Identity(NamedTuple):
    """What a logged run has in common with the one that may replace it; each is a tag of its name."""

    run_key: str
    host: str  # that made it, not that logs it
    user: str  # who logs it
    code: str  # the hash of the programs that made it


def track(
    runs: Iterable[Run],
    uri: str | None = None,
    *,
    families: dict[str, list[str]] | None = None,
    figures: Path | None = None,
    missing: int = 0,
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
        missing: how many runs were wanted, too, but failed or were not made; none of them is logged.
        progress: say on stderr how far it is.
        patience: seconds to wait for a database that another process has locked.

    Returns:
        How many were ``logged`` for the first time, ``replaced``, ``kept`` as they were, and, if any,
        are ``missing``.

    Raises:
        UserError: the URI is not of the form of one, the database is locked, unwritable or no database, its driver
            is missing, or the server does not answer. No message holds a password.
    """
    place = address.of(uri)

    def collect() -> dict[str, int]:
        with opened(place, patience) as client:
            collector = _Collector(client, place, patience)
            _collect(collector, list(runs), families or {}, progress)
            for folder in sorted(figures.iterdir()) if figures and figures.is_dir() else ():
                if folder.is_dir():
                    collector.add_figures(folder)
            return collector.counts

    return explained(place, collect) | ({"missing": missing} if missing else {})


def _collect(collector: "_Collector", runs: list[Run], families: dict[str, list[str]], progress: bool) -> None:
    started = said = time.monotonic()
    for done, run in enumerate(runs):
        now = time.monotonic()
        if progress and now - said > NEWS:
            left = (now - started) / done * (len(runs) - done)
            print(f"track: {done} of {len(runs)} runs, about {left:.0f} s left", file=sys.stderr)
            said = now
        collector.add_run(run, families.get(run.key))


class _Collector:
    def __init__(self, client: "MlflowClient", place: address.Address, patience: float):
        self.client, self.patience = client, patience
        self.artifacts = None  # a server keeps them
        if not place.is_server:
            self.artifacts = (place.file or address.database().resolve()).with_name("mlartifacts")
        self.user = _user()
        self.logged_from = f"{platform.node()}:{lock_of(place)}"
        self.experiments: dict[str, str] = {}
        self.counts = {"logged": 0, "replaced": 0, "kept": 0}
        self.known: dict[Identity, dict[str, str]] = defaultdict(dict)  # MLflow's id -> content_sha, of ours alone
        self.families: dict[Identity, list[str]] = {}
        patiently(lambda: self._remember(self._all_experiments()), patience)

    def add_run(self, run: Run, families: list[str] | None) -> None:
        """``families`` None: those that MLflow has it in, or one of its own."""
        made = run.summary["provenance"]
        identity = Identity(run.key, made["host"], self.user, made["code_sha256"])
        families = families or self.families.get(identity) or [f"{run.spec['data']}-{run.spec['loss']}"]
        sha = _sha([run.folder / name for name in FILES], *families)
        self._add(identity, sha, families[0], lambda: mlflow_view.of_run(run, families))

    def add_figures(self, folder: Path) -> None:
        """Those of a paper, drawn for a config."""
        files = sorted(file for file in folder.iterdir() if file.is_file())
        commits = {json.loads(file.read_text())["commit"] for file in files if file.suffix == ".json"}
        config = folder.resolve().parent.parent.name
        key = f"figures/{config}/{folder.name}"
        identity = Identity(key, platform.node(), self.user, ", ".join(sorted(commits)))
        self._add(identity, _sha(files), "figures", lambda: mlflow_view.of_figures(folder, config))

    def _all_experiments(self) -> list[str]:
        return [experiment.experiment_id for experiment in _pages(self.client.search_experiments)]

    def _remember(self, experiments: list[str]) -> None:
        """Which runs of ours these experiments have: complete ones, and those that a collector here left."""
        wanted = f"tags.user = '{self.user}' AND tags.run_key != ''"
        for run in _pages(self.client.search_runs, experiments, wanted) if experiments else ():
            tags = run.data.tags
            identity = Identity(*(tags.get(name, "") for name in Identity._fields))
            if "content_sha" in tags or tags.get("logged_from") == self.logged_from:
                self.known[identity][run.info.run_id] = tags.get("content_sha", "")
                self.families[identity] = tags["families"].split(", ") if "families" in tags else []

    def _add(self, identity: Identity, sha: str, experiment: str, view: Callable[[], View]) -> None:
        """Log it, unless it is there, and then remove what it replaces: nothing is lost if that is interrupted."""
        home = patiently(lambda: self._experiment(experiment), self.patience)
        known = self.known[identity]
        there = next((run_id for run_id, content in known.items() if content == sha), None)
        if there:
            change = "kept"
        else:
            change, seen = "replaced" if known else "logged", view()
            there = patiently(lambda: self._log(identity, sha, home, seen), self.patience)
        patiently(lambda: self._remove_all_but(there, known), self.patience)
        self.counts[change] += 1

    def _remove_all_but(self, run_id: str, known: dict[str, str]) -> None:
        for other in [other for other in known if other != run_id]:
            self.client.delete_run(other)
            del known[other]

    def _log(self, identity: Identity, sha: str, experiment_id: str, view: View) -> str:
        from mlflow.entities import Metric, Param, RunTag

        client = self.client
        tags = view.tags | identity._asdict() | {"mlflow.user": self.user, "logged_from": self.logged_from}
        created: Logged = client.create_run(experiment_id, view.started, tags, view.name)
        run_id = created.info.run_id
        self.known[identity][run_id] = ""
        if view.data:
            client.log_inputs(run_id, datasets=[_data_set(**view.data)])
        with tempfile.TemporaryDirectory() as together:  # one call for all: each asks the database where they go
            for name, content in view.artifacts.items():
                if isinstance(content, Path):
                    shutil.copyfile(content, Path(together, name))
                else:
                    Path(together, name).write_text(content, encoding="utf-8")
            client.log_artifacts(run_id, together)
        note = RunTag("mlflow.note.content", view.description.replace("{run_id}", run_id))
        params = [Param(*pair) for pair in view.params.items()]
        metrics = [Metric(*point) for point in view.points]
        room = BATCH - len(params) - 1
        client.log_batch(run_id, metrics[:room], params, [note])
        for first in range(room, len(metrics), BATCH):
            client.log_batch(run_id, metrics[first : first + BATCH])
        client.set_terminated(run_id, "FAILED" if view.failed else "FINISHED", view.ended)
        client.set_tag(run_id, "content_sha", sha)
        self.known[identity][run_id] = sha
        return run_id

    def _experiment(self, name: str) -> str:
        """MLflow's id of the experiment; one that was deleted comes back, with its runs."""
        if name not in self.experiments:
            found = self.client.get_experiment_by_name(name)
            experiment_id = found.experiment_id if found else self._new_experiment(name)
            if found and found.lifecycle_stage == "deleted":
                self.client.restore_experiment(experiment_id)
                self._remember([experiment_id])
            for tag, value in mlflow_view.experiment_tags(name, experiment_id).items():
                self.client.set_experiment_tag(experiment_id, tag, value)
            self.experiments[name] = experiment_id
        return self.experiments[name]

    def _new_experiment(self, name: str) -> str:
        from mlflow.exceptions import MlflowException

        location = self.artifacts and (self.artifacts / re.sub(r"[^\w.=-]+", "-", name)).as_uri()
        try:
            return self.client.create_experiment(name, location)
        except MlflowException as error:
            found = self.client.get_experiment_by_name(name)
            if error.error_code != "RESOURCE_ALREADY_EXISTS" or found is None:
                raise
            return found.experiment_id  # another collector just made it


def _user() -> str:
    """The account that collects; what MLflow's filters would stumble on is written as ``_``."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's account without a name
        name = str(os.getuid())
    return re.sub(r"[^\w.@+-]", "_", name)


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
