"""Draw the figures of eg2004: duals on sentences, Theorem 2, and parsing with grammars."""

from collections.abc import Callable
from functools import partial

import numpy as np

from structbench.bench.drawing import colours, crowds, curves, method_looks, plotted, style
from structbench.bench.drawing.method_looks import labels, looks
from structbench.bench.papers import panels as shared
from structbench.bench.papers.eg2004 import runs as made
from structbench.bench.papers.eg2004.rules import bound, by_sweeps
from structbench.bench.papers.eg2004.runs import ADAPTIVE, CRF, FIXED, M3N, QP_CS, Grammars, Task
from structbench.bench.papers.measured import last
from structbench.bench.papers.terms import Axes, Drawn, Rows, Run, Runs, Spec
from structbench.bench.runs import catalogue

Line = tuple[str, Callable[[float], list[Spec]], plotted.Look]  # name, at a C one run a seed, look

SMALLEST = 1e-7  # smaller relative gaps are rounding
SHOWN = (100.0, 10.0, 2.0, 1.0)  # C of Figure 4's panels
BATCH = "EG, mode batch (Figure 2)"
MODEL = {CRF: "CRF", M3N: "M3N"}
SHARES = {"F1": "test_f1", "precision": "test_precision", "recall": "test_recall", "complete": "test_complete"}


def _settings(settings: list[tuple[str, dict[str, float]]], task: Task, runs: Runs) -> Drawn:
    """Draw EG in these settings, against sweeps."""
    lines: list[Line] = []
    for adaptive in (FIXED, ADAPTIVE):
        look = {"linestyle": method_looks.look("eg", adaptive=adaptive)["linestyle"]}
        for rank, (name, setting) in enumerate(settings):
            colour = {"color": style.shade("eg", rank, len(settings))}
            name = f"EG, {name}, {'adaptive' if adaptive else 'fixed'}"
            lines.append((name, partial(task.eg, adaptive=adaptive, **setting), colour | look))
    return _panels(task, runs, lines, True)


def fig04c(task: Task, runs: Runs) -> Drawn:
    hybrid = f"{made.SMO_PASSES} passes of SMO, then EG"
    lines = [("EG", task.eg, method_looks.look("eg")), (hybrid, task.hybrid, method_looks.look("smo-eg"))]
    return _panels(task, runs, lines, False)


def _panels(task: Task, runs: Runs, others: list[Line], sweeps: bool) -> Drawn:
    """Draw the dual of SMO and of other methods against sweeps or visits, one panel for each C."""
    Cs = [C for C in SHOWN if C in task.Cs]
    figure, panels = style.panels(1, len(Cs), height=3.3, width=3.4)
    smo = method_looks.look("smo") | {"zorder": 3}
    for axes, C in zip(panels[0], Cs, strict=True):
        below = 0
        for name, specs, look in [("SMO", task.smo, smo), *others]:
            found = runs.present(specs(C))
            line = style.line(
                axes, [by_sweeps(run) for run in found] if sweeps else found, "dual", label=name, **look
            )
            below += line is not None and line.y[-1] < 0
        axes.set_xlim(0, task.sweeps)
        _up_to_optimum(axes, runs, task.problem(C))
        for band in (each.artist for each in plotted.series(axes) if each.kind == "band"):
            inside = (path.clip_to_bbox(axes.viewLim) for path in band.get_paths())
            band.set_verts([polygon for path in inside for polygon in path.to_polygons()])
        if below:
            said = f"{below} {'line ends' if below == 1 else 'lines end'} below the frame"
            note = {"ha": "right", "fontsize": 8, "bbox": {"color": "white", "alpha": 0.8, "pad": 1}, "zorder": 4}
            axes.text(0.97, 0.08, said, transform=axes.transAxes, color="#555555", **note)
        axes.set(title=f"C = {C:g}", xlabel="sweeps over the training set" if sweeps else "visits / sentences")
    panels[0, 0].set_ylabel("dual objective")
    return style.legend_above(figure)


def _up_to_optimum(axes: Axes, runs: Runs, problem: list[Spec]) -> None:
    """Draw the greatest dual value of these runs as a thin line, just below the upper end of the y axis."""
    greatest = curves.optimum(runs.present(problem)).dual
    if np.isfinite(greatest):
        plotted.level(axes, greatest, "optimum", **shared.OPTIMUM)
    if 0 < greatest < np.inf:
        axes.set_ylim(-0.02 * greatest, 1.04 * greatest)


