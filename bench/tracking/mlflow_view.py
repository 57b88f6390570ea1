"""What MLflow shows of a run, and of a paper's figures: tags, parameters, metrics, artifacts, data."""

import json
from collections.abc import Mapping
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
from mlflow.entities import Dataset, Metric

from structbench.bench.drawing import colours
from structbench.bench.runs.spec import Spec, fields_of
from structbench.bench.runs.store import Run
from structbench.bench.tracking import served

VERSION = 5  # raise it if runs are to be shown otherwise: all are then logged again
MAX_POINTS = 200  # a metric; the complete curve is an artifact
PERCENTAGES = tuple(f"{split}_{score}" for split in ("test", "train", "validation") for score in ("error", "f1"))
ONCE = (  # in the summary, not on the curve
    *("train_error", "train_f1", "setup_seconds", "calibration_passes", "peak_memory", "num_nonzero"),
    "weights_memory",
)
DRAWN = (  # columns of a curve whose points MLflow gets; of others it gets the last value
    *("C", "passes", "wall_seconds", "cpu_seconds", "primal", "dual", "gap", "relative_gap", "weight_norm"),
    *("test_error", "test_f1", "validation_error", "validation_f1"),
)
GUIDE = """\
Click a name for one run; tick runs to compare them. Charts are behind the second button beside the search box.

C is the strength, in parameters. Errors and F1 are percentages. gap: primal - dual; relative_gap: the same divided
by the primal value. Seconds are the algorithm's own: cpu_seconds of all its threads, wall_seconds on the clock,
which mean little where the tag disturbed says why. setup_seconds are wall. A step is a thousandth of a pass."""
NAME, NOTE, COLOUR = "mlflow.runName", "mlflow.note.content", "mlflow.runColor"


class View(NamedTuple):
    """A run as MLflow shows it; times are milliseconds since 1970, and a step is a thousandth of a pass."""

    tags: dict[str, str]
    started: int
    ended: int
    status: str
    artifacts: list[Path]
    params: dict[str, str]
    metrics: list[Metric]
    data: list[Dataset]

    @property
    def last(self) -> list[Metric]:
        """The last value of each metric."""
        return [*{each.key: each for each in sorted(self.metrics, key=lambda each: each.step)}.values()]


def of_run(run: Run, families: list[str]) -> View:
    """The view of a run that these figure families use."""
    spec, summary = run.spec, run.summary
    started = round(run.started * 1000)
    ended = started + round((summary["wall_seconds"] or 0) * 1000)
    once = [_metric(name, summary[name], ended, 0) for name in ONCE if summary.get(name) is not None]
    source = json.dumps({"tags": {"mlflow.source.name": f"python -m bench data show {spec.data}"}})
    profile = json.dumps({name: summary[name] for name in ("num_examples", "num_weights")})
    return View(
        tags=_tags(run) | {"families": ", ".join(families)},
        started=started,
        ended=ended,
        status="FAILED" if summary["status"] == "diverged" else "FINISHED",
        artifacts=[run.folder / name for name in ("spec.json", "summary.json", "curve.parquet")],
        params=_params(spec),
        metrics=_metrics(run, started) + once,
        data=[Dataset(spec.data.text, summary["provenance"]["data_sha256"][:16], "code", source, profile=profile)],
    )


def no_family(run: Run) -> str:
    """The experiment of a run that no figure uses."""
    return f"{unquote(run.key.partition('__')[0])}-{run.spec.loss}"


def sha(value: Any) -> str:
    """The start of the SHA-256 of what JSON can hold."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _params(spec: Spec) -> dict[str, str]:
    """The specification, flat. A parameter of the algorithm that is named as a field of the spec gets a prefix."""
    fields = {name: value for name, value in spec.as_dict().items() if name != "params"}
    own = {f"{spec.algorithm}.{name}" if name in fields else name: value for name, value in spec.params}
    return _texts(fields | own)


def _tags(run: Run) -> dict[str, str]:
    summary, provenance, curve = run.summary, run.summary["provenance"], run.curve
    tags = {name: value for name, value in provenance.items() if name not in ("started", "code_sha256", "alone")}
    tags |= {f"note.{name}": value for name, value in summary["notes"].items()}
    tags |= {"mlflow.source.name": "python -m bench run", "mlflow.source.type": "LOCAL", "folder": str(run.folder)}
    tags["disturbed"] = run.disturbance or "no"  # whether its seconds mean something
    tags["mlflow.source.git.commit"] = provenance["git_commit"].removesuffix("+")
    tags[COLOUR] = colours.on_any_ground(run.spec.algorithm)  # of its lines, as in our figures
    lost = {name: count for name, count in (~np.isfinite(curve)).sum().items() if 0 < count < len(curve)}
    tags["non_finite_points"] = ", ".join(f"{name}: {count}" for name, count in lost.items()) or None
    _, _, C, algorithm, *rest = fields_of(run.key)
    told = [each for each in rest if not each.startswith("test=")]
    told.sort(key=lambda each: not each.startswith("seed="))
    fold = f"fold {run.spec.data.options['validation']}" if run.spec.data.folds else ""
    name = unquote(" ".join(filter(None, (algorithm, C, fold, *told))))
    said = f"{summary['status']}: {summary['message']}\n\n{run.command}"
    if run.spec.data.folds:
        said += f"\n\nNo model: {served.of_fold(run.spec)}"
    return _texts(tags | {"status": summary["status"], NAME: name, NOTE: said})


def _metrics(run: Run, started: int) -> list[Metric]:
    """The finite values at no more than MAX_POINTS checkpoints, first and last among them; C if it changes."""
    curve = {str(name): column.to_numpy() for name, column in run.curve.items() if name != "visits"}
    count = len(curve["C"])
    if len({*curve["C"]}) == 1:
        del curve["C"]
    some = np.unique(np.linspace(0, count - 1, MAX_POINTS).round().astype(int))
    steps = (curve["passes"][some] * 1000).round().astype(int).tolist()
    times = (started + (curve["wall_seconds"][some] * 1000).round().astype(int)).tolist()
    every = []
    for name in curve:
        rows = [row for row in zip(curve[name][some].tolist(), times, steps, strict=True) if isfinite(row[0])]
        every += [_metric(name, *row) for row in (rows if name in DRAWN else rows[-1:])]
    return every


def _metric(name: str, value: float, timestamp: int, step: int) -> Metric:
    if name in PERCENTAGES:
        return Metric(f"{name}_percent", round(100 * value, 3), timestamp, step)
    digits = 9 if name in ("primal", "dual") else 4
    shown = float(value if float(value).is_integer() else f"{value:.{digits}g}")  # counts stay as they are
    return Metric(name, shown, timestamp, step)


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    said = {name: f"{value:.12g}" if isinstance(value, float) else value for name, value in values.items()}
    return {name: x if isinstance(x, str) else json.dumps(x) for name, x in said.items() if x is not None}
