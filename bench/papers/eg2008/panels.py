"""Helpers to draw eg2008's figures for the log loss: a task's curves, looks, limits and labels."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import CS, UNIFORM
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# The y axis shows each curve from this share of the x axis on; EG's primal from the later one.
EARLY, LATE = 0.1, 0.3

UNIFORM_EG = "EG, uniform start"
UNIFORM_LOOK = {"color": style.shade("eg", 0, 2), "linestyle": style.DUAL}
ANNEALED_EG = "EG, annealed"
ANNEALED_LOOK = {"color": "#CC79A7", "linestyle": style.VARIANTS[2]}


def percent(curve: "pd.DataFrame") -> np.ndarray:
    """Return the validation error in percent."""
    return 100 * curve["test_error"].to_numpy()


def line(
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
    """Draw one algorithm's curve, in its own look unless another is given."""
    look = {"color": style.COLOURS[algorithm], "linestyle": style.DASHES[algorithm]} | look
    return style.line(axes, runs.present(task.specs(algorithm, C, **(params or {}))), y, x, **look)


def shade(algorithm: str, C: float, Cs: tuple[float, ...] = CS) -> tuple[float, float, float]:
    """Return the algorithm's shade for one of several C."""
    return style.shade(algorithm, Cs.index(C), len(Cs))


def gap(task: Task, runs: Runs, C: float, scale: float = 1.0) -> style.Column:
    """Return a column: the gap as a share of the optimum, times ``scale``."""
    best = task.optimum(runs, C).primal
    return lambda curve: scale * curve["gap"].to_numpy() / best


def error_label(task: Task) -> str:
    """Return the axis label for validation errors in percent."""
    return f"validation error (% of {task.wrong})"


def rate(task: Task, runs: Runs, C: float) -> str:
    """Return the eta0 that the runs selected, as text."""
    rates = sorted({run.summary["notes"]["eta0"] for run in runs.present(task.specs("sgd", C))})
    return f"$\\eta_0$ = {' or '.join(f'{rate:g}' for rate in rates)}"


def least_dual(runs: list, task: Task) -> float:
    """Return the least dual value that a figure of primal and dual shows."""
    return float(min((curves.at(run.curve, "dual", LATE / 2 * task.shown) for run in runs), default=np.nan))


def primal_of_eg(axes: "Axes", task: Task, runs: Runs, C: float) -> None:
    """Draw EG's primal from both starts."""
    line(axes, task, runs, "eg", C, "primal", label="EG", zorder=2.5)
    line(axes, task, runs, "eg", C, "primal", {"start": UNIFORM}, label=UNIFORM_EG, **UNIFORM_LOOK)


def finish_primal(
    axes: "Axes", task: Task, runs: Runs, C: float, others: list, start: float, share: float
) -> None:
    """Set limits and labels, and draw the optimum as a thin line.

    EG is compared with the runs ``others``, shown from pass ``start`` on. The y axis goes up to at least ``share``
    of the optimum above it.
    """
    eg, best = runs.present(task.specs("eg", C)), task.optimum(runs, C).primal
    style.frame(axes, [(eg, LATE * task.shown), (others, start)], "primal", task.shown, besides=(1 + share) * best)
    uniform = [r.curve for r in runs.present(task.specs("eg", C, start=UNIFORM))]
    if uniform and min(curves.at(curve, "primal", task.shown) for curve in uniform) > axes.get_ylim()[1]:
        note_above(axes)
    if np.isfinite(best):
        axes.axhline(best, color="#999999", linewidth=0.7, zorder=1)
    axes.set(title=f"C = {C:g}", xlabel=style.PASSES, ylabel="primal objective")
    style.thousands(axes)


def note_above(axes: "Axes", side: Literal["left", "right"] = "right") -> None:
    """Note that EG from the uniform start is above the frame, at a place without curves."""
    look = {"ha": side, "va": "top", "color": UNIFORM_LOOK["color"], "transform": axes.transAxes}
    axes.text({"left": 0.03, "right": 0.97}[side], 0.97, f"{UNIFORM_EG}:\nabove the frame", **look)


def error_panel(axes: "Axes", task: Task, runs: Runs, algorithm: str, Cs: tuple[float, ...]) -> None:
    """Draw EG at C = 10 and another algorithm at several C."""
    name = catalogue.label(algorithm)
    lines = [
        (line(axes, task, runs, algorithm, C, percent, color=shade(algorithm, C, Cs)), f"{name}, C = {C:g}")
        for C in Cs
    ]
    lines.append((line(axes, task, runs, "eg", 10.0, percent, linewidth=2.2, zorder=2.5), "EG, C = 10"))
    uniform = line(axes, task, runs, "eg", 10.0, percent, {"start": UNIFORM}, **UNIFORM_LOOK)
    lines.append((uniform, f"{UNIFORM_EG}, C = 10"))
    others = [run for C in Cs for run in runs.present(task.specs(algorithm, C))]
    start = 1.0 if algorithm == "sgd" else 2 * EARLY * task.shown
    shown = [(others, start), (runs.present(task.specs("eg", 10.0)), 2 * EARLY * task.shown)]
    style.frame(axes, shown, percent, task.shown)
    style.label_ends(axes, lines)
    axes.set(xlabel=style.PASSES, ylabel=error_label(task))


def later(y: style.Column) -> style.Column:
    """Leave out the rows before the first pass, as a logarithmic axis needs."""
    return lambda curve: np.where(curve["passes"] > 0, curve[y] if isinstance(y, str) else y(curve), np.nan)


def log_seconds(axes: "Axes") -> None:
    """Make the x axis logarithmic, if anything is drawn."""
    if axes.lines:
        style.log_ticks(axes.xaxis)


def keys(axes: "Axes", names: dict[str, Any]) -> None:
    """Draw a legend of line styles alone."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=style.INK, linestyle=dash, label=name) for name, dash in names.items()]
    axes.legend(handles=handles, loc="best")
