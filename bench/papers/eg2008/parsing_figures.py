"""Draw Figures 12, 13 and 15 and Table 3 of eg2008, dependency parsing, and our figure of methods."""

from dataclasses import replace

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.drawing import colours, curves, plotted, style
from structbench.bench.drawing.curves import Curve
from structbench.bench.papers.eg2008 import parsing
from structbench.bench.papers.eg2008.figures import FROM_UNIFORM, SECONDS, UNIFORM_EG, Panel, in_seconds, panels_of
from structbench.bench.papers.eg2008.parsing import BEST_C, BEST_HINGE_C, EG, LBFGS, SGD, SVM, Parsing
from structbench.bench.papers.eg2008.path import beside, ends, path
from structbench.bench.papers.eg2008.runs import START, UNIFORM
from structbench.bench.papers.panels import OPTIMUM, cell, fit_y, later, log
from structbench.bench.papers.terms import Drawn, Registry, Rows, Runs
from structbench.bench.runs import catalogue

draws = Registry()
FLOOR = 1e-7  # smaller relative distances are rounding
ACCURACY = "accuracy (% of heads)"
WORDS = "test_word_attachment"  # the column of accuracy without punctuation
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


def accuracy(curve: Curve) -> np.ndarray:
    """Return the share of correct heads on the validation split, in percent."""
    return 100 * (1 - curve["test_error"].to_numpy())


