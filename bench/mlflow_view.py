"""What MLflow shows of a run, and of a paper's figures: names, parameters, tags, metrics, descriptions."""

import json
import math
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from bench.store import Run

MAX_POINTS = 200  # a metric; the complete curve is an artifact
PERCENTAGES = ("test_error", "test_f1", "train_error", "train_f1")
FINAL = ("primal", "dual", "gap", "relative_gap", "test_error", "test_f1", "passes", "wall_seconds", "cpu_seconds")
SUMMARY_ONLY = ("train_error", "train_f1", "setup_seconds", "calibration_passes", "num_features", "num_examples")
ARTIFACT = "get-artifact?path={path}&run_uuid={run_id}"  # MLflow's address of an artifact

UNITS = """\
**Steps are thousandths of an effective pass**: a pass is as many inference calls as there are training
examples, line-search retries included. On the x-axis, *Time (relative)* is the algorithm's own wall time:
evaluation and compilation do not count. `primal` is the sum of the losses plus C/2 times the squared norm of
the weights, `dual` a lower bound on its minimum, and `gap`, their difference, certifies how far it can be from
optimal. `*_percent` are percentages, `*_seconds` seconds, `final_*` the values at the end. Points that are not
finite are left out and counted in the tag `non_finite_points`; the artifact `curve.csv` has the whole curve."""


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


def of_run(run: Run, families: list[str]) -> View:
    """The view of a run that the figure families ``families`` use.

    Raises:
        UserError: the curve cannot be read.
    """
    spec, summary, provenance = run.spec, run.summary, run.summary["provenance"]
    started = round(_seconds(provenance["started"]) * 1000)
    ended = started + round((summary["wall_seconds"] or 0) * 1000)
    points, left_out = _curve_points(run, started)
    tags = _tags(run) | {"families": ", ".join(families)}
    if left_out:
        tags["non_finite_points"] = ", ".join(f"{name}: {count}" for name, count in left_out.items())
    return View(
        name=_name(run),
        tags=tags,
        description=f"**{summary['status']}**: {summary['message']}\n\n{UNITS}\n\n```\n{run.command}\n```\n",
        started=started,
        ended=ended,
        failed=summary["status"] == "diverged",
        params=_params(spec),
        points=points + _final_points(summary, ended, max((p.step for p in points), default=0)),
        artifacts={
            "spec.json": run.folder / "spec.json",
            "summary.json": run.folder / "summary.json",
            "curve.csv": run.curve.to_csv(index=False),
        },
        data={
            "name": spec["data"],
            "digest": provenance["data_sha256"][:16],
            "source": json.dumps({"command": f"python -m bench data show {spec['data']}"}),
            "profile": json.dumps({name: summary[name] for name in ("num_examples", "num_features")}),
        },
    )


def of_figures(folder: Path) -> View:
    """The view of the figures of one paper, drawn in ``folder``."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    lines = []
    for file in files:
        if file.suffix == ".json":
            said = json.loads(file.read_text())
            image = ARTIFACT.replace("{path}", quote(f"{file.stem}.png"))
            lines.append(f"#### {said['title']}\n\n![{file.stem}]({image})\n")
    drawn = round(max(file.stat().st_mtime for file in files) * 1000) if files else 0
    return View(folder.name, {"paper": folder.name}, "\n".join(lines), drawn, drawn, artifacts={f.name: f for f in files})


def _name(run: Run) -> str:
    """``eg order=cyclic C=10 seed=0``: what tells the runs of one experiment apart."""
    algorithm, *rest = run.key.split("__")[3:]
    said = [field for field in rest if field.partition("=")[0] not in ("passes", "gap", "seconds", "seed")]
    words = [unquote(word) for word in (*algorithm.replace(":", ",").split(","), *said)]
    return " ".join([*words, f"C={_text(run.spec['C'])}", f"seed={run.spec['seed']}"])


def _params(spec: dict[str, Any]) -> dict[str, str]:
    """The specification, flat; a parameter of the algorithm that is named as one of its fields gets a prefix."""
    flat = {name: value for name, value in spec.items() if name != "params"}
    for name, value in spec["params"].items():
        flat[f"{spec['algorithm']}.{name}" if name in spec else name] = value
    return _texts(flat)


def _tags(run: Run) -> dict[str, str]:
    spec, summary, provenance = run.spec, run.summary, run.summary["provenance"]
    tags = {name: spec[name] for name in ("data", "loss", "algorithm", "C")}
    tags |= {"folder": str(run.folder), "status": summary["status"], "message": summary["message"]}
    tags |= {name: value for name, value in provenance.items() if name != "started"}
    tags |= {f"note.{name}": value for name, value in summary["notes"].items()}
    tags |= {"mlflow.source.name": "python -m bench run", "mlflow.source.git.commit": provenance["git_commit"]}
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
    for column in curve.columns.drop("visits"):
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


def _final_points(summary: dict[str, Any], ended: int, step: int) -> list[Point]:
    points = []
    for column in FINAL + SUMMARY_ONLY:
        name, scale = _metric(column)
        if summary.get(column) is not None:
            points.append(Point(f"final_{name}", summary[column] * scale, ended, step))
    return points


def _metric(column: str) -> tuple[str, float]:
    return (f"{column}_percent", 100.0) if column in PERCENTAGES else (column, 1.0)


def _seconds(started: str | float) -> float:
    return datetime.fromisoformat(started).timestamp() if isinstance(started, str) else started


def _texts(values: dict[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    return value if isinstance(value, str) else json.dumps(value)
