"""Synchronise MLflow with finished runs, figures and models: log each once, and replace what has changed.

A run that changed becomes a new one, with what users wrote at the former one, which goes to MLflow's trash. The
collector changes runs of its own ``IDENTITY`` only.
"""

import getpass
import json
import os
import platform
import re
import shutil
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mlflow import MlflowClient
from mlflow.entities import DatasetInput, InputTag, LoggedModel, LoggedModelOutput, Metric, Param, RunTag, ViewType

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.drawing import draw
from structbench.bench.runs import documents, results, seals
from structbench.bench.runs import model as learned
from structbench.bench.runs.store import Run
from structbench.bench.tracking import address, mlflow_view, served
from structbench.bench.tracking.mlflow_view import COLOUR, NAME, NOTE, VERSION, View, sha
from structbench.bench.tracking.opening import FAMILY, VIEW_TAG, views_of_measures

FILES = "files_sha"  # the tag with the hash of what a run shows: without it a run is not complete
FORMER = "ca006ff9f31b9e46f4dac4f836ed2d9b5ef320c0826f8249df997f6a0eee7be8"  # in such hashes of 276ca4a9
WRITTEN = "written"  # the tag that says what the collector wrote: name of a tag -> hash of its value
LONGEST_TAG = 5000  # letters: of a longer one MLflow's databases take no run
A_BATCH = 900  # metrics: MLflow takes 1,000 of metrics, parameters and tags in a call
REPLACES, REPLACED_BY = "replaces", "replaced_by"
# Tags that MLflow's runs of one run have in common: the host that made it, the user who logs it, the id of its
# results folder (and the machine's folder there if it was merged), and the hash of the programs that made it.
IDENTITY = ("run_key", "host", "user", "results", "code")
OURS = (*IDENTITY, FILES, WRITTEN, "content_sha", "folder", "families", REPLACES, REPLACED_BY)
Identity = tuple[str, ...]


class Known(NamedTuple):
    """A run that MLflow has."""

    run_id: str
    home: str  # the id of its experiment
    tags: dict[str, str]  # ``OURS``, and all that users wrote


