"""Draw seconds and memory against the number of examples."""

import numpy as np

from structbench.bench.drawing import curves, plotted, style
from structbench.bench.drawing.problems import labels, looks
from structbench.bench.papers.panels import Drawn, log, names_at_ends
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

STORING = ("eg", "sdca", "sag", "frank-wolfe", "smo")  # each example's state


def draw_scaling(made: dict[str, list[Spec]], runs: Runs) -> Drawn:
    """Draw seconds of a pass, peak memory and the certified gap, a row of panels for each loss."""
    figure, panels = style.panels(len(made), 3, height=3.1, width=4.0)
    for (loss, members), (left, middle, right) in zip(made.items(), panels, strict=True):
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
            look = {"color": look_of[name]["color"], "marker": "o", "markersize": 4}
            look |= {} if algorithm in STORING else {"markerfacecolor": "white"}
            for axes, values in ((left, seconds), (middle, memory), (right, gap)):
                if not np.isnan(values).all():
                    sizes = np.unique(n)
                    each = [values[n == size] for size in sizes]
                    plotted.line(axes, sizes, [value.mean() for value in each], label=name, **look)
                    ends = np.array([(value.min(), value.max()) for value in each]).T
                    plotted.band(axes, sizes, *ends, name, color=look["color"], alpha=style.BAND)
        labels_of = ("seconds a pass", "peak memory (GiB)", f"certified gap after {members[0].passes:g} passes")
        for axes, label in zip((left, middle, right), labels_of, strict=True):
            axes.set(title=f"{loss} loss", xlabel="sentences", ylabel=label)
            log(axes, "xy")
            axes.margins(x=0.04)
            if not axes.lines:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="#777777")
            names_at_ends(axes)
    return figure