def fig_bound(task: Task, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, len(QP_CS), height=3.2, width=4.4)
    for axes, C in zip(panels[0], QP_CS, strict=True):
        found = runs.present(task.qp(C))
        if len(found) == 2:
            T, distance, allowed = bound(*found)
            plotted.line(axes, T, allowed, color=style.INK, linestyle=style.REFERENCE, label="Theorem 2")
            plotted.line(axes, T, distance, color=colours.colour("eg-qp"), label="EG-QP")
        shared.log(axes, "xy")
        axes.set(title=f"C = {C:g}", xlabel="steps T", ylabel="Q($\\alpha^{T+1}$) - Q*")
    return style.legend_above(figure)


def fig_wcfg(task: Grammars, runs: Runs) -> Drawn:
    every = [(loss, C) for loss in (M3N, CRF) for C in task.Cs]
    figure, panels = style.panels(len(every), 3, height=3.0, width=3.9)
    names = labels([spec for loss, C in every for spec in task.trained(loss, C)])
    names |= {spec: BATCH for C in task.Cs for spec in task.batch(C)}  # in the panels of the hinge
    gap, look_of, entries = shared.later("relative_gap", SMALLEST), looks(names), {}
    for (loss, C), (left, middle, right) in zip(every, panels, strict=True):
        own = {spec: name for spec, name in names.items() if (spec.loss, spec.C) == (loss, C)}
        for axes, y, x in ((left, "dual", "passes"), (middle, gap, "passes"), (right, gap, "cpu_seconds")):
            lines = crowds.lines_by_name(axes, runs, own, look_of, y, x)
            entries |= {name: line.artist for name, line in lines.items()}
            axes.set(title=f"{loss} loss, C = {C:g}", xlabel=style.PASSES if x == "passes" else "CPU seconds")
        left.set_ylabel("dual objective")
        _up_to_optimum(left, runs, [*own])
        left.set_xlim(0, task.passes)
        middle.set_ylabel("(primal - dual) / primal")
        for axes in (middle, right):
            if axes.lines:
                axes.set_ylim(top=1.5)
            shared.log(axes, "y")
        shared.log(right, "x")
    return style.legend_below(figure, entries)


def table_wcfg(task: Grammars, runs: Runs) -> Rows:
    for loss in (CRF, M3N):
        names = labels([spec for C in task.Cs for spec in task.trained(loss, C)])
        ways = dict.fromkeys((spec.C, name) for spec, name in names.items())
        for C, name in ways:
            seeds = [spec for spec in names if (spec.C, names[spec]) == (C, name)]
            yield {"model": MODEL[loss], "trained by": name, "C": f"{C:g}"} | _row(runs.present(seeds))
    specs = task.unpenalised()
    for algorithm in dict.fromkeys(spec.algorithm for spec in specs):
        seeds = runs.present([spec for spec in specs if spec.algorithm == algorithm])
        yield {"model": catalogue.label(algorithm), "trained by": "-", "C": "-"} | _row(seeds)


def _row(seeds: list[Run]) -> dict[str, str]:
    def ends(column: str) -> list[float]:
        """Return the last values; NaN of a run without the column."""
        return [last(run, column) if column in run.curve else np.nan for run in seeds]

    found = {head: shared.cell(ends(column), ".1f", 100) for head, column in SHARES.items()}
    found |= {"CPU s": shared.cell(ends("cpu_seconds"), ".2g"), "passes": shared.cell(ends("passes"), ".4g")}
    return found | {"certified gap": shared.cell(ends("relative_gap"), ".2g")}


OF_4A = [(f"$\\eta$ = {eta:g}", {"eta": eta}) for eta in made.ETAS]
OF_4B = [(f"$\\theta$ = {-theta:g}", {"theta": theta}) for theta in made.THETAS]
ON_SENTENCES = {
    "fig04a": partial(_settings, OF_4A),
    "fig04b": partial(_settings, OF_4B),
    "fig04c": fig04c,
    "fig-bound": fig_bound,
}
ON_TREES = {"fig-wcfg": fig_wcfg, "table-wcfg": table_wcfg}
