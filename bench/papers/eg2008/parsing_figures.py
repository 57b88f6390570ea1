"""Draw Figures 12, 13 and 15 and Table 3 of eg2008, dependency parsing, and our figure of methods."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.drawing import colours, curves, plotted, style
from structbench.bench.drawing.tables import Rows
from structbench.bench.papers.eg2008 import parsing
from structbench.bench.papers.eg2008.figures import (
    FROM_UNIFORM,
    SECONDS,
    UNIFORM_EG,
    Panel,
    panels_of,
)
from structbench.bench.papers.eg2008.parsing import BEST_C, BEST_HINGE_C, EG, LBFGS, SGD, SVM, Parsing
from structbench.bench.papers.eg2008.path import beside, path
from structbench.bench.papers.eg2008.runs import START, UNIFORM
from structbench.bench.papers.panels import Drawn, later, log
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    import pandas as pd

FLOOR = 1e-7  # smaller relative distances are rounding
ACCURACY = "accuracy (% of heads)"
NAMES = {
    "log": f"EG, log loss, C = {BEST_C:g}",
    "hinge": f"EG, hinge, C = {BEST_HINGE_C:g}",
    NO_LOSS: catalogue.label(parsing.PERCEPTRON),
}
LOOKS = {
    "log": {"color": style.shade(EG, 1, 3)},
    "hinge": {"color": style.shade(EG, 2, 3), "marker": "o", "markersize": 4.5, "markevery": (0.1, 0.2)},
    NO_LOSS: {"color": colours.colour(parsing.PERCEPTRON)},
}
KINDS = {False: ("projective", "-"), True: ("all trees", style.REFERENCE)}


def accuracy(curve: "pd.DataFrame") -> np.ndarray:
    """Return the share of correct heads on the validation split, in percent."""
    return 100 * (1 - curve["test_error"].to_numpy())


def fig12(task: Parsing, runs: Runs) -> Drawn:
    """Draw the primal for each C, with SGD's learning rates if all of them ran; below, accuracies."""
    count = len(task.Cs) + len(task.rates_at)
    figure, panels = panels_of(task, runs, -(-count // 2) + 1, 2)
    for panel, C in zip(panels, task.Cs, strict=False):
        panel.eg_from_starts(C, "primal")
        for algorithm, name in ((SGD, "SGD, selected $\\eta_0$"), (LBFGS, "L-BFGS")):
            panel.line(algorithm, C, "primal", label=name)
        panel.finish_primal(C, panel.present(LBFGS, C) + panel.present(SGD, C), 0.25 * task.shown, 0.05)
        if panel.present(SGD, C):
            panel.axes.set_title(f"C = {C:g}, {panel.rates(C)} selected")
    for panel, C in zip(panels[len(task.Cs) :], task.rates_at, strict=False):
        _rates(panel, C)
    for panel in panels[count:-2]:
        panel.axes.set_axis_off()
    for panel, algorithm in zip(panels[-2:], (LBFGS, SGD), strict=True):
        _accuracies(panel, algorithm)
    style.legend_above(figure)
    return figure


def _rates(panel: Panel, C: float) -> None:
    """Draw how far the primal is above the optimum, for SGD with each learning rate and for EG."""
    above, etas = panel.above(C), parsing.ETA0S
    panel.line(EG, C, above, zorder=2.5, label=catalogue.label(EG))
    panel.line(EG, C, above, FROM_UNIFORM, label=UNIFORM_EG)
    shades = [style.shade(SGD, rank, len(etas)) for rank in range(len(etas))]
    looks = {eta0: {"color": shade, "linestyle": "-"} for eta0, shade in zip(etas, shades, strict=True)}
    lines = [
        (panel.line(SGD, C, above, {"eta0": eta0}, **look), f"$\\eta_0$ = {eta0:g}")
        for eta0, look in looks.items()
    ]
    log(panel.axes, "y")
    panel.axes.set_xlim(0, panel.task.shown)
    style.label_ends(panel.axes, lines)
    title = f"C = {C:g}, SGD with each $\\eta_0$"
    panel.axes.set(title=title, xlabel=style.PASSES, ylabel="above the optimum (%)")


def _accuracies(panel: Panel, algorithm: str) -> None:
    """Draw an algorithm at all C, and EG at the paper's best C."""
    task = panel.task
    lines = panel.at_each_C(algorithm, task.Cs, accuracy) + panel.eg_beside(BEST_C, accuracy, "EG", "EG, uniform")
    others = [run for C in task.Cs for run in panel.present(algorithm, C)]
    _frame(panel, [*panel.present(EG, BEST_C), *others])
    panel.axes.set_xlim(0, task.shown)
    style.label_ends(panel.axes, lines)
    title = f"{catalogue.label(algorithm)}; EG at C = {BEST_C:g}"
    panel.axes.set(title=title, xlabel=style.PASSES, ylabel=ACCURACY)


def _frame(panel: Panel, found: list[Run]) -> None:
    """Limit the y axis to the accuracies from a quarter of the passes on."""
    start = 0.25 * panel.task.shown
    late = [accuracy(run.curve)[run.curve["passes"].to_numpy() >= start] for run in found]
    seen = np.concatenate([*late, [np.nan]])
    if np.isfinite(seen).any():
        panel.axes.set_ylim(np.nanmin(seen) - 2, np.nanmax(seen) + 1)


def fig13(task: Parsing, runs: Runs) -> Drawn:
    """Draw primal and dual of EG and SVM-struct for each C, and accuracies last, against seconds."""
    count = len(task.hinge_Cs) + 1
    figure, panels = panels_of(task, runs, -(-count // 2), 2)
    for panel, C in zip(panels, task.hinge_Cs, strict=False):
        _primal_and_dual(panel, C)
    for panel in panels[count:]:
        panel.axes.set_axis_off()
    panel, y, x = panels[count - 1], later(accuracy), SECONDS
    lines = panel.at_each_C(f"hinge {SVM}", task.hinge_Cs, y, (*task.hinge_Cs, None), x=x)
    lines.append((panel.line(f"hinge {EG}", BEST_HINGE_C, y, x=x, linewidth=2.2), "EG"))
    lines.append((panel.line(f"hinge {EG}", BEST_HINGE_C, y, FROM_UNIFORM, x), "EG, uniform"))
    if ends := _last_part(2, [line for line, _ in lines if line is not None]):
        margin = 0.15 * (max(ends) - min(ends)) or 1.0
        panel.axes.set_ylim(min(ends) - margin, max(ends) + margin)
    panel.axes.set(title=f"SVM-struct; EG at C = {BEST_HINGE_C:g}", xlabel="CPU seconds", ylabel=ACCURACY)
    log(panel.axes, "x")
    style.label_ends(panel.axes, lines)
    style.legend_above(figure)
    return figure


def _last_part(share: int, lines: list[plotted.Series]) -> list[float]:
    """Return what lines show, each without the first 1 / ``share`` of its points."""
    return [y for line in lines for y in line.y[len(line.y) // share :]]


def _primal_and_dual(panel: Panel, C: float) -> None:
    axes = panel.axes
    for algorithm in (EG, SVM):
        for y, look in (("primal", {}), ("dual", style.DUAL)):
            name = f"{catalogue.label(algorithm)}, {y}"
            panel.line(f"hinge {algorithm}", C, later(y), x=SECONDS, label=name, **look)
    panel.line(f"hinge {EG}", C, later("primal"), FROM_UNIFORM, SECONDS, label=f"{UNIFORM_EG}, primal")
    if found := panel.present(f"hinge {EG}", C) + panel.present(f"hinge {SVM}", C):
        best, ends = curves.optimum(found).primal, [run.curve.iloc[-1] for run in found]
        most = max(np.nanmax(later("primal")(run.curve)) for run in found)
        high = max(2.2 * best, 1.3 * max(end["primal"] for end in ends))
        low = min([0.55 * best, *(0.9 * end["dual"] for end in ends)])
        axes.set_ylim(max(0.0, low), min(high, 1.05 * most))
        uniform = panel.present(f"hinge {EG}", C, **FROM_UNIFORM)
        if any(run.curve["primal"].iloc[-1] > axes.get_ylim()[1] for run in uniform):
            panel.note_above("left")
    axes.set(title=f"C = {C:g}", xlabel="CPU seconds", ylabel="objective")
    log(axes, "x")
    style.thousands(axes)


def fig15(task: Parsing, runs: Runs) -> Drawn:
    """Draw objective and accuracy against seconds."""
    figure, (left, right) = panels_of(task, runs, 1, 2)
    starts = {EG: 0.15 * task.shown, SGD: 0.1 * task.shown, LBFGS: 0.25 * task.shown}
    shown = [(left.present(algorithm, BEST_C), start) for algorithm, start in starts.items()]
    for panel, y, label in ((left, "primal", "primal objective"), (right, accuracy, ACCURACY)):
        panel.eg_from_starts(BEST_C, y, SECONDS)
        for algorithm in (SGD, LBFGS):
            panel.line(algorithm, BEST_C, y, x=SECONDS, label=catalogue.label(algorithm))
        style.frame(panel.axes, shown, y, task.passes, x=SECONDS)
        if y is accuracy:
            _frame(panel, [run for found, _ in shown for run in found])
        panel.axes.set(title=f"C = {BEST_C:g}", xlabel="CPU seconds", ylabel=label)
    style.thousands(left.axes)
    style.legend_above(figure)
    return figure


def table3(task: Parsing, runs: Runs) -> Rows:
    """Return, for each C of the path, the paper's numbers, ours, and ours from uniform u."""
    ours = {
        name: [
            [(*step[:3], 100 * (1 - step[3])) for step in path(run)]
            for run in runs.present(replace(task, start=start).path())
        ]
        for name, start in (("ours", START), ("uniform", UNIFORM))
    }
    return beside(task.rows(), ours, {"iterations": ".2f", "total": ".2f", "accuracy": ".2f"})


def methods(task: Parsing, runs: Runs) -> Drawn:
    """Draw certified distance and accuracy against passes and seconds, for all methods and both kinds of trees."""
    figure, panels = style.panels(2, 2)
    for (upper, lower), x, label in zip(panels.T, ("passes", SECONDS), (style.PASSES, "CPU seconds"), strict=True):
        upper.sharex(lower)
        for loss in parsing.METHODS:
            for crossing, (kind, dash) in KINDS.items():
                found = runs.present(task.method(loss, crossing))
                look = LOOKS[loss] | {"label": f"{NAMES[loss]}, {kind}", "linestyle": dash}
                if loss != NO_LOSS:
                    style.line(upper, found, _distance(task, runs, loss, crossing), x, **look)
                style.line(lower, found, later(accuracy), x, **look)
        upper.set(xlabel=label, ylabel="(primal - bound) / primal")
        lower.set(xlabel=label, ylabel=ACCURACY)
        if upper.lines:
            upper.set_ylim(top=2.0)
        log(upper, "yx")
        log(lower, "x")
        if heights := _last_part(4, plotted.lines(lower)):
            lower.set_ylim(min(heights) - 1, max(heights) + 1)
    style.legend_above(figure)
    return figure


def _distance(task: Parsing, runs: Runs, loss: str, crossing: bool) -> style.Column:
    specs = task.method(loss, crossing)
    if not crossing:
        specs = task.problem(BEST_C) if loss == "log" else task.hinge_problem(BEST_HINGE_C)
    bound = curves.optimum(runs.present(specs)).dual
    return later(lambda curve: (curve["primal"] - bound) / curve["primal"].abs(), FLOOR)


DRAWN = {
    "fig12-parsing": fig12, "fig13-parsing": fig13, "fig15-parsing": fig15, "table3-parsing": table3,
    "parsing-methods": methods,
}  # fmt: skip
