"""What MLflow shows of a run, and of a paper's figures: names, parameters, tags, metrics, descriptions.

MLflow drops no point of a metric and changes no parameter. If you give one another meaning, give it another name.
"""

import base64
import json
import math
import zlib
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from structbench.bench.runs.spec import fields_of
from structbench.bench.runs.store import Run, file_sha256

MAX_POINTS = 200  # a metric; the complete curve is an artifact
PERCENTAGES = ("test_error", "test_f1", "train_error", "train_f1")
ONCE = (  # in the summary, not on the curve
    *("train_error", "train_f1", "setup_seconds", "calibration_passes", "peak_memory", "num_nonzero"),
    "weights_memory",
)
ARTIFACT = "get-artifact?path={path}&run_uuid={run_id}"  # MLflow's address of an artifact

UNITS = """\
[Convergence](#/experiments/{experiment_id}/runs?compareRunsMode=CHART&workflowType=machine_learning&\
viewStateShareKey=convergence) charts all runs against passes and seconds. In other charts, steps are thousandths
of an effective pass: as many inference calls as there are training examples, line-search retries included.

- `primal`: the sum of the losses plus the penalty, C/2 times the squared norm of the weights if the parameter
  `penalty` is `l2`; `dual`: a lower bound on its minimum; `gap`: their difference, which certifies how far
  `primal` can be from optimal; `relative_gap`: `gap` divided by `primal`.
- `wall_seconds`, `cpu_seconds`: the algorithm's own time, without evaluation and compilation; `setup_seconds`:
  those of them before its first step.
- `*_percent`: percentages; `train_*` once, of the last weights.
- A run that diverged has the status Failed and its tag `status` says so. Values that are not finite are left
  out, and counted in the tag `non_finite_points`; the artifact `curve.csv` has the whole curve."""
COLUMNS = (
    "tags.`status`",
    *(f"metrics.`{name}`" for name in ("relative_gap", "primal", "test_error_percent", "passes", "wall_seconds")),
    *(f"params.`{name}`" for name in ("data", "loss", "C", "algorithm", "seed")),
)
CHARTS = tuple(  # metric, x-axis, scale of the y-axis
    (metric, x, scale)
    for metric, scale in (("relative_gap", "log"), ("primal", "linear"), ("test_error_percent", "linear"))
    for x in ("passes", "wall_seconds")
)
FIGURES = "The figures of each paper, in the description of its run; their captions are in the report."
FAMILY = "family"  # the tag of an experiment that has its name, even after users have renamed it
LONGEST_NOTE = 8000  # characters that MLflow keeps of a tag
RUN_ID = "0" * 32  # as long as MLflow's id of a run


class Point(NamedTuple):
    """One value of one metric."""

    key: str
    value: float
    timestamp: int  # milliseconds since 1970
    step: int  # thousandths of an effective pass


@dataclass(frozen=True)
class View:
    """A run as MLflow shows it. In a description, ``{run_id}`` stands for MLflow's id of the run."""

    name: str
    tags: dict[str, str]
    description: str
    started: int  # milliseconds since 1970
    ended: int
    failed: bool = False
    params: dict[str, str] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    artifacts: dict[str, Path | str] = field(default_factory=dict)  # name -> file, or its text
    data: dict[str, str] | None = None  # name, digest, source and profile of the data set

    @property
    def shas(self) -> tuple[str, str, str]:
        """Hashes of the points, of the artifacts, and of all else."""
        artifacts = self.artifacts.items()
        files = {name: each if isinstance(each, str) else file_sha256(each) for name, each in artifacts}
        rest = replace(self, points=[], artifacts={})
        return sha(self.points), sha(files), sha(vars(rest))


