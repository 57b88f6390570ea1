"""The figure of kernels and neighbours against the primal perceptron, on more and more digits."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import plotted, style
from structbench.bench.papers.klein2011.runs import Scale
from structbench.bench.papers.klein2011.setting import BY_SIZE, KERNELS
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

COLOURS = ("#333333", "#56B4E9", "#E69F00", "#D55E00", "#0072B2", "#009E73")
PANELS = {  # fields of a run's summary, drawn against n
    "test error (%)": ("test_error", 100.0),
    "CPU seconds of learning": ("cpu_seconds", 1.0),
    "seconds to predict": ("test_seconds", 1.0),
}


def specs(scale: Scale) -> list[Spec]:
    """Return all runs of the figure."""
    return [spec for way in BY_SIZE for each in scale.by_size(way).values() for spec in each]


def draw(scale: Scale, runs: Runs) -> "Drawn":
    """Draw error, training seconds and prediction seconds against the number of training images."""
    figure, panels = style.panels(1, len(PANELS), height=3.4, width=3.6)
    for axes, (label, (name, unit)) in zip(panels[0], PANELS.items(), strict=True):
        for way, colour in zip(BY_SIZE, COLOURS, strict=True):
            found = {n: runs.present(each) for n, each in scale.by_size(way).items()}
            values = {n: [unit * run.summary[name] for run in each] for n, each in found.items() if each}
            if not values or not np.isfinite([v for each in values.values() for v in each]).all():
                continue
            if name == "cpu_seconds" and way.algorithm == "nearest-neighbours":
                continue  # it trains nothing: its seconds are for prediction
            dashed = way is KERNELS["linear"]  # which makes the same mistakes as the primal perceptron
            look = {"color": colour, "label": way.name, "linestyle": style.DUAL if dashed else "-"}
            axes.plot([*values], [np.mean(each) for each in values.values()], marker="o", markersize=3.6, **look)
            ends = np.array([(min(each), max(each)) for each in values.values()]).T
            axes.fill_between([*values], *ends, color=colour, alpha=0.22, linewidth=0, label=plotted.OF + way.name)
        axes.set(xlabel="training images", ylabel=label)
        if axes.lines:
            style.log_ticks(axes.xaxis)
            style.log_ticks(axes.yaxis)
            axes.margins(x=0.05)
    style.legend_above(figure)
    return figure