class Collector:
    """What MLflow has of these results, and what is done about it; without ``curves`` it gets last values only."""

    def __init__(self, client: MlflowClient, place: address.Address, curves: bool):
        self.client, self.curves, self.user, self.results = client, curves, _user(), results_id()
        self.file = place.file
        # a server keeps artifacts itself
        self.folder = None if place.is_server else (place.file or address.database().resolve()).parent
        every = [*pages(client.search_experiments, ViewType.ALL)]
        self.experiments = {each.tags.get(FAMILY, each.name): each for each in every}  # users may rename them
        self.counts = {"logged": 0, "replaced": 0, "kept": 0, "models": 0}
        self.known: dict[Identity, list[Known]] = defaultdict(list)
        self._remember([each.experiment_id for each in every if each.lifecycle_stage == "active"])

    def identity(self, run: Run) -> Identity:
        """What a run in MLflow has in common with the run that it shows."""
        made, room = run.summary["provenance"], run.folder.parent.parent
        source = f"{self.results}/{room.name}" if room.parent.name == "hosts" else self.results
        return run.key, made["host"], self.user, source, made["code_sha256"]

    def add_run(self, run: Run, families: list[str]) -> None:
        """Log a run, unless MLflow has it as it is."""
        identity, nowhere = self.identity(run), mlflow_view.no_family(run)
        before = [name for each in self.known[identity] for name in each.tags.get("families", nowhere).split(", ")]
        used_by = [*dict.fromkeys(name for name in before + families if name != nowhere)] or [nowhere]
        made_of = [sha([run.summary, VERSION, curves]) for curves in (self.curves, True)]
        places = [(each.tags.get("folder"), each.tags.get("families", nowhere)) for each in self.known[identity]]
        former = [sha([[run.summary, folder, names.split(", ")], FORMER]) for folder, names in places]
        self._home(used_by[0], views_of_measures()[0 if run.spec.data.validates else 1])
        there = self._show(identity, used_by[0], made_of + former, lambda: mlflow_view.of_run(run, used_by))
        now = {"folder": str(run.folder), "families": ", ".join(used_by)}
        now[FILES] = made_of[1] if there.tags[FILES] in former else there.tags[FILES]
        for name, text in now.items():  # it may lie elsewhere now, and more figures use it
            if text != there.tags.get(name):
                self.client.set_tag(there.run_id, name, text)
        self.known[identity] = [there._replace(tags=there.tags | now)]

    def add_figures(self, folder: Path, config: str, claims: Path, stems: Collection[str] | None = None) -> None:
        """Log a paper's figures in a folder, drawn for a config, and its judged claims if they are there.

        Args:
            stems: The figures' names without endings; if empty, nothing is logged. None: all figures.
        """
        if stems is not None and not stems:
            return
        there = [file for file in folder.iterdir() if stems is None or file.stem in stems]
        files = sorted(file for file in (*there, claims) if file.is_file())
        commits = {draw.read_sidecar(file).commit for file in files if file.suffix == ".json" and file != claims}
        key, made_by = f"figures/{config}/{folder.name}", ", ".join(sorted(commits))
        identity = (key, platform.node(), self.user, self.results, made_by)
        drawn = round(1000 * max((file.stat().st_mtime for file in files), default=0))
        note = "Artifacts: figures, each with its caption in a `.json`, and the answers to the paper's sentences."
        tags = {"paper": folder.name, "config": config, NAME: folder.name, NOTE: note}
        made_of = sha([{file.name: seals.file_sha256(file) for file in files}, VERSION])
        self._show(identity, "figures", [made_of], lambda: View(tags, drawn, drawn, "FINISHED", files, {}, [], []))

    def add_model(self, run: Run, what: str) -> None:
        """Have MLflow show the model of a run that it has, as the logged model that has ``what`` as its tag."""
        (known,) = self.known[self.identity(run)]
        ours = {"user": self.user, "results": self.results, "model_of": what}
        every = pages(self.client.search_logged_models, [known.home])
        former = [each for each in every if ours.items() <= each.tags.items()]
        if any((each.source_run_id, each.status) == (known.run_id, "READY") for each in former):
            return
        self._see_in_place(known.home)
        loaded = learned.load(run.folder) if served.can_serve(run) else None
        view = mlflow_view.of_run(run, [])
        theirs = {NOTE: what} | {name: text for each in former for name, text in each.tags.items()}
        theirs = {name: text for name, text in theirs.items() if name == NOTE or not name.startswith("mlflow.")}
        of = known.home, served.NAME, known.run_id
        made = self.client.create_logged_model(*of, theirs | ours, view.params, run.spec.algorithm)
        if loaded:
            with tempfile.TemporaryDirectory() as place:
                files = run.summary["provenance"].get("loaded", ())
                served.write_served(loaded, Path(place, served.NAME), known.run_id, made.model_id, files)
                self.client.log_model_artifacts(made.model_id, str(Path(place, served.NAME)))
        (data,) = view.data
        on = (made.model_id, data.name, data.digest)
        metrics = [Metric(each.key, each.value, each.timestamp, each.step, *on) for each in view.last]
        self.client.log_batch(known.run_id, metrics)
        self.client.log_outputs(known.run_id, [LoggedModelOutput(made.model_id, 0)])
        if loaded:
            self._register(what, made)
        self.client.finalize_logged_model(made.model_id, "READY")
        for each in former:
            self.client.delete_logged_model_tag(each.model_id, "model_of")
        self.counts["models"] += 1

    def _register(self, what: str, model: LoggedModel) -> None:
        """Make a logged model the newest version of the registered model that is called by what it is."""
        name = re.sub(r"[^\w .,=()+-]+", "-", what)
        if not self.client.search_registered_models(f"name = '{name}'"):
            self.client.create_registered_model(name, {"user": self.user, "results": self.results})
        place, run = model.artifact_location, model.source_run_id
        self.client.create_model_version(name, place, run, model_id=model.model_id)

    def _show(self, identity: Identity, experiment: str, shas: list[str], view: Callable[[], View]) -> Known:
        """Have one run of this identity, whose hash is one of these: if none is, of the view, with the first hash.

        It is complete before those that it replaces go: an interruption leaves them to the next collector.
        """
        home = self._home(experiment)
        known = sorted(self.known[identity], key=lambda each: FILES in each.tags)
        there = next((each for each in known if each.home == home and each.tags.get(FILES) in shas), None)
        change = "kept" if there else "replaced" if any(FILES in each.tags for each in known) else "logged"
        if there is None:
            self._see_in_place(home)
            there = self._log(identity, home, shas[0], view(), known)
        for each in known:
            if each is not there:
                self.client.set_tag(each.run_id, REPLACED_BY, there.run_id)  # shown in MLflow's trash
                self.client.delete_run(each.run_id)
        self.counts[change] += 1
        self.known[identity] = [there]
        return there

    def _log(self, identity: Identity, home: str, files: str, view: View, former: list[Known]) -> Known:
        theirs = {name: text for each in former for name, text in each.tags.items() if name not in OURS}
        tags = view.tags | dict(zip(IDENTITY, identity, strict=True))
        tags |= {REPLACES: " ".join(each.run_id for each in former)} if former else {}
        tags = {name: _cut(text) for name, text in tags.items()}
        written = json.dumps({name: _short(text) for name, text in tags.items()})
        tags |= theirs | {WRITTEN: written, "mlflow.user": self.user}
        made = self.client.create_run(home, view.started, tags, tags[NAME]).info
        run_id = made.run_id
        self._keep(view.artifacts, run_id, made.artifact_uri or "")
        for data in view.data:
            self.client.log_inputs(run_id, [DatasetInput(data, [InputTag("mlflow.data.context", "training")])])
        metrics = view.metrics[::-1] if self.curves else view.last  # each key's last value first: MLflow is faster
        params = [Param(*each) for each in view.params.items()]
        self.client.log_batch(run_id, metrics[A_BATCH:])  # in calls of as many as MLflow takes
        self.client.log_batch(run_id, metrics[:A_BATCH], params, [RunTag(FILES, files)])
        self.client.set_terminated(run_id, view.status, view.ended)
        return _known(run_id, home, tags | {FILES: files})

    def _keep(self, artifacts: list[Path], run_id: str, uri: str) -> None:
        """Give a run its artifacts: to a folder without MLflow's client, which asks the database where it is."""
        place = urlsplit(uri)
        for file in artifacts:
            if place.scheme == "file":
                folder = Path(url2pathname(place.path))
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, folder / file.name)
            else:
                self.client.log_artifact(run_id, str(file))

    def _remember(self, experiments: list[str]) -> None:
        """Find our runs in these experiments."""
        wanted = f"tags.user = '{self.user}' AND tags.results LIKE '{self.results}%'"
        for run in pages(self.client.search_runs, experiments, wanted) if experiments else ():
            identity = tuple(run.data.tags.get(name, "") for name in IDENTITY)
            there = _known(run.info.run_id, run.info.experiment_id, run.data.tags)
            if run.info.status == "RUNNING":  # a collector was interrupted
                there.tags.pop(FILES, None)
            self.known[identity].append(there)

    def _home(self, name: str, view: str = "") -> str:
        """The id of the experiment, with a view if it has none of ours; one that was deleted comes back."""
        views = views_of_measures()
        found = self.experiments.get(name) or self.client.get_experiment_by_name(name)
        if found is None:
            place = self.folder and (self.folder / "mlartifacts" / re.sub(r"[^\w.=-]+", "-", name)).as_uri()
            kind = {"mlflow.experimentKind": "custom_model_development"}  # its page opens on runs, not on traces
            tags = kind | {FAMILY: name, NOTE: mlflow_view.GUIDE, VIEW_TAG: view or views[1]}
            made = self.client.create_experiment(name, place, tags)
            found = self.client.get_experiment(made)
        elif view and found.tags.get(VIEW_TAG) not in views:
            self.client.set_experiment_tag(found.experiment_id, VIEW_TAG, view)
            found = self.client.get_experiment(found.experiment_id)
        if found.lifecycle_stage == "deleted":
            self.client.restore_experiment(found.experiment_id)
            found = self.client.get_experiment(found.experiment_id)
            self._remember([found.experiment_id])
        self.experiments[name] = found
        return found.experiment_id

    def _see_in_place(self, home: str) -> None:
        """Refuse to add to an experiment of a SQLite file that moved: MLflow keeps where its artifacts were."""
        experiment = self.client.get_experiment(home)
        place = urlsplit(experiment.artifact_location)
        kept = Path(url2pathname(place.path))
        is_ours = place.scheme == "file" and "mlartifacts" in kept.parts  # a user may have chosen another place
        if self.file and is_ours and self.folder not in kept.parents:
            raise UserError(
                f"{self.file} moved: its experiment {experiment.name!r} keeps artifacts in {kept}. Move it back, "
                f"or delete {self.file.name} and mlartifacts beside it, and track again; what you wrote in MLflow "
                "is then gone"
            )


