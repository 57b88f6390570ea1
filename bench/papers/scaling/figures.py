"""Draw seconds and memory against the number of examples."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import curves, plotted, style
from structbench.bench.drawing.problems import labels, looks
from structbench.bench.papers.scaling.runs import METHODS, PASSES, specs
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


def draw_scaling(scale: str, runs: Runs) -> "Drawn":
    """Draw seconds of a pass, peak memory and the certified gap, a row of panels for each loss."""
    figure, panels = style.panels(len(METHODS), 3, height=3.1, width=4.0)
    for loss, (left, middle, right) in zip(METHODS, panels, strict=True):
        members = specs(scale, loss)
        look_of = looks(labels(members))
        for algorithm in dict.fromkeys(spec.algorithm for spec in members):
            found = [run for spec in members if spec.algorithm == algorithm and (run := runs[spec]) is not None]
            if not found:
                continue
            n = np.array([run.summary["num_examples"] for run in found])
            seconds = np.array([curves.seconds_per_pass(run.curve, "wall_seconds") for run in found])
            memory = np.array([run.summary["peak_memory"] or np.nan for run in found]) / 2**30
            gap = np.array([run.summary.get("relative_gap") or np.nan for run in found], dtype=float)
            name = catalogue.label(algorithm)
            dash = "-" if algorithm in METHODS[loss]["dual"] else (0, (4, 1.6))
            look = {
                "color": look_of[name]["color"],
                "linestyle": dash,
                "marker": "o",
                "markersize": 3.5,
                "label": name,
            }
            for axes, values in ((left, seconds), (middle, memory), (right, gap)):
                if np.isnan(values).all():
                    continue
                sizes = np.unique(n)
                each = [values[n == size] for size in sizes]
                axes.plot(sizes, [value.mean() for value in each], **look)
                least, most = [value.min() for value in each], [value.max() for value in each]
                shade = {"color": look["color"], "alpha": 0.22, "linewidth": 0}
                axes.fill_between(sizes, least, most, label=plotted.OF + name, **shade)
        for axes, label in (
            (left, "seconds a pass"),
            (middle, "peak memory (GiB)"),
            (right, f"certified gap after {PASSES:g} passes"),
        ):
            axes.set(title=f"{loss} loss", xlabel="sentences", ylabel=label)
            if axes.lines:
                style.log_ticks(axes.xaxis)
                style.log_ticks(axes.yaxis)
                axes.margins(x=0.04)
            else:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="#777777")
        drawn = next((axes for axes in (left, middle, right) if axes.lines), right)
        handles, names = drawn.get_legend_handles_labels()
        right.legend(handles, names, loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure
