"""Draw all methods on one data set."""

from functools import partial
from typing import TYPE_CHECKING

from structbench.bench.drawing import curves, style
from structbench.bench.drawing.problems import labels, looks
from structbench.bench.papers.methods.runs import LOSSES, Task
from structbench.bench.papers.panels import later, lines_by_name, log
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


def draw_task(task: Task, runs: Runs) -> "Drawn":
    """Draw distance against passes and seconds, a row of panels for each loss and C."""
    rows = [(loss, C) for loss in LOSSES for C in task.Cs]
    figure, panels = style.panels(len(rows), 2, height=3.3, width=4.6)
    for (loss, C), (left, right) in zip(rows, panels, strict=True):
        names = labels(task.specs(loss, C))
        bound = curves.optimum(runs.present([*names])).dual
        distance = later(partial(curves.distance, bound=bound))
        entries = {}
        for axes, x, label in ((left, "passes", style.PASSES), (right, "cpu_seconds", "CPU seconds")):
            entries |= lines_by_name(axes, runs, names, looks(names), distance, x)
            axes.set(title=f"{loss} loss, C = {C:g}", xlabel=label, ylabel="(primal - bound) / primal")
            if axes.lines:
                axes.set_ylim(top=2.0)
            log(axes, "yx")
        right.legend(entries.values(), entries.keys(), loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure
