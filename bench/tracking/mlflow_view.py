"""What MLflow shows of a run, and of a paper's figures: names, parameters, tags, metrics, descriptions.

MLflow drops no point of a metric and changes no parameter. If you give one another meaning, give it another name.
"""

import json
import math
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from structbench import datasets
from structbench.bench.drawing import colours, sidecars
from structbench.bench.papers import judged
from structbench.bench.runs import problems
from structbench.bench.runs.spec import fields_of
from structbench.bench.runs.store import Run, file_sha256
from structbench.bench.tracking import saved_views

MAX_POINTS = 200  # a metric; the complete curve is an artifact
PERCENTAGES = ("test_error", "test_f1", "train_error", "train_f1")
ONCE = (  # in the summary, not on the curve
    *("train_error", "train_f1", "setup_seconds", "calibration_passes", "peak_memory", "num_nonzero"),
    "weights_memory",
)
ARTIFACT = "get-artifact?path={path}&run_uuid={run_id}"  # MLflow's address of an artifact

UNITS = """\
Views > Convergence, at the top right, charts all runs against passes and seconds; views below are of one C.
Steps are thousandths of a pass, which is as many inference calls as there are training examples.
primal is the sum of the losses plus the penalty, dual a lower bound on its minimum, gap their difference,
relative_gap that divided by the primal value. wall_seconds and cpu_seconds are the algorithm's own time, without
evaluation and compilation, setup_seconds those before its first step. Names with percent are percentages, and
those with train are of the last weights. A run that diverged has failed: its tag status says so. Values that are
not finite are left out, and counted in the tag non_finite_points; the artifact curve.csv has the whole curve."""
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

    @cached_property
    def shas(self) -> tuple[str, str, str]:
        """Hashes of the points, of the artifacts, and of all else."""
        artifacts = self.artifacts.items()
        files = {name: each if isinstance(each, str) else file_sha256(each) for name, each in artifacts}
        rest = {each.name: getattr(self, each.name) for each in fields(self)} | {"points": [], "artifacts": {}}
        return sha(self.points), sha(files), sha(rest)


def of_run(run: Run, families: list[str], common: Collection[str] = ()) -> View:
    """The view of a run that the figure families ``families`` use.

    Args:
        common: The words of its name that all runs of its experiment share; they come last.

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
        name=_name(run, common),
        tags=tags,
        description=f"{summary['status']}: {summary['message']}\n\n{run.command}",
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
        data=_source(spec["data"], spec["test"])
        | {
            "name": spec["data"],
            "digest": provenance["data_sha256"][:16],
            "profile": json.dumps({name: summary[name] for name in ("num_examples", "num_weights")}),
        },
    )


def _source(data: str, test: str | None) -> dict[str, str]:
    """Where MLflow reads a data set back: the user's file, or the arrays of the built problem if they are here."""
    path = datasets.parse(data).path
    place = problems.folder(data, test) if path is None else Path(datasets.one_path(path, os.getcwd()))
    if place.exists():
        return {"source_type": "local", "source": json.dumps({"uri": str(place.resolve())})}
    made = {"mlflow.source.name": f"python -m bench data show {data}"}
    return {"source_type": "code", "source": json.dumps({"tags": made})}


def experiment_tags(name: str, members: Iterable[Run] = ()) -> dict[str, str]:
    """What an experiment with these runs shows apart from them: a description, and saved views."""
    tags = {FAMILY: name, "mlflow.experimentKind": "custom_model_development"}  # opens on the runs, not on traces
    if name == "figures":
        return tags | {"mlflow.note.content": FIGURES}
    return tags | {"mlflow.note.content": UNITS} | saved_views.of(members)


def of_figures(folder: Path, config: str, claims: Path | None = None) -> View:
    """The view of a paper's figures in ``folder``, drawn for a config, and of its judged claims, a JSON file.

    A note holds the titles and images.
    """
    files = sorted(file for file in folder.iterdir() if file.is_file())
    records = [file for file in files if file.suffix == ".json"]
    note = "Captions are in each figure's `.json` under Artifacts, beside its SVG and PNG.\n"
    for k, file in enumerate(records):
        image = ARTIFACT.replace("{path}", quote(f"{file.stem}.png"))
        entry = f"\n#### {sidecars.read(file).title}\n\n![{file.stem}]({image})\n"
        rest = f"\n{len(records) - k} more figures are under Artifacts.\n"
        if len((note + entry + rest).replace("{run_id}", RUN_ID)) > LONGEST_NOTE:
            note += rest
            break
        note += entry
    drawn = round(max(file.stat().st_mtime for file in files) * 1000) if files else 0
    tags = {"paper": folder.name, "config": config}
    artifacts: dict[str, Path | str] = {f.name: f for f in files}
    if claims is not None:
        artifacts |= {"answers.json": claims, "answers.txt": _answers(claims)}
    return View(folder.name, tags, note, drawn, drawn, artifacts=artifacts)


def _answers(claims: Path) -> str:
    """What came of a paper's sentences, as text."""
    said = judged.read(claims).claims
    pieces = (f"{one.verdict}: {one.claim} ({one.where})\n  {one.answer}\n" for one in said)
    return "\n".join(pieces)


def words(key: str) -> list[str]:
    """What tells the runs of one experiment apart: ``eg``, ``C=10``, ``order=cyclic``."""
    _, _, C, algorithm, *rest = fields_of(key)
    name, *given = algorithm.replace(":", ",").split(",")
    said = [field for field in rest if field.partition("=")[0] not in ("passes", "gap", "seconds")]
    strength = [] if C is None else [f"C={_text(float(C.removeprefix('C=')))}"]
    return [name, *strength, *(unquote(word) for word in (*given, *said))]


def _name(run: Run, common: Collection[str]) -> str:
    """``eg C=10 order=cyclic``: first what differs, then what all have."""
    return " ".join(sorted(words(run.key), key=lambda word: word in common))


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
    tags["mlflow.runColor"] = colours.colour(run.spec["algorithm"])  # of its lines, as in our figures
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
