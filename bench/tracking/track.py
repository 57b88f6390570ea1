"""The collector: log finished runs and figures to MLflow, whose UI browses, filters and compares them.

Run folders are the truth and MLflow a view of them. Collecting twice changes nothing. Collecting again mends
whatever went wrong. The collector changes only runs of its own ``Identity``, and of these only what it wrote. What
users added or changed stays. The tag ``content_sha`` is written last, so a run without it is not complete. The
next collector of the same results completes it.
"""

import getpass
import json
import os
import platform
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import sidecars
from structbench.bench.runs import model as learned
from structbench.bench.runs.store import Run
from structbench.bench.tracking import address, mlflow_view, saved_views, written
from structbench.bench.tracking.amend import NAME, add, amend, kept
from structbench.bench.tracking.members import Members, no_family
from structbench.bench.tracking.mlflow_view import View
from structbench.bench.tracking.opening import explained, opened, patiently
from structbench.bench.tracking.results_id import results_id

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment

PATIENCE = 120.0  # seconds
NEWS = 5.0  # seconds between two lines of progress


class Identity(NamedTuple):
    """What MLflow's runs of one run have in common; each is a tag of its name."""

    run_key: str
    host: str  # that made it, not that logs it
    user: str  # who logs it
    results: str  # the id of the results folder that it is in, and the machine's folder there if it was merged
    code: str  # the hash of the programs that made it


class Known(NamedTuple):
    """A run that MLflow has."""

    run_id: str
    experiment: str  # its id
    started: int
    content: str  # hashes of what it shows; empty if it is not complete
    files: str  # hash of what that was made of
    families: list[str]


