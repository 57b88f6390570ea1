"""Our figure of EG and the perceptron on projective trees and on all trees, for the log loss and the hinge."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.drawing import curves, style
from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.eg2008 import panels as shared
from structbench.bench.papers.eg2008.parsing import BEST_C, BEST_HINGE_C, EG, METHODS, PERCEPTRON, SVM, Parsing
from structbench.bench.papers.eg2008.parsing_figures import ACCURACY, accuracy, line, ours_of
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawn

FLOOR = 1e-7  # smaller relative distances are rounding
LOOKS = {"log": style.COLOURS[EG], "hinge": style.COLOURS[SVM], NO_LOSS: "#000000"}
NAMES = {
    "log": f"EG, log loss, C = {BEST_C:g}",
    "hinge": f"EG, hinge, C = {BEST_HINGE_C:g}",
    NO_LOSS: catalogue.label(PERCEPTRON),
}
KINDS = {False: ("projective", "-"), True: ("all trees", style.DUAL)}


def _draw(task: Parsing, runs: Runs) -> "Drawn":
    """Draw certified distance and accuracy against passes and seconds, for all methods and both kinds of trees."""
    figure, panels = style.panels(2, 2)
    for (upper, lower), x, label in (
        (panels[:, 0], "passes", style.PASSES),
        (panels[:, 1], "cpu_seconds", "CPU seconds"),
    ):
        upper.sharex(lower)
        for loss in METHODS:
            for crossing, (kind, dash) in KINDS.items():
                specs = task.method(loss, crossing)
                look = {"label": f"{NAMES[loss]}, {kind}", "color": LOOKS[loss], "linestyle": dash}
                if loss != NO_LOSS:
                    line(upper, runs, specs, _distance(task, runs, loss, crossing), x, **look)
                line(lower, runs, specs, accuracy, x, **look)
        upper.set(xlabel=label, ylabel="(primal - bound) / primal")
        lower.set(xlabel=label, ylabel=ACCURACY)
        if upper.lines:
            upper.set_ylim(top=2.0)
            style.log_ticks(upper.yaxis)
        for axes in (upper, lower):
            shared.log_seconds(axes)
        heights = [y for each in lower.lines for y in each.get_ydata()[len(each.get_ydata()) // 4 :]]
        if heights:
            lower.set_ylim(min(heights) - 1, max(heights) + 1)
    style.legend_above(figure)
    return figure


def _distance(task: Parsing, runs: Runs, loss: str, crossing: bool) -> style.Column:
    specs = task.method(loss, crossing)
    if not crossing:
        specs = task.problem(BEST_C) if loss == "log" else task.hinge_problem(BEST_HINGE_C)
    bound = curves.optimum(runs.present(specs)).dual

    def distance(curve: "pd.DataFrame") -> np.ndarray:
        far = (curve["primal"].to_numpy() - bound) / curve["primal"].abs().to_numpy()
        return np.where(far > FLOOR, far, np.nan)

    return distance


def figure(task: Parsing) -> Figure:
    """Return the figure of methods."""
    return Figure(
        f"Ours: projective trees and all trees, three ways to learn{'' if task.whole else ', a part of the data'}",
        "Certified distance to the optimum and validation accuracy of models over projective trees (inside-"
        "outside) and over all trees (the matrix-tree theorem, one seed), learned by EG for the log loss and for "
        "the hinge, at the C that are best in the paper, and by the averaged perceptron, which has no objective. "
        "The bound of a distance is the greatest dual value of our runs of that problem. Runs for the hinge may "
        f"take {task.seconds:g} s, the others {task.passes:g} passes. {ours_of(task)}",
        partial(_draw, task),
    )
