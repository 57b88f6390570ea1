"""The saved views of an experiment: charts and columns, in the tags that MLflow's page writes for users.

One view is of all runs. If they have several C, each C has a view of its own.
"""

import base64
import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.runs.store import Run


class Chart(NamedTuple):
    """``column``: of a summary, None if a run has no such metric. ``scale``: of the y-axis."""

    name: str
    metric: str
    column: str
    scale: str


TAG, ALL = "mlflow.sharedViewState.", "convergence"
MOST = 12  # views of one C each; with more values of C there is the view of all runs alone
COLUMNS = (  # few, as MLflow puts all metrics before all parameters
    *(f"params.`{name}`" for name in ("algorithm", "C")),
    *(f"metrics.`{name}`" for name in ("test_error_percent", "relative_gap")),
    "tags.`status`",
)
CHARTS = (
    Chart("gap", "relative_gap", "relative_gap", "log"),
    Chart("primal", "primal", "primal", "log"),
    Chart("test error", "test_error_percent", "test_error", "linear"),
)
EVERY = {
    "deleted": False, "isGenerated": False, "type": "LINE", "metricSectionId": ALL, "lineSmoothness": 0,
    "range": {},
    "runsCountToCompare": 20, "useGlobalXaxisKey": False, "useGlobalLineSmoothing": False,
    "xAxisScaleType": "linear", "xAxisKey": "metric", "yAxisKey": "metric", "yAxisExpressions": [],
}  # fmt: skip


def of(runs: Iterable[Run]) -> dict[str, str]:
    """Tag -> view, of an experiment with these runs."""
    members = [*runs]
    strengths = sorted({run.spec["C"] for run in members if run.spec["loss"] != NO_LOSS})
    views = {ALL: _view("Convergence", members)}
    for C in strengths if 1 < len(strengths) <= MOST else ():
        some = [run for run in members if run.spec["C"] == C and run.spec["loss"] != NO_LOSS]
        views[f"{ALL}-C-{C:.12g}"] = _view(f"Convergence, C = {C:.12g}", some, f"params.C = '{C:.12g}'")
    return {f"{TAG}{name}": view for name, view in views.items()}


def title(key: str) -> str:
    """What a view is called, whose tag ends so."""
    return key.capitalize() if key == ALL else f"C = {key.removeprefix(f'{ALL}-C-')}"


def strength(key: str) -> float:
    """The C of a view whose tag ends so; less than any if it is of all."""
    try:
        return float(key.removeprefix(f"{ALL}-C-"))
    except ValueError:
        return -1.0


def is_of_one_C(tag: str) -> bool:
    """Whether a tag is the view of one C."""
    return tag.startswith(f"{TAG}{ALL}-C-")


def _view(name: str, runs: list[Run], chosen: str = "") -> str:
    """JSON whose state is compressed JSON, as the page has it. ``chosen``: the filter of runs."""
    state = {
        "selectedColumns": COLUMNS,
        "orderByKey": "attributes.start_time",
        "orderByAsc": False,
        "searchFilter": chosen,
        "compareRunCharts": _charts(runs),
        "compareRunSections": [
            {"uuid": ALL, "name": "Convergence", "display": True, "isReordered": True, "columns": 2}
            | {"deleted": False, "isGenerated": False}
        ],
        "runsHiddenMode": "FIRST_20_RUNS",
    }
    packed = base64.b64encode(zlib.compress(json.dumps(state).encode())).decode()
    return json.dumps({"name": name, "createdAt": 0, "updatedAt": 0, "state": f"deflate;{packed}"})


def _charts(runs: list[Run]) -> list[dict[str, Any]]:
    """Two charts a row: against passes and against seconds. A metric that no run has gets none."""
    rows = [
        chart for chart in CHARTS if not runs or any(run.summary.get(chart.column) is not None for run in runs)
    ]
    pairs = [(chart, x) for chart in rows for x in ("passes", "wall_seconds")]
    return [
        EVERY
        | {"uuid": f"chart{number}", "displayName": chart.name, "metricKey": chart.metric}
        | {"scaleType": chart.scale, "selectedXAxisMetricKey": x}
        for number, (chart, x) in enumerate(pairs)
    ]
