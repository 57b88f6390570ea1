"""Make a run of MLflow show a view. What users added to the run or changed in it stays."""

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
    from mlflow.entities import Run as Logged

METRICS, TEXTS = 800, 100  # metrics, and parameters or tags, a call; MLflow's limits are 1000 in all and 100
NAME, NOTE = "mlflow.runName", "mlflow.note.content"
NONE: Mapping[str, str] = MappingProxyType({})


def kept(run: "Logged") -> dict[str, str]:
    """What users wrote at a run that another one replaces: tags, a name, a description."""
    tags = written.users(run.data.tags)
    return {name: tags[name] for name in tags if name in (NAME, NOTE) or not name.startswith("mlflow.")}


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
    _log_batch(client, run_id, tags={written.CONTENT: "-".join(view.shas), written.FILES: files})


def _amend(client: "MlflowClient", run: "Logged", view: View, more: dict[str, str], shown: list[str]) -> None:
    run_id, (points, artifacts, _) = run.info.run_id, view.shas
    if view.data:
        from mlflow.entities import Dataset, DatasetInput, InputTag

        data = Dataset(**view.data)
        client.log_inputs(run_id, datasets=[DatasetInput(data, [InputTag("mlflow.data.context", "training")])])
    if artifacts not in shown:
        _log_artifacts(client, run_id, view.artifacts)
    note = view.description.replace("{run_id}", run_id)
    changed, gone = written.changes(run.data.tags, view.tags | more | {NAME: view.name, NOTE: note})
    if name := changed.pop(NAME, None):
        client.update_run(run_id, name=name)
    params = {name: value for name, value in view.params.items() if name not in run.data.params}
    new = [] if points in shown else _new_points(client, run, view.points)
    if not run.data.metrics and bulk.log(client, run_id, new):
        new = []
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


def _log_artifacts(client: "MlflowClient", run_id: str, artifacts: dict[str, Path | str]) -> None:
    with tempfile.TemporaryDirectory() as together:  # one call for all: each asks the database for a place
        for name, content in artifacts.items():
            if isinstance(content, Path):
                shutil.copyfile(content, Path(together, name))
            else:
                Path(together, name).write_text(content, encoding="utf-8")
        client.log_artifacts(run_id, together)


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