def of_run(run: Run, families: list[str]) -> View:
    """The view of a run that the figure families ``families`` use.

    Raises:
        UserError: The curve cannot be read.
    """
    spec, summary, provenance = run.spec, run.summary, run.summary["provenance"]
    started = round(run.started * 1000)
    ended = started + round((summary["wall_seconds"] or 0) * 1000)
    points, left_out = _curve_points(run, started)
    tags = _tags(run) | {"families": ", ".join(families)}
    if left_out:
        tags["non_finite_points"] = ", ".join(f"{name}: {count}" for name, count in left_out.items())
    return View(
        name=_name(run),
        tags=tags,
        description=f"**{summary['status']}**: {summary['message']}\n\n```\n{run.command}\n```\n",
        started=started,
        ended=ended,
        failed=summary["status"] == "diverged",
        params=_params(spec),
        points=points + _points_once(summary, ended),
        artifacts={
            "spec.json": run.folder / "spec.json",
            "summary.json": run.folder / "summary.json",
            "curve.csv": run.curve.to_csv(index=False),
        },
        data={
            "name": spec["data"],
            "digest": provenance["data_sha256"][:16],
            "source": json.dumps({"tags": {"mlflow.source.name": f"python -m bench data show {spec['data']}"}}),
            "profile": json.dumps({name: summary[name] for name in ("num_examples", "num_weights")}),
        },
    )


def experiment_tags(name: str, experiment_id: str) -> dict[str, str]:
    """What an experiment shows apart from its runs: a description, and a saved view of charts and columns."""
    tags = {FAMILY: name, "mlflow.experimentKind": "custom_model_development"}  # opens on the runs, not on traces
    if name == "figures":
        return tags | {"mlflow.note.content": FIGURES}
    note = UNITS.replace("{experiment_id}", experiment_id)
    return tags | {"mlflow.note.content": note, "mlflow.sharedViewState.convergence": _saved_view()}


def _saved_view() -> str:
    """What MLflow's UI stores when a user saves a view: JSON whose state is compressed JSON."""
    given = {"deleted": False, "isGenerated": False}
    every = given | {
        "type": "LINE", "metricSectionId": "convergence", "xAxisKey": "metric", "xAxisScaleType": "linear",
        "yAxisKey": "metric", "yAxisExpressions": [], "lineSmoothness": 0, "range": {}, "runsCountToCompare": 10,
        "useGlobalXaxisKey": False, "useGlobalLineSmoothing": True,
    }  # fmt: skip
    charts = [
        every
        | {"uuid": f"chart{number}", "displayName": metric, "metricKey": metric}
        | {"selectedXAxisMetricKey": x, "scaleType": scale}
        for number, (metric, x, scale) in enumerate(CHARTS)
    ]
    section = given | {"uuid": "convergence", "name": "Convergence", "display": True, "isReordered": True}
    state = {
        "selectedColumns": COLUMNS,
        "orderByKey": "attributes.start_time",
        "orderByAsc": False,
        "compareRunCharts": charts,
        "compareRunSections": [section],
        "runsHiddenMode": "FIRST_20_RUNS",
    }
    packed = base64.b64encode(zlib.compress(json.dumps(state).encode())).decode()
    return json.dumps({"name": "Convergence", "createdAt": 0, "updatedAt": 0, "state": f"deflate;{packed}"})


