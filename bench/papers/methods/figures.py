"""Draw all methods on a data set, and gap and test error of losses from hinge (M3N) to softmax-margin (CRF)."""

from functools import partial

import numpy as np

from structbench.bench.drawing import crowds, curves, plotted, style
from structbench.bench.drawing.method_looks import counted, labels, looks
from structbench.bench.papers.measured import last
from structbench.bench.papers.methods.runs import LOSSES, Task
from structbench.bench.papers.panels import is_cut, later, log, names_at_ends, open_dots
from structbench.bench.papers.terms import Axes, Drawn, Run, Runs, Spec
from structbench.bench.runs.spec import make

TAUS = (0.0, 0.03, 0.1, 0.3, 1.0)
PASSES = (3, 10, 30, 100)
LOG = "log"  # the CRF without costs, outside the family at cost 1


def draw_task(task: Task, runs: Runs) -> Drawn:
    rows = [(loss, C) for loss in LOSSES for C in task.Cs]
    longest = [name for loss, C in rows for name in labels(task.specs(loss, C)).values()]
    figure, panels = style.panels(len(rows), 2, height=3.3, width=crowds.width(longest))
    for (loss, C), (left, right) in zip(rows, panels, strict=True):
        names = labels(task.specs(loss, C))
        bound = curves.optimum(runs.present([*names])).dual
        distance = later(partial(curves.distance, bound=bound))
        passed = {spec: names[spec] for spec in counted([*names])}
        on = (left, passed, "passes", style.PASSES), (right, names, "cpu_seconds", "CPU seconds")
        for axes, shown, x, label in on:
            lines = crowds.lines_by_name(axes, runs, shown, looks(names), distance, x)
            axes.set(title=f"{loss} loss, C = {C:g}", xlabel=label, ylabel="(primal - bound) / primal")
            if axes.lines:
                axes.set_ylim(top=2.0)
            log(axes, "yx")
            crowds.label_best(axes, lines, crowds.by_level, crowds.POOR, own=crowds.own(shown))
    return figure


def bridge_specs(task: Task, C: float) -> list[Spec]:
    """Return a run for each temperature, then one of the log loss."""
    limits = {"passes": task.passes, "seconds": task.seconds}
    named = {0.0: "hinge", 1.0: "softmax-margin"}  # others with cost 1 are smoothed hinges
    losses = [*(named.get(tau, f"smoothed-hinge-{tau:g}") for tau in TAUS), LOG]
    return [make(task.data, loss, C, "eg", {"order": "gap"}, penalty="l2", **limits) for loss in losses]


def draw_bridge(tasks: list[Task], runs: Runs) -> Drawn:
    figure, panels = style.panels(len(tasks), 2, height=2.9, width=4.3)
    for task, (left, right) in zip(tasks, panels, strict=True):
        first = bridge_specs(task, task.Cs[0])
        for rank, passes in enumerate(PASSES):
            points = [_gap(runs[spec], passes) for spec in first]
            _draw_line(left, points, f"{passes} passes", style.shade("eg", rank, len(PASSES)))
        for rank, C in enumerate(task.Cs):
            made = (runs[spec] for spec in bridge_specs(task, C))
            points = [(100 * last(run, "test_error"), is_cut(run)) if run else (np.nan, False) for run in made]
            _draw_line(right, points, f"C = {C:g}", style.shade("eg", rank, len(task.Cs)))
        left.set(title=f"{task.name}, C = {task.Cs[0]:g}", ylabel="relative gap")
        right.set(title=task.name, ylabel="test error, %")
        log(left, "y")
        for axes in (left, right):
            plotted.ticks(axes.xaxis, range(len(first)), [*(f"{tau:g}" for tau in TAUS), "log\nloss"])
            axes.set(xlabel="temperature tau", xlim=(-0.3, len(TAUS) + 0.3))
            names_at_ends(axes)
    return figure


def _draw_line(axes: Axes, points: list[tuple[float, bool]], label: str, colour: tuple[float, ...]) -> None:
    """Draw the family as a line, and the log loss apart, of values and whether their runs were cut."""
    values, cut = np.array([value for value, _ in points]), np.array([cut for _, cut in points])
    if np.isfinite(values).any():
        look, x, name = {"markersize": 3.6, "color": colour}, np.arange(len(points)), f"{label}, log loss"
        plotted.line(axes, x[:-1], values[:-1], marker="o", label=label, **look)
        plotted.line(axes, x[-1:], values[-1:], name, marker="s", linestyle="none", **look)
        open_dots(axes, x[:-1], values[:-1], cut[:-1], label, marker="o", **look)
        open_dots(axes, x[-1:], values[-1:], cut[-1:], name, marker="s", **look)


def _gap(run: Run | None, passes: float) -> tuple[float, bool]:
    """Return the gap after so many of ``PASSES``; the last gap, if the run was cut on the way to these."""
    if run is None:
        return np.nan, False
    made = last(run, "passes")
    cut = is_cut(run) and made < passes == min(each for each in PASSES if each > made)
    if made < passes and run.summary["status"] != "converged" and not cut:
        return np.nan, False
    return float(curves.at(run.curve, "relative_gap", min(passes, made))), cut