def track(
    runs: Iterable[Run],
    uri: str | None = None,
    *,
    families: dict[str, list[str]] | None = None,
    figures: Path | None = None,
    claims: Path | None = None,
    models: Iterable[Run] = (),
    best: Iterable[Run] = (),
    missing: int = 0,
    progress: bool = True,
    patience: float = PATIENCE,
) -> dict[str, int]:
    """Log finished runs to MLflow, so that it shows what their folders hold.

    Runs that MLflow has and ``runs`` has not are left alone.

    Args:
        uri: The tracking URI. By default ``MLFLOW_TRACKING_URI``, else the SQLite file results/mlflow.db.
        families: Run key -> the figure families that use the run, such as ``eg2008/mnist-log``. The first one that
            ever used it is its experiment. A run that none uses is in ``<data>-<loss>``.
        figures: The folder of drawn figures. Each folder in it (a paper) becomes a run of the experiment
            ``figures``.
        claims: The folder of judged claims, a JSON file a paper: they become artifacts of its figures' run.
        models: Those of ``runs`` whose models become artifacts, which MLflow loads and serves.
        best: Those whose models become artifacts if they label text and MLflow does not have them.
        missing: How many runs were wanted, too, but failed or were not made. None of them is logged.
        progress: Say on stderr how far it is.
        patience: Seconds to wait for a database that another process has locked.

    Returns:
        Counts of runs. ``logged``: For the first time. ``amended``: They are to be shown otherwise. ``replaced``:
        They were made again. ``kept``: As they were. ``missing``: If any are.

    Raises:
        UserError: The URI is not of the form of one, or the server does not answer. The database is locked,
            unwritable or no database, or its driver is missing. No message holds a password.
    """
    place = address.of(uri)

    def collect() -> dict[str, int]:
        with opened(place, patience) as client:
            given = list(runs)
            collector = _Collector(client, place, patience, Members(given, families or {}))
            _collect(collector, given, families or {}, progress)
            for folder in sorted(figures.iterdir()) if figures and figures.is_dir() else ():
                if folder.is_dir():
                    said = claims / f"{folder.name}.json" if claims else None
                    collector.add_figures(folder, said if said and said.exists() else None)
            for run in models:
                collector.add_model(run)
            for run in best:
                collector.add_missing_model(run)
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
    def __init__(self, client: "MlflowClient", place: address.Address, patience: float, members: Members):
        self.client, self.patience, self.members = client, patience, members
        self.artifacts = None  # a server keeps them
        if not place.is_server:
            self.artifacts = (place.file or address.database().resolve()).with_name("mlartifacts")
        self.user, self.results = _user(), results_id()
        self.view_sha = sha256(Path(mlflow_view.__file__).read_bytes()).hexdigest()
        found = patiently(lambda: [*_pages(client.search_experiments)], patience)
        self.named = {each.tags.get(mlflow_view.FAMILY, each.name): each.experiment_id for each in found}
        self.experiments: dict[str, Experiment] = {}  # the experiments whose tags are correct
        self.counts = {"logged": 0, "amended": 0, "replaced": 0, "kept": 0}
        self.known: dict[Identity, dict[str, Known]] = defaultdict(dict)  # by MLflow's id
        patiently(lambda: self._remember([each.experiment_id for each in found]), patience)

    def _identity(self, run: Run) -> Identity:
        made = run.summary["provenance"]
        room = run.folder.parent.parent
        source = f"{self.results}/{room.name}" if room.parent.name == "hosts" else self.results
        return Identity(run.key, made["host"], self.user, source, made["code_sha256"])

    def add_model(self, run: Run) -> None:
        """Log the model of a run that MLflow has, as artifacts of that run."""
        from structbench.bench.tracking import served

        run_id = self._run_id(run)
        with tempfile.TemporaryDirectory() as place:
            described = served.write(learned.load(run.folder), Path(place, served.FOLDER))
            self.client.log_artifacts(run_id, place)
        # by this tag MLflow's page knows that the folder is a model, and shows its input and output
        self.client.set_tag(run_id, served.HISTORY, json.dumps([described | {"run_id": run_id}]))
        self.counts["models"] = self.counts.get("models", 0) + 1

    def add_missing_model(self, run: Run) -> None:
        """Log the model of a run that MLflow has, if it labels text and MLflow does not have it."""
        from structbench.bench.tracking import served

        if served.can_serve(run) and served.HISTORY not in self.client.get_run(self._run_id(run)).data.tags:
            try:
                self.add_model(run)
            except UserError as error:  # its data have changed, for example
                print(f"track: no model of {run.key}: {error}", file=sys.stderr)

    def _run_id(self, run: Run) -> str:
        """MLflow's id of a run that it has."""
        (run_id,) = self.known[self._identity(run)]
        return run_id

    def add_run(self, run: Run, families: list[str] | None) -> None:
        nowhere = no_family(run)
        identity = self._identity(run)
        before = [family for known in self.known[identity].values() for family in known.families]
        used_by = [*dict.fromkeys(name for name in (*before, *(families or [])) if name != nowhere)] or [nowhere]
        files, common = [run.summary, str(run.folder), used_by], self.members.common(used_by[0])
        self._add(identity, files, used_by[0], lambda: mlflow_view.of_run(run, used_by, common))

    def add_figures(self, folder: Path, claims: Path | None) -> None:
        """Log a paper's figures, drawn for a config, and its judged claims."""
        files = sorted(file for file in folder.iterdir() if file.is_file())
        commits = {sidecars.read(file).commit for file in files if file.suffix == ".json"}
        config = folder.resolve().parent.parent.name
        key = f"figures/{config}/{folder.name}"
        identity = Identity(key, platform.node(), self.user, self.results, ", ".join(sorted(commits)))
        all_files = [*files, *([claims] if claims else [])]
        shas = {file.name: sha256(file.read_bytes()).hexdigest() for file in all_files}
        self._add(identity, shas, "figures", lambda: mlflow_view.of_figures(folder, config, claims))

    def _remember(self, experiments: list[str]) -> None:
        """Find our runs in these experiments; one whose collector was killed is marked as failed."""
        wanted = f"tags.user = '{self.user}' AND tags.results LIKE '{self.results}%'"
        for run in _pages(self.client.search_runs, experiments, wanted) if experiments else ():
            info, tags = run.info, run.data.tags
            families = tags["families"].split(", ") if "families" in tags else []
            shas = tags.get(written.CONTENT, ""), tags.get(written.FILES, "")
            identity = Identity(*(tags.get(name, "") for name in Identity._fields))
            known = Known(info.run_id, info.experiment_id, info.start_time, *shas, families)
            self.known[identity][info.run_id] = known
            if info.status == "RUNNING" and not known.content:
                self.client.set_terminated(info.run_id, "FAILED", info.start_time)

    def _add(self, identity: Identity, made_of: Any, experiment: str, view: Callable[[], View]) -> None:
        """Have MLflow show it, then remove what it replaces. So an interruption loses nothing."""
        files = mlflow_view.sha([made_of, self.view_sha])
        home = patiently(lambda: self._experiment(experiment), self.patience)
        known = self.known[identity]
        here = home.experiment_id, files
        there = next((run.run_id for run in known.values() if (run.experiment, run.files) == here), None)
        change = "kept"
        if there is None:
            before, seen = {run.run_id: run.content for run in known.values() if run.content}, view()
            there = patiently(lambda: self._show(identity, files, home, seen), self.patience)
            if there in before:
                change = "kept" if before[there] == known[there].content else "amended"
            else:
                change = "replaced" if before else "logged"
        for other in [other for other in known if other != there]:
            patiently(partial(self.client.delete_run, other), self.patience)
            del known[other]
        self.counts[change] += 1

    def _show(self, identity: Identity, files: str, home: "Experiment", view: View) -> str:
        """Have MLflow show the view, in its run of the same start if there is one. Return the run's id."""
        known, content = self.known[identity], "-".join(view.shas)
        more = identity._asdict() | {"mlflow.user": self.user}
        # MLflow takes no point back: what has points and was made again is another run
        same = [run for run in known.values() if run.started == view.started or not view.points]
        here = [run for run in same if run.experiment == home.experiment_id]
        if here:
            run = self.client.get_run(max((run.content == content, run.content, run.run_id) for run in here)[-1])
        else:
            first = self._first_tags(identity, view) | more
            run_id = add(self.client, home, view, more, first, files)
            shas = (content, files) if run_id else ("", "")
            run = None if run_id else self.client.create_run(home.experiment_id, view.started, first, first[NAME])
            run_id = run_id or run.info.run_id
            known[run_id] = Known(run_id, home.experiment_id, view.started, *shas, [])
            if run is None:
                return run_id
        run_id = run.info.run_id
        try:
            amend(self.client, run, view, more, files)
        except BaseException:
            if run.info.status == "RUNNING":
                with suppress(Exception):
                    self.client.set_terminated(run_id, "FAILED", view.ended)
            raise
        known[run_id] = known[run_id]._replace(content=content, files=files)
        return run_id

    def _first_tags(self, identity: Identity, view: View) -> dict[str, str]:
        """The name of a new run, and what users wrote at the one that it replaces."""
        former = max(self.known[identity].values(), key=lambda run: bool(run.content), default=None)
        return {NAME: view.name} | (kept(self.client.get_run(former.run_id)) if former else {})

    def _experiment(self, name: str) -> "Experiment":
        """The experiment; one that was deleted comes back, with its runs."""
        if name not in self.experiments:
            known = self.named.get(name)  # users may have given it another name
            found = self.client.get_experiment(known) if known else self.client.get_experiment_by_name(name)
            found = found or self._new_experiment(name)
            experiment_id = found.experiment_id
            if found.lifecycle_stage == "deleted":
                self.client.restore_experiment(experiment_id)
                self._remember([experiment_id])
            wanted = mlflow_view.experiment_tags(name, self.members.runs.get(name, ()))
            others = found.tags.keys() - written.users(found.tags).keys() - wanted.keys()
            wanted |= {tag: found.tags[tag] for tag in others if saved_views.is_of_one_C(tag)}  # of other configs
            changed, gone = written.changes(found.tags, wanted)
            for tag, value in changed.items():
                self.client.set_experiment_tag(experiment_id, tag, value)
            for tag in gone:
                self.client.delete_experiment_tag(experiment_id, tag)
            self.experiments[name] = found
        return self.experiments[name]

    def _new_experiment(self, name: str) -> "Experiment":
        from mlflow.exceptions import MlflowException

        location = self.artifacts and (self.artifacts / re.sub(r"[^\w.=-]+", "-", name)).as_uri()
        try:
            self.client.create_experiment(name, location)
        except MlflowException as error:
            if error.error_code != "RESOURCE_ALREADY_EXISTS":  # another collector just made it
                raise
        return self.client.get_experiment_by_name(name)


def _user() -> str:
    """The account that collects; what MLflow's filters would stumble on is written as ``_``."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's account without a name
        name = str(os.getuid())
    return re.sub(r"[^\w.@+-]", "_", name)


def _pages(search: Callable, *args: Any) -> Iterator[Any]:
    token = None
    while True:
        page = search(*args, max_results=1000, page_token=token)
        yield from page
        token = page.token
        if not token:
            return