def _known(run_id: str, home: str, tags: dict[str, str]) -> Known:
    """A run of MLflow's with these tags; its name, description and colour are tags that users may change."""
    try:
        written = {name: str(shas).split() for name, shas in json.loads(tags.get(WRITTEN, "{}")).items()}
    except (ValueError, AttributeError):  # somebody wrote into it: all is theirs then
        written = {}
    names = {name for name in tags if name in (NAME, NOTE, COLOUR) or not name.startswith("mlflow.")}
    theirs = {name for name in names if _short(tags[name]) not in written.get(name, [])}
    return Known(run_id, home, {name: tags[name] for name in tags if name in OURS or name in theirs})


def _cut(text: str) -> str:
    """The text of a tag, of a length that databases take."""
    return text if len(text) <= LONGEST_TAG else f"{text[: LONGEST_TAG - 4]} ..."


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


def pages(search: Callable[..., Any], *args: Any) -> Iterator[Any]:
    """All that a search of MLflow's finds."""
    token: str | None = None
    while token != "":
        page = search(*args, max_results=1000, page_token=token)
        yield from page
        token = page.token or ""


def _user() -> str:
    """The account that collects; what MLflow's filters would stumble on is written as ``_``."""
    try:
        return re.sub(r"[^\w.@+-]", "_", getpass.getuser())
    except (KeyError, OSError):  # a container's account without a name
        return str(os.getuid())


def results_id() -> str:
    """The id of this results folder, by which runs of several folders are told apart; it moves with the folder."""
    file = results.root() / "results-id.json"
    if not file.exists():
        write_atomically(file, json.dumps({"id": uuid.uuid4().hex}) + "\n")
    return documents.content(file, {"id": str}, "delete it, and the next call makes one")["id"]
