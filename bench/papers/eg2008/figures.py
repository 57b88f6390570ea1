"""Draw Figures 4 to 8 of eg2008, EG for the log loss on one task: titles, captions, panels."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.papers.eg2008 import panels as shared
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import ANNEALED, CS, START, UNIFORM
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CYCLIC = "#CC79A7"


def fig04(task: Task, runs: Runs) -> "Figure":
    figure, ((left, right),) = style.panels(1, 2)
    for axes, Cs, start, title in ((left, CS, shared.EARLY, "EG"), (right, CS[2:], shared.LATE, "EG, enlarged")):
        lines = [
            (shared.line(axes, task, runs, "eg", C, shared.percent, color=shared.shade("eg", C)), f"C = {C:g}")
            for C in Cs
        ]
        shown = [run for C in Cs for run in runs.present(task.specs("eg", C))]
        style.frame(axes, [(shown, start * task.shown)], shared.percent, task.shown)
        style.label_ends(axes, lines)
        axes.set(title=title, xlabel=style.PASSES, ylabel=shared.error_label(task))
    return figure


def fig05(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(1, 2)
    for axes, Cs in zip(panels[0], (CS[:2], CS[2:]), strict=True):
        lines, shown = [], []
        for C in Cs:
            colour = style.shade("eg", Cs.index(C), 2)
            lines.append((shared.line(axes, task, runs, "eg", C, "primal", color=colour), f"C = {C:g}"))
            shared.line(axes, task, runs, "eg", C, "dual", color=colour, linestyle=style.DUAL)
            shown += runs.present(task.specs("eg", C))
        style.frame(
            axes,
            [(shown, shared.LATE / 2 * task.shown)],
            "primal",
            task.shown,
            besides=shared.least_dual(shown, task),
        )
        style.label_ends(axes, lines)
        shared.keys(axes, {"primal": "-", "dual, negated": style.DUAL})
        axes.set(title=" and ".join(f"C = {C:g}" for C in Cs), xlabel=style.PASSES, ylabel="objective")
        style.thousands(axes)
    return figure


def fig06(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(1, 2, height=3.6, width=4.6)
    lines = {}
    for axes, start, title in zip(panels[0], (START, UNIFORM), ("EG", shared.UNIFORM_EG), strict=True):
        for C in CS:
            gap, look = shared.gap(task, runs, C, 100), {"color": shared.shade("eg", C)}
            line = shared.line(axes, task, runs, "eg", C, gap, {"start": start}, **look)
            lines.setdefault(axes, []).append((line, f"C = {C:g}"))
        axes.set(title=title, xlabel=style.PASSES, ylabel="duality gap (% of the optimum)")
    panels[0, 1].sharey(panels[0, 0])
    for axes, drawn in lines.items():
        axes.set_xlim(0, task.passes)
        style.log_ticks(axes.yaxis)
        style.label_ends(axes, drawn)
    return figure


def fig07(task: Task, runs: Runs) -> "Figure":
    figure, ((left, right),) = style.panels(1, 2)
    gaps, shown = [], []
    for order, name, colour in (
        ("random", "randomized", style.COLOURS["eg"]),
        ("cyclic", "deterministic", CYCLIC),
    ):
        params = {"order": order}
        shared.line(left, task, runs, "eg", 1.0, "primal", params, color=colour, label=f"{name}, primal")
        dual = {"color": colour, "linestyle": style.DUAL, "label": f"{name}, dual"}
        shared.line(left, task, runs, "eg", 1.0, "dual", params, **dual)
        gap = shared.line(right, task, runs, "eg", 1.0, shared.gap(task, runs, 1.0), params, color=colour)
        gaps.append((gap, name))
        shown += runs.present(task.specs("eg", 1.0, **params))
    style.frame(
        left,
        [(shown, shared.LATE / 2 * task.passes)],
        "primal",
        task.passes,
        besides=shared.least_dual(shown, task),
    )
    left.set(title="C = 1", xlabel=style.PASSES, ylabel="objective")
    style.thousands(left)
    right.set_xlim(0, task.passes)
    style.log_ticks(right.yaxis)
    style.label_ends(right, gaps)
    right.set(title="C = 1", xlabel=style.PASSES, ylabel="(primal - dual) / optimum")
    style.legend_above(figure)
    return figure


def fig08(task: Task, runs: Runs) -> "Figure":
    figure, ((left, right),) = style.panels(1, 2)
    looks = {shared.ANNEALED_EG: (ANNEALED, shared.ANNEALED_LOOK)}
    uniform = ANNEALED | {"start": UNIFORM}
    looks[f"{shared.ANNEALED_EG}, uniform start"] = (uniform, {"color": "#D9A0C0", "linestyle": style.DUAL})
    shown = [r for start in (START, UNIFORM) for r in runs.present(task.specs("eg", 1.0, **ANNEALED, start=start))]
    regular = runs.present(task.specs("eg", 1.0))
    best = task.optimum(runs, 1.0).primal
    for axes, y in ((left, "primal"), (right, shared.percent)):
        shared.line(axes, task, runs, "eg", 1.0, y, label="EG", zorder=2.5)
        uniform_eg = {"start": UNIFORM}, {"label": shared.UNIFORM_EG} | shared.UNIFORM_LOOK
        shared.line(axes, task, runs, "eg", 1.0, y, uniform_eg[0], **uniform_eg[1])
        for name, (params, look) in looks.items():
            shared.line(axes, task, runs, "eg", 1.0, y, params, label=name, **look)
        besides = 1.01 * best if y == "primal" else np.nan
        style.frame(axes, [(regular + shown, shared.LATE * task.shown)], y, task.shown, besides=besides)
        axes.set(title="C = 1", xlabel=style.PASSES)
    left.set_ylabel("primal objective")
    right.set_ylabel(shared.error_label(task))
    style.thousands(left)
    style.legend_above(figure)
    return figure


DRAWN = {
    "fig04": (
        "validation error of EG",
        "Validation error of randomized online EG against effective iterations (examples visited / n, every "
        "step size that is tried counted), for C = 1000, 100, 10 and 1; right: C = 10 and 1 enlarged.",
        fig04,
    ),
    "fig05": (
        "primal and dual of EG",
        "Primal (solid) and negated dual (dashed) objective of randomized online EG; they meet at the optimum.",
        fig05,
    ),
    "fig06": (
        "duality gap of EG",
        "Primal minus dual of randomized online EG, in percent of the optimum: the least primal value of all our "
        "runs of that C. Right: EG started from uniform u.",
        fig06,
    ),
    "fig07": (
        "randomized and deterministic EG",
        "Online EG that draws the examples at random, and that visits them in the file's order; C = 1. Left: "
        "primal and negated dual. Right: the gap as a fraction of the optimum; the logarithmic axis is ours.",
        fig07,
    ),
    "fig08": (
        "annealed EG",
        "Primal objective and validation error at C = 1 of randomized online EG, regular and annealed: C = 10 for "
        "5 passes of updates, then 1 + 9 x 0.7^(passes - 5), the primal always that of C = 1; the axis counts one "
        "more, which computes w of the first u. Both from both starts.",
        fig08,
    ),
}
