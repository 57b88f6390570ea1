"""Draw all methods on one data set."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.drawing.problems import labels, looks
from structbench.bench.papers.methods.runs import LOSSES, Task
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawn


def draw_task(task: Task, runs: Runs) -> "Drawn":
    """Draw distance against passes and seconds, a row of panels for each loss and C."""
    rows = [(loss, C) for loss in LOSSES for C in task.Cs]
    figure, panels = style.panels(len(rows), 2, height=3.3, width=4.6)
    for (loss, C), (left, right) in zip(rows, panels, strict=True):
        specs = task.specs(loss, C)
        names = labels(specs)
        look_of = looks(names)
        bound = curves.optimum(runs.present(specs)).dual

        def distance(curve: "pd.DataFrame", bound: float = bound) -> np.ndarray:
            return np.where(curve["passes"].to_numpy() > 0, curves.distance(curve, bound), np.nan)

        entries = {}
        for axes, x, label in ((left, "passes", style.PASSES), (right, "cpu_seconds", "CPU seconds")):
            for name, look in look_of.items():
                seeds = runs.present([spec for spec in specs if names[spec] == name])
                line = style.line(axes, seeds, distance, x, label=name, **look)
                if line is not None and len(line.get_ydata()):
                    entries[name] = line
            axes.set(title=f"{loss} loss, C = {C:g}", xlabel=label, ylabel="(primal - bound) / primal")
            if axes.lines:
                axes.set_ylim(top=2.0)
                style.log_ticks(axes.yaxis)
                style.log_ticks(axes.xaxis)
        right.legend(entries.values(), entries.keys(), loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure
