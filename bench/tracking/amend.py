"""Make a run of MLflow show a view, a new one or one that is there. What users added or changed stays."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from structbench.bench.tracking import bulk, written
from structbench.bench.tracking.mlflow_view import Point, View

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment
    from mlflow.entities import Run as Logged

METRICS, TEXTS = 800, 100  # metrics, and parameters or tags, a call; MLflow's limits are 1000 in all and 100
NAME, NOTE = "mlflow.runName", "mlflow.note.content"
NONE: Mapping[str, str] = MappingProxyType({})


def kept(run: "Logged") -> dict[str, str]:
    """What users wrote at a run that another one replaces: tags, a name, a description."""
    tags = written.users(run.data.tags)
    return {name: tags[name] for name in tags if name in (NAME, NOTE) or not name.startswith("mlflow.")}


def add(
    client: "MlflowClient",
    experiment: "Experiment",
    view: View,
    more: dict[str, str],
    first: dict[str, str],
    files: str,
) -> str | None:
    """Add a run that shows the view and the tags ``more``; its id. None: that has to be done step by step.

    Args:
        first: The tags that it begins with, users' among them; ``NAME`` is one.
        files: As of ``amend``.
    """
    place = bulk.place(client, experiment)
    if place is None:
        return None
    place.folder.mkdir(parents=True)
    try:
        _write_artifacts(place.folder, view.artifacts)
        changed, _ = written.changes(first, _tags(view, more, place.run_id))
        bulk.add(client, experiment, place, view, first | changed | _shas(view, files))
    except BaseException:
        shutil.rmtree(place.folder.parent, ignore_errors=True)
        raise
    return place.run_id


def amend(client: "MlflowClient", run: "Logged", view: View, more: dict[str, str], files: str) -> None:
    """Have the run show the view and the tags ``more``, if it does not; ``files``: what the view was made of.

    Points of metrics are only added, and parameters keep their values, as MLflow has it.
    """
    run_id, tags = run.info.run_id, run.data.tags
    shown = tags.get(written.CONTENT, "").split("-")
    if shown != [*view.shas]:
        if shown != [""]:
            _log_batch(client, run_id, tags={written.CONTENT: "", written.FILES: ""})
        _amend(client, run, view, more, shown)
    _log_batch(client, run_id, tags=_shas(view, files))


def _tags(view: View, more: dict[str, str], run_id: str) -> dict[str, str]:
    """The tags that a run is to have; ``_shas`` come last."""
    return view.tags | more | {NAME: view.name, NOTE: view.description.replace("{run_id}", run_id)}


def _shas(view: View, files: str) -> dict[str, str]:
    """The tags that say what a run shows: one without them is not complete."""
    return {written.CONTENT: "-".join(view.shas), written.FILES: files}


def _amend(client: "MlflowClient", run: "Logged", view: View, more: dict[str, str], shown: list[str]) -> None:
    run_id, (points, artifacts, _) = run.info.run_id, view.shas
    if view.data:
        from mlflow.entities import Dataset, DatasetInput, InputTag

        data = Dataset(**view.data)
        client.log_inputs(run_id, datasets=[DatasetInput(data, [InputTag("mlflow.data.context", "training")])])
    if artifacts not in shown:
        with tempfile.TemporaryDirectory() as together:  # one call for all: each asks the database for a place
            _write_artifacts(Path(together), view.artifacts)
            client.log_artifacts(run_id, together)
    changed, gone = written.changes(run.data.tags, _tags(view, more, run_id))
    if name := changed.pop(NAME, None):
        client.update_run(run_id, name=name)
    params = {name: value for name, value in view.params.items() if name not in run.data.params}
    new = [] if points in shown else _new_points(client, run, view.points)
    _log_batch(client, run_id, new, params, changed)
    for name in gone:
        client.delete_tag(run_id, name)
    status = "FAILED" if view.failed else "FINISHED"
    if (run.info.status, run.info.end_time) != (status, view.ended):
        client.set_terminated(run_id, status, view.ended)


def _new_points(client: "MlflowClient", run: "Logged", points: list[Point]) -> list[Point]:
    """The points that the run does not have."""
    there = {
        (point.key, point.value, point.timestamp, point.step)
        for key in {point.key for point in points} & run.data.metrics.keys()
        for point in client.get_metric_history(run.info.run_id, key)
    }
    return [point for point in points if point not in there]


def _write_artifacts(folder: Path, artifacts: dict[str, Path | str]) -> None:
    for name, content in artifacts.items():
        if isinstance(content, Path):
            shutil.copyfile(content, folder / name)
        else:
            (folder / name).write_text(content, encoding="utf-8")


def _log_batch(
    client: "MlflowClient",
    run_id: str,
    points: Sequence[Point] = (),
    params: Mapping[str, str] = NONE,
    tags: Mapping[str, str] = NONE,
) -> None:
    from mlflow.entities import Metric, Param, RunTag

    metrics = [Metric(*point) for point in points]
    texts = [Param(*pair) for pair in params.items()], [RunTag(*pair) for pair in tags.items()]
    calls = max(-(-len(some) // most) for some, most in ((metrics, METRICS), *((some, TEXTS) for some in texts)))
    for k in range(calls):
        some = (each[k * TEXTS : (k + 1) * TEXTS] for each in texts)
        client.log_batch(run_id, metrics[k * METRICS : (k + 1) * METRICS], *some)
