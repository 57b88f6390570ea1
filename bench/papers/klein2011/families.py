"""All learners side by side: each learner's properties, test error, seconds and certified gap."""

import numpy as np

from structbench.bench.drawing import colours, curves, plotted, style
from structbench.bench.papers.intervals import interval
from structbench.bench.papers.klein2011.runs import GROUPS, Scale, Task, Way
from structbench.bench.papers.measured import last
from structbench.bench.papers.panels import cell
from structbench.bench.papers.terms import Drawn, Registry, Rows, Run, Runs, Spec
from structbench.datasets import DataRef

draws = Registry()
MARKS = {"likelihood": "D", "0-1": "v", "hinge": "s", "log": "o"}  # of the loss; hollow in the dual form
HOLLOW = {"primal": {}, "dual": {"markerfacecolor": "white"}}
ROW, NAMES = 0.27, 2.6  # inches: the height of a row, the width of the names


def specs(task: Task) -> list[Spec]:
    """Return all runs of a task that are shown."""
    return [spec for way in task.ways() for spec in first_repetitions(task, way)]


def first_repetitions(task: Task, way: Way) -> list[Spec]:
    """Return the first repetitions of a learner."""
    return task.specs(way)[: task.shown]


@draws("table-families")
def table_families(scale: Scale, runs: Runs) -> Rows:
    return [
        _row(task, way, runs.present(first_repetitions(task, way)), every)
        for task in scale.tasks
        for every in [runs.present(specs(task))]
        for way in task.ways()
    ]


def _row(task: Task, way: Way, found: list[Run], every: list[Run]) -> dict[str, str]:
    def read(name: str) -> np.ndarray:
        return np.array([run.summary[name] for run in found] or [np.nan], float)

    errors = interval([last(run, "test_error") for run in found] or [np.nan])
    several = len({run.key for run in found}) > 1 and np.isfinite(errors.high)
    spread = f" +- {100 * (errors.high - errors.mean):.2f}" if several else ""
    return {
        "task": task.stem,
        "learner": way.name,
        "loss": way.judged_by,
        "regularisation": way.regularised,
        "form": way.form,
        "inference": way.inference,
        "C": f"{way.C:g}" if way.loss and way.penalty != "none" else "-",
        "test error, %": cell(errors.mean, ".2f", 100) + spread,
        "CPU s": cell(np.median(read("cpu_seconds")), ".3g"),
        "passes": cell(np.median(read("passes")), ".3g"),
        "gap, %": cell(read("relative_gap").max(), ".3g", 100),
        "above bound, %": cell(above_bound(found, every), ".3g", 100),
    }


def above_bound(found: list[Run], every: list[Run]) -> float:
    """Return the largest (primal - bound) / primal, by the greatest dual value of all runs of the same problem."""
    above = []
    for run in found:
        same = [each for each in every if _problem(each) == _problem(run)]
        primal = last(run, "primal")
        above.append((primal - curves.optimum(same).dual) / abs(primal) if primal else np.nan)
    return float(np.maximum(above or [np.nan], 0.0).max())


def _problem(run: Run) -> tuple[DataRef, str, str, float]:
    """Return what a run minimises: a certificate is for one problem."""
    return run.spec.data, run.spec.loss, run.spec.penalty, run.spec.C


@draws("families")
def families(scale: Scale, runs: Runs) -> Drawn:
    learned = {way for task in scale.tasks for way in task.ways()}
    ways = [way for way in reversed(GROUPS["families"]) if way in learned]
    width = 1.8 + NAMES / (2 * len(scale.tasks))
    figure, panels = style.panels(1, 2 * len(scale.tasks), height=ROW * len(ways) + 1.2, width=width)
    for (left, right), task in zip(panels[0].reshape(-1, 2), scale.tasks, strict=True):
        for place, way in reversed([*enumerate(ways)]):
            if way not in task.ways():
                for axes in (left, right):
                    at = {"transform": axes.get_yaxis_transform(), "ha": "center", "va": "center"}
                    axes.text(0.5, place, "not for this data", fontsize=7.5, color="#777777", **at)
            elif found := runs.present(first_repetitions(task, way)):
                look = {"color": colours.colour(way.algorithm), "marker": MARKS[way.judged_by], "markersize": 5}
                look |= HOLLOW[way.form] | {"label": way.name, "linewidth": 1.2, "linestyle": "none"}
                errors = interval([100 * last(run, "test_error") for run in found])
                off = errors.high - errors.mean if np.isfinite(errors.high) else 0.0
                plotted.error_bars(left, [errors.mean], [place], xerr=[off], **look)
                seconds = np.array([run.summary["cpu_seconds"] for run in found], float)
                ends = [[np.median(seconds) - seconds.min()], [seconds.max() - np.median(seconds)]]
                plotted.error_bars(right, [np.median(seconds)], [place], xerr=ends, **look)
        left.set(title=task.name, xlabel="test error (%)")
        right.set(title=" ", xlabel="CPU seconds")
        if right.containers:
            style.log_ticks(right.xaxis)
    for k, axes in enumerate(panels[0]):
        axes.set_ylim(-0.6, len(ways) - 0.4)
        axes.margins(x=0.06)
        if k == 0:
            plotted.ticks(axes.yaxis, range(len(ways)), [_name(way) for way in ways])
        else:
            axes.set_yticks(range(len(ways)), [])
    _legend(figure)
    return figure


def _name(way: Way) -> str:
    """Name the learner and what its colour and mark do not say."""
    regularised = "" if way.regularised == "no" else f"{way.regularised}, "
    return f"{way.name} ({regularised}{way.inference})"


def _legend(figure: Drawn) -> None:
    from matplotlib.lines import Line2D

    look = {"color": style.INK, "linestyle": "none", "markersize": 5}
    names = {loss: loss if loss == "likelihood" else f"{loss} loss" for loss in MARKS}
    entries = {names[loss]: Line2D([], [], marker=mark, **look) for loss, mark in MARKS.items()}
    entries |= {form: Line2D([], [], marker="o", **look | hollow) for form, hollow in HOLLOW.items()}
    style.legend_above(figure, entries)