def of_figures(folder: Path, config: str) -> View:
    """The view of a paper's figures in ``folder``, drawn for a config. A note holds titles and images."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    sidecars = [file for file in files if file.suffix == ".json"]
    note = "Captions are in each figure's `.json` under Artifacts, beside its PDF, SVG and PNG.\n"
    for k, file in enumerate(sidecars):
        image = ARTIFACT.replace("{path}", quote(f"{file.stem}.png"))
        entry = f"\n#### {json.loads(file.read_text())['title']}\n\n![{file.stem}]({image})\n"
        rest = f"\n{len(sidecars) - k} more figures are under Artifacts.\n"
        if len((note + entry + rest).replace("{run_id}", RUN_ID)) > LONGEST_NOTE:
            note += rest
            break
        note += entry
    drawn = round(max(file.stat().st_mtime for file in files) * 1000) if files else 0
    tags = {"paper": folder.name, "config": config}
    return View(folder.name, tags, note, drawn, drawn, artifacts={f.name: f for f in files})


def _name(run: Run) -> str:
    """``eg C=10 order=cyclic``: what tells the runs of one experiment apart."""
    _, _, C, algorithm, *rest = fields_of(run.key)
    name, *given = algorithm.replace(":", ",").split(",")
    said = [field for field in rest if field.partition("=")[0] not in ("passes", "gap", "seconds")]
    strength = [] if C is None else [f"C={_text(run.spec['C'])}"]
    return " ".join([name, *strength, *(unquote(word) for word in (*given, *said))])


def _params(spec: dict[str, Any]) -> dict[str, str]:
    """The specification, flat. A parameter of the algorithm that is named as a field of the spec gets a prefix."""
    flat = {name: value for name, value in spec.items() if name != "params"}
    for name, value in spec["params"].items():
        flat[f"{spec['algorithm']}.{name}" if name in spec else name] = value
    return _texts(flat)


def _tags(run: Run) -> dict[str, str]:
    summary, provenance = run.summary, run.summary["provenance"]
    tags = {"folder": str(run.folder), "status": summary["status"]}
    tags |= {name: value for name, value in provenance.items() if name not in ("started", "code_sha256")}
    tags |= {f"note.{name}": value for name, value in summary["notes"].items()}
    tags |= {"mlflow.source.name": "python -m bench run", "mlflow.source.type": "LOCAL"}
    tags["mlflow.source.git.commit"] = provenance["git_commit"].removesuffix("+")
    return _texts(tags)


def _curve_points(run: Run, started: int) -> tuple[list[Point], dict[str, int]]:
    """The finite points of at most MAX_POINTS checkpoints, and how many others there are, by metric.

    A column without any finite number does not apply to this run, and is not counted.
    """
    curve = run.curve.iloc[_evenly(run.curve["passes"].to_numpy())]
    steps = (curve["passes"] * 1000).round().astype(int).tolist()
    times = (started + (curve["wall_seconds"] * 1000).round().astype(int)).tolist()
    points: list[Point] = []
    left_out: dict[str, int] = {}
    on_one_strength = [name for name in ("C",) if name in curve and curve[name].nunique() == 1]
    for column in curve.columns.drop(["visits", *on_one_strength]):
        finite = np.isfinite(run.curve[column])
        if finite.any() and not finite.all():
            left_out[column] = int((~finite).sum())
        name, scale = _metric(column)
        rows = zip(curve[column].tolist(), times, steps, strict=True)
        points += [Point(name, value * scale, time, step) for value, time, step in rows if math.isfinite(value)]
    return points, left_out


def _evenly(passes: np.ndarray) -> np.ndarray:
    """At most MAX_POINTS rows, first and last among them, evenly spaced in the logarithm of passes."""
    if len(passes) <= MAX_POINTS:
        return np.arange(len(passes))
    wanted = np.geomspace(passes[passes > 0][0], passes[-1], MAX_POINTS - 2)
    return np.unique([0, *np.searchsorted(passes, wanted).clip(max=len(passes) - 1), len(passes) - 1])


def _points_once(summary: dict[str, Any], ended: int) -> list[Point]:
    """What is known once: at step 0, which MLflow draws as a bar per run."""
    known = [(*_metric(column), summary[column]) for column in ONCE if summary.get(column) is not None]
    return [Point(name, value * scale, ended, 0) for name, scale, value in known]


def _metric(column: str) -> tuple[str, float]:
    return (f"{column}_percent", 100.0) if column in PERCENTAGES else (column, 1.0)


def _texts(values: dict[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    return value if isinstance(value, str) else json.dumps(value)


def sha(value: Any) -> str:
    """The start of the SHA-256 of what JSON can hold."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
