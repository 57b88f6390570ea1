"""How each figure of eg2008 is drawn, for one task: titles, captions, panels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.draw import Runs
from bench.figures import measures, style
from bench.figures.eg2008 import CS, POST_HOC, SGD_ERROR_CS, START, UNIFORM, Task

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# The y axis holds all that a curve does from this part of the x axis on, EG's primal from the later one.
EARLY, LATE = 0.1, 0.3


def fig04(task: Task, runs: Runs) -> "Figure":
    figure, ((left, right),) = style.panels(1, 2)
    for axes, Cs, start, title in ((left, CS, EARLY, "EG"), (right, CS[2:], LATE, "EG, enlarged")):
        lines = [(_curve(axes, task, runs, "eg", C, percent, color=_shade("eg", C)), f"C = {C:g}") for C in Cs]
        shown = [run for C in Cs for run in runs.present(task.specs("eg", C))]
        style.frame(axes, [(shown, start * task.shown)], percent, task.shown)
        style.label_ends(axes, lines)
        axes.set(title=title, xlabel=style.PASSES, ylabel=_error(task))
    return figure


def fig05(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(1, 2)
    for axes, Cs in zip(panels[0], (CS[:2], CS[2:]), strict=True):
        lines, shown = [], []
        for C in Cs:
            colour = style.shade("eg", Cs.index(C), 2)
            lines.append((_curve(axes, task, runs, "eg", C, "primal", color=colour), f"C = {C:g}"))
            _curve(axes, task, runs, "eg", C, "dual", color=colour, linestyle=style.DUAL)
            shown += runs.present(task.specs("eg", C))
        style.frame(axes, [(shown, LATE / 2 * task.shown)], "primal", task.shown, besides=_least_dual(shown, task))
        style.label_ends(axes, lines)
        _keys(axes, {"primal": "-", "dual, negated": style.DUAL})
        axes.set(title=" and ".join(f"C = {C:g}" for C in Cs), xlabel=style.PASSES, ylabel="objective")
        style.thousands(axes)
    return figure


def fig06(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(1, 2, height=3.6, width=4.6)
    lines = {}
    for axes, start, title in zip(panels[0], (START, UNIFORM), ("EG", UNIFORM_EG), strict=True):
        for C in CS:
            gap, look = _gap(task, runs, C, 100), {"color": _shade("eg", C)}
            line = _curve(axes, task, runs, "eg", C, gap, {"start": start}, **look)
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
        _curve(left, task, runs, "eg", 1.0, "primal", params, color=colour, label=f"{name}, primal")
        dual = {"color": colour, "linestyle": style.DUAL, "label": f"{name}, dual"}
        _curve(left, task, runs, "eg", 1.0, "dual", params, **dual)
        gap = _curve(right, task, runs, "eg", 1.0, _gap(task, runs, 1.0), params, color=colour)
        gaps.append((gap, name))
        shown += runs.present(task.specs("eg", 1.0, **params))
    style.frame(left, [(shown, LATE / 2 * task.passes)], "primal", task.passes, besides=_least_dual(shown, task))
    left.set(title="C = 1", xlabel=style.PASSES, ylabel="objective")
    style.thousands(left)
    right.set_xlim(0, task.passes)
    style.log_ticks(right.yaxis)
    style.label_ends(right, gaps)
    right.set(title="C = 1", xlabel=style.PASSES, ylabel="(primal - dual) / optimum")
    style.legend_above(figure)
    return figure


def fig09(task: Task, runs: Runs) -> "Figure":
    return _errors(task, runs, "sgd", SGD_ERROR_CS)


def fig10(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(2, 2)
    for axes, C in zip(panels.flat, CS, strict=True):
        _primal_of_eg(axes, task, runs, C)
        _curve(axes, task, runs, "sgd", C, "primal", label="SGD, selected $\\eta_0$")
        others = runs.present(task.specs("sgd", C))
        if C == 1:
            colour = style.shade("sgd", 2, 3)
            label = f"SGD, $\\eta_0$ = {POST_HOC['eta0']:g}"
            _curve(axes, task, runs, "sgd", C, "primal", POST_HOC, color=colour, linestyle=":", label=label)
            others += runs.present(task.specs("sgd", C, **POST_HOC))
        _finish_primal(axes, task, runs, C, others, 1.0, 0.01)
        axes.set_title(f"C = {C:g}, {_rate(task, runs, C)} selected")
    style.legend_above(figure)
    return figure


def fig11(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(3, 2)
    for axes, C in zip(panels[:2].flat, CS, strict=True):
        _primal_of_eg(axes, task, runs, C)
        _curve(axes, task, runs, "lbfgs", C, "primal", label="L-BFGS")
        others = runs.present(task.specs("lbfgs", C))
        _finish_primal(axes, task, runs, C, others, 2 * EARLY * task.shown, 0.05)
    grid = panels[2, 0].get_gridspec()
    for axes in panels[2]:
        axes.remove()
    _error_panel(figure.add_subplot(grid[2, :]), task, runs, "lbfgs", CS)
    style.legend_above(figure)
    return figure


def fig14(task: Task, runs: Runs) -> "Figure":
    figure, ((left, right),) = style.panels(1, 2)
    eg, sgd, lbfgs = (runs.present(task.specs(algorithm, 10.0)) for algorithm in ("eg", "sgd", "lbfgs"))
    shown = [(eg, LATE * task.shown), (sgd, 1.0), (lbfgs, 2 * EARLY * task.shown)]
    for axes, y, label in ((left, "primal", "primal objective"), (right, percent, _error(task))):
        for algorithm, name in style.NAMES.items():
            _curve(axes, task, runs, algorithm, 10.0, y, x="wall_seconds", label=name)
        style.frame(axes, shown, y, task.passes, x="wall_seconds")
        axes.set(title="C = 10", xlabel="seconds", ylabel=label)
    style.thousands(left)
    style.legend_above(figure)
    return figure


CYCLIC = "#CC79A7"
UNIFORM_EG = "EG, uniform start"
UNIFORM_LOOK = {"color": style.shade("eg", 0, 2), "linestyle": style.DUAL}

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
    "fig09": (
        "validation error of EG and SGD",
        "Validation error of randomized online EG at C = 10 and of SGD at several C. The passes in which SGD's "
        "eta0 was selected do not count; it was selected on a held-out tenth of the training data (theirs: on "
        "the validation data).",
        fig09,
    ),
    "fig10": (
        "primal of EG and SGD",
        "Primal objective of randomized online EG and of SGD. eta0 as selected after one pass on a held-out tenth "
        "of the training data (theirs: on the validation data), and at C = 1 also 0.1. Their annealed EG is not "
        "drawn.",
        fig10,
    ),
    "fig11": (
        "EG and L-BFGS",
        "Primal objective of randomized online EG and of L-BFGS (10 pairs; every evaluation of its line "
        "search counts as a pass); bottom: validation error of L-BFGS at several C and of EG at C = 10.",
        fig11,
    ),
    "fig14": (
        "objective and error against time",
        "Primal objective and validation error against wall seconds at C = 10; evaluation, compilation and the "
        "selection of eta0 not counted. Theirs: C++ (L-BFGS in Fortran) on a 1.8 GHz Opteron.",
        fig14,
    ),
}


def percent(curve: "pd.DataFrame") -> np.ndarray:
    """The error on the validation split in percent."""
    return 100 * curve["test_error"].to_numpy()


def _curve(
    axes: "Axes",
    task: Task,
    runs: Runs,
    algorithm: str,
    C: float,
    y: style.Column,
    params: dict[str, Any] | None = None,
    x: str = "passes",
    **look: Any,
) -> "Line2D | None":
    look = {"color": style.COLOURS[algorithm], "linestyle": style.DASHES[algorithm]} | look
    return style.line(axes, runs.present(task.specs(algorithm, C, **(params or {}))), y, x, **look)


def _shade(algorithm: str, C: float, Cs: tuple[float, ...] = CS) -> tuple[float, float, float]:
    return style.shade(algorithm, Cs.index(C), len(Cs))


def _gap(task: Task, runs: Runs, C: float, scale: float = 1.0) -> style.Column:
    best = task.optimum(runs, C).primal
    return lambda curve: scale * curve["gap"].to_numpy() / best


def _error(task: Task) -> str:
    return f"validation error (% of {task.wrong})"


def _rate(task: Task, runs: Runs, C: float) -> str:
    """The eta0 that the runs selected."""
    rates = sorted({run.summary["notes"]["eta0"] for run in runs.present(task.specs("sgd", C))})
    return f"$\\eta_0$ = {' or '.join(f'{rate:g}' for rate in rates)}"


def _least_dual(runs: list, task: Task) -> float:
    """The least dual value that a figure of primal and dual is to show."""
    return float(min((measures.at(run.curve, "dual", LATE / 2 * task.shown) for run in runs), default=np.nan))


def _primal_of_eg(axes: "Axes", task: Task, runs: Runs, C: float) -> None:
    _curve(axes, task, runs, "eg", C, "primal", label="EG", zorder=2.5)
    _curve(axes, task, runs, "eg", C, "primal", {"start": UNIFORM}, label=UNIFORM_EG, **UNIFORM_LOOK)


def _finish_primal(
    axes: "Axes", task: Task, runs: Runs, C: float, others: list, start: float, share: float
) -> None:
    """Limits, the optimum as a thin line, names.

    ``others`` are the runs that EG is compared with, seen from pass ``start`` on; the y axis goes up to at least
    ``share`` of the optimum above it.
    """
    eg, best = runs.present(task.specs("eg", C)), task.optimum(runs, C).primal
    style.frame(axes, [(eg, LATE * task.shown), (others, start)], "primal", task.shown, besides=(1 + share) * best)
    uniform = [r.curve for r in runs.present(task.specs("eg", C, start=UNIFORM))]
    if uniform and min(measures.at(curve, "primal", task.shown) for curve in uniform) > axes.get_ylim()[1]:
        note = {"transform": axes.transAxes, "ha": "right", "color": UNIFORM_LOOK["color"]}
        axes.text(0.97, 0.93, f"{UNIFORM_EG}: above the frame", **note)
    if np.isfinite(best):
        axes.axhline(best, color="#999999", linewidth=0.7, zorder=1)
    axes.set(title=f"C = {C:g}", xlabel=style.PASSES, ylabel="primal objective")
    style.thousands(axes)


def _errors(task: Task, runs: Runs, algorithm: str, Cs: tuple[float, ...]) -> "Figure":
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=6.2)
    _error_panel(axes, task, runs, algorithm, Cs)
    return figure


def _error_panel(axes: "Axes", task: Task, runs: Runs, algorithm: str, Cs: tuple[float, ...]) -> None:
    """EG at C = 10 and another algorithm at several C."""
    name = style.NAMES[algorithm]
    lines = [
        (_curve(axes, task, runs, algorithm, C, percent, color=_shade(algorithm, C, Cs)), f"{name}, C = {C:g}")
        for C in Cs
    ]
    lines.append((_curve(axes, task, runs, "eg", 10.0, percent, linewidth=2.2, zorder=2.5), "EG, C = 10"))
    uniform = _curve(axes, task, runs, "eg", 10.0, percent, {"start": UNIFORM}, **UNIFORM_LOOK)
    lines.append((uniform, f"{UNIFORM_EG}, C = 10"))
    others = [run for C in Cs for run in runs.present(task.specs(algorithm, C))]
    start = 1.0 if algorithm == "sgd" else 2 * EARLY * task.shown
    shown = [(others, start), (runs.present(task.specs("eg", 10.0)), 2 * EARLY * task.shown)]
    style.frame(axes, shown, percent, task.shown)
    style.label_ends(axes, lines)
    axes.set(xlabel=style.PASSES, ylabel=_error(task))


def _keys(axes: "Axes", names: dict[str, Any]) -> None:
    """A legend of line styles alone."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=style.INK, linestyle=dash, label=name) for name, dash in names.items()]
    axes.legend(handles=handles, loc="best")