@draws("fig12-parsing")
def fig12_parsing(task: Parsing, runs: Runs) -> Drawn:
    count = len(task.Cs) + len(task.rates_at) + 2
    figure, panels = panels_of(task, runs, -(-count // 3), 3)
    for panel, C in zip(panels, task.Cs, strict=False):
        panel.eg_from_starts(C, "primal")
        panel.sgd_by_rate(C, "primal")
        panel.line(LBFGS, C, "primal", label="L-BFGS")
        panel.finish_primal(C, panel.present(LBFGS, C) + panel.present(SGD, C), 0.25 * task.shown, 0.05)
    for panel, C in zip(panels[len(task.Cs) :], task.rates_at, strict=False):
        _rates(panel, C)
    for panel in panels[count:]:
        panel.axes.set_axis_off()
    for panel, algorithm in zip(panels[count - 2 : count], (LBFGS, SGD), strict=True):
        lines = panel.at_each_C(algorithm, task.Cs, accuracy)
        lines += panel.eg_beside(BEST_C, accuracy, "EG", "EG, uniform")
        fit_y(panel.axes, skip=0.5)
        panel.axes.set_xlim(0, task.shown)
        style.label_ends(panel.axes, lines)
        title = f"{catalogue.label(algorithm)}; EG at C = {BEST_C:g}"
        panel.axes.set(title=title, xlabel=style.PASSES, ylabel=ACCURACY)
    return style.legend_above(figure)


def _rates(panel: Panel, C: float) -> None:
    """Draw how far the primal is above the optimum, for SGD with each learning rate and for EG."""
    above, etas = panel.above(C), parsing.ETA0S
    panel.eg_from_starts(C, above)
    looks = {eta0: {"color": style.shade(SGD, k, len(etas)), "linestyle": "-"} for k, eta0 in enumerate(etas)}
    lines = [
        (panel.line(SGD, C, above, {"eta0": eta0}, **look), f"$\\eta_0$ = {eta0:g}")
        for eta0, look in looks.items()
    ]
    panel.finish_above()
    style.label_ends(panel.axes, lines)
    panel.axes.set_title(f"C = {C:g}, SGD with each $\\eta_0$")


@draws("fig13-parsing")
def fig13_parsing(task: Parsing, runs: Runs) -> Drawn:
    count = len(task.hinge_Cs) + 1
    figure, panels = panels_of(task, runs, -(-count // 2), 2)
    for panel, C in zip(panels, task.hinge_Cs, strict=False):
        _primal_and_dual(panel, C)
        for run in runs.present(task.certifying(C)):
            plotted.level(panel.axes, run.curve["primal"].iloc[-1], "certified optimum", **OPTIMUM)
    for panel in panels[count:]:
        panel.axes.set_axis_off()
    panel, y, x = panels[count - 1], later(accuracy), SECONDS
    lines = panel.at_each_C(f"hinge {SVM}", task.hinge_Cs, y, (*task.hinge_Cs, None), x=x)
    lines.append((panel.line(f"hinge {EG}", BEST_HINGE_C, y, x=x, linewidth=2.2), "EG"))
    lines.append((panel.line(f"hinge {EG}", BEST_HINGE_C, y, FROM_UNIFORM, x), "EG, uniform"))
    fit_y(panel.axes, skip=0.5)
    panel.axes.set(title=f"SVM-struct; EG at C = {BEST_HINGE_C:g}", xlabel="CPU seconds", ylabel=ACCURACY)
    log(panel.axes, "x")
    style.label_ends(panel.axes, lines)
    return style.legend_above(figure)


def _primal_and_dual(panel: Panel, C: float) -> None:
    axes = panel.axes
    for algorithm in (EG, SVM):
        for y, look in (("primal", {}), ("dual", style.DUAL)):
            name = f"{catalogue.label(algorithm)}, {y}"
            panel.line(f"hinge {algorithm}", C, later(y), x=SECONDS, label=name, **look)
    panel.line(f"hinge {EG}", C, later("primal"), FROM_UNIFORM, SECONDS, label=f"{UNIFORM_EG}, primal")
    found = panel.present(f"hinge {EG}", C) + panel.present(f"hinge {SVM}", C)
    values = [curves.finite_values(run.curve) for run in found]
    most = max((y for run in found for y in later("primal")(run.curve) if np.isfinite(y)), default=0.0)
    best = curves.optimum_of(values).primal
    high = max([2.2 * best, *(1.3 * primals[-1] for primals, _ in values if len(primals))])
    low = max(0.0, min([0.55 * best, *(0.9 * duals[-1] for _, duals in values if len(duals))]))
    if low < min(high, 1.05 * most):
        axes.set_ylim(low, min(high, 1.05 * most))
        uniform = panel.present(f"hinge {EG}", C, **FROM_UNIFORM)
        if any(run.curve["primal"].iloc[-1] > axes.get_ylim()[1] for run in uniform):
            panel.note_above("left")
    axes.set(title=f"C = {C:g}", xlabel="CPU seconds", ylabel="objective")
    log(axes, "x")
    style.thousands(axes)


@draws("fig15-parsing")
def fig15_parsing(task: Parsing, runs: Runs) -> Drawn:
    figure = in_seconds(task, runs, accuracy, ACCURACY, starts=(UNIFORM,))
    fit_y(figure.axes[1], skip=0.5)
    return figure


@draws("table3-parsing")
def table3_parsing(task: Parsing, runs: Runs) -> Rows:
    made = {
        name: runs.present(replace(task, start=start).path())
        for name, start in (("ours", START), ("uniform", UNIFORM))
        if start in task.path_starts
    }
    made |= {"more features": runs.present(task.rich_path())} if task.whole else {}
    ours = {
        name: [[(*step[:3], 100 * (1 - step[3])) for step in path(run)] for run in found]
        for name, found in made.items()
    }
    words = [each[WORDS] for run in made["ours"] if WORDS in (each := ends(run))]
    for k, row in enumerate(beside(task.rows(), ours, {"iterations": ".2f", "total": ".2f", "accuracy": ".2f"})):
        found = [100 * each.iloc[k] for each in words if k < len(each)]
        yield row | {"accuracy, ours, no punctuation": cell(found, ".2f")}


@draws("parsing-methods")
def parsing_methods(task: Parsing, runs: Runs) -> Drawn:
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
        fit_y(lower, skip=0.5)
    return style.legend_above(figure)


def _distance(task: Parsing, runs: Runs, loss: str, crossing: bool) -> style.Column:
    specs = task.method(loss, crossing)
    if not crossing:
        specs = task.problem(BEST_C) if loss == "log" else task.hinge_problem(BEST_HINGE_C)
    bound = curves.optimum(runs.present(specs)).dual
    return later(lambda curve: (curve["primal"] - bound) / curve["primal"].abs(), FLOOR)
