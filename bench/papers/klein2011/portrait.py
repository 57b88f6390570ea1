"""The overview of the family: each learner's properties, test error, seconds and certified gap."""

from typing import Any

import numpy as np

from structbench.bench.drawing import colours, curves, plotted, style
from structbench.bench.drawing.tables import Rows
from structbench.bench.papers.intervals import interval
from structbench.bench.papers.klein2011 import readings
from structbench.bench.papers.klein2011.runs import GROUPS, Scale, Task, Way
from structbench.bench.papers.panels import Drawn
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

MARKS = {"likelihood": "D", "0-1": "v", "hinge": "s", "log": "o"}  # of the loss; hollow in the dual form
ROW, NAMES = 0.27, 2.6  # inches: the height of a row, the width of the names

Minimised = tuple[Any, ...]  # data, loss, penalty and C: a certificate is for one problem


def specs(task: Task) -> list[Spec]:
    """Return all runs of a task that the overview shows."""
    return [spec for way in task.ways() for spec in shown(task, way)]


def shown(task: Task, way: Way) -> list[Spec]:
    """Return the first repetitions of a learner; the overview shows these."""
    return task.specs(way)[: task.shown]


def table(scale: Scale, runs: Runs) -> Rows:
    """Return a row for each learner and task."""
    return [
        _row(task, way, runs.present(shown(task, way)), bounds)
        for task in scale.tasks
        for bounds in [best_bounds(runs.present(specs(task)))]
        for way in task.ways()
    ]


def problem_of(run: Run) -> Minimised:
    """Return what a run minimises."""
    return tuple(run.spec[name] for name in ("data", "loss", "penalty", "C"))


def best_bounds(found: list[Run]) -> dict[Minimised, float]:
    """Return the greatest dual value of each problem over all runs; it bounds the optimum for each."""
    problems: dict[Minimised, list[Run]] = {}
    for run in (run for run in found if run.spec["loss"] is not None):
        problems.setdefault(problem_of(run), []).append(run)
    return {problem: curves.optimum(same).dual for problem, same in problems.items()}


def _row(task: Task, way: Way, found: list[Run], bounds: dict[Minimised, float]) -> dict[str, str]:
    error, seconds, gap, above, passes = ("-",) * 5
    if found:
        errors = interval([readings.last_error(run) for run in found])
        drawn = len({run.key for run in found}) > 1 and np.isfinite(errors.high)
        spread = f" +- {100 * (errors.high - errors.mean):.2f}" if drawn else ""
        error = f"{100 * errors.mean:.2f}{spread}"
        seconds = f"{np.median([run.summary['cpu_seconds'] for run in found]):.3g}"
        gap, above = certificate(found), above_bound(found, bounds)
        passes = f"{np.median([run.summary['passes'] for run in found]):.3g}"
    return {
        "task": task.stem,
        "learner": way.name,
        "loss": way.judged_by,
        "regularisation": way.regularised,
        "form": way.form,
        "inference": way.inference,
        "C": f"{way.C:g}" if way.loss and way.penalty != "none" else "-",
        "test error, %": error,
        "CPU, s": seconds,
        "passes": passes,
        "gap, %": gap,
        "above bound, %": above,
    }


def certificate(found: list[Run]) -> str:
    """Format the largest certified gap, in percent of the objective; a dash if nothing is minimised."""
    gaps = [run.summary["relative_gap"] for run in found]
    known = [gap for gap in gaps if gap is not None and np.isfinite(gap)]
    return f"{100 * max(known):.3g}" if len(known) == len(gaps) else "-"


def above_bound(found: list[Run], bounds: dict[Minimised, float]) -> str:
    """Format the largest (primal - bound) / primal, in percent; a dash if there is no bound."""
    apart = []
    for run in found:
        bound = bounds.get(problem_of(run), -np.inf)
        primal = float(run.curve["primal"].iloc[-1])
        if not np.isfinite([primal, bound]).all():
            return "-"
        apart.append((primal - bound) / abs(primal))
    return f"{100 * max(*apart, 0.0):.3g}"


def plot(scale: Scale, runs: Runs) -> Drawn:
    """Draw test error and seconds of every learner side by side."""
    learned = {way for task in scale.tasks for way in task.ways()}
    cells = {way.name: way for way in reversed(GROUPS["portrait"]) if way in learned}
    place = {name: k for k, name in enumerate(cells)}
    figure, panels = style.panels(
        1, 2 * len(scale.tasks), height=ROW * len(cells) + 1.2, width=1.8 + NAMES / (2 * len(scale.tasks))
    )
    for pair, task in zip(panels[0].reshape(-1, 2), scale.tasks, strict=True):
        for way in task.ways():
            found = runs.present(shown(task, way))
            if not found:
                continue
            look = {"color": colours.colour(way.algorithm), "marker": MARKS[way.judged_by], "markersize": 5}
            look |= {"markerfacecolor": "white"} if way.form == "dual" else {}
            look |= {"label": way.name, "linewidth": 1.2, "linestyle": "none"}
            errors = interval([100 * readings.last_error(run) for run in found])
            off = errors.high - errors.mean if np.isfinite(errors.high) else 0.0
            plotted.error_bars(pair[0], [errors.mean], [place[way.name]], xerr=[off], **look)
            seconds = np.array([run.summary["cpu_seconds"] for run in found], float)
            middle = float(np.median(seconds))
            reach = [[middle - seconds.min()], [seconds.max() - middle]]
            plotted.error_bars(pair[1], [middle], [place[way.name]], xerr=reach, **look)
        for name in cells.keys() - {way.name for way in task.ways()}:
            for axes in pair:
                at = {"transform": axes.get_yaxis_transform(), "ha": "center", "va": "center", "color": "#777777"}
                axes.text(0.5, place[name], "not for this data", fontsize=7.5, **at)
        pair[0].set(title=task.name, xlabel="test error (%)")
        pair[1].set(title=" ", xlabel="CPU seconds")
        if pair[1].containers:
            style.log_ticks(pair[1].xaxis)
    for k, axes in enumerate(panels[0]):
        axes.set_ylim(-0.6, len(cells) - 0.4)
        axes.margins(x=0.06)
        if k == 0:
            plotted.ticks(axes.yaxis, [*place.values()], [_cell(cells[name]) for name in place])
        else:
            axes.set_yticks([*place.values()], [])
    _legend(figure)
    return figure


def _cell(way: Way) -> str:
    """Name the learner and what its colour and mark do not say."""
    regularised = "" if way.regularised == "no" else f"{way.regularised}, "
    return f"{way.name} ({regularised}{way.inference})"


def _legend(figure: Drawn) -> None:
    from matplotlib.lines import Line2D

    entries = {}
    for loss, mark in MARKS.items():
        name = loss if loss == "likelihood" else f"{loss} loss"
        entries[name] = Line2D([], [], color=style.INK, marker=mark, linestyle="none", markersize=5)
    for form, look in {"primal": {}, "dual": {"markerfacecolor": "white"}}.items():
        entries[form] = Line2D([], [], color=style.INK, marker="o", linestyle="none", markersize=5, **look)
    style.legend_above(figure, entries)


DRAWN = {"portrait": plot, "table-portrait": table}
