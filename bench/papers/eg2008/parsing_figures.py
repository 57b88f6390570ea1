"""Draw Figures 12, 13 and 15 and Table 3 of eg2008, dependency parsing: titles, captions, panels."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.tables import Rows, table
from structbench.bench.papers.eg2008 import panels as shared
from structbench.bench.papers.eg2008.parsing import (
    BEST_C,
    BEST_HINGE_C,
    EG,
    ETA0S,
    HINGE_GAP,
    LBFGS,
    SGD,
    STARTS,
    SVM,
    TREE_GAP,
    Parsing,
)
from structbench.bench.papers.eg2008.path import path
from structbench.bench.papers.eg2008.setting import UNIFORM
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

SMALLEST = 1e-3  # percent above the optimum; less is not drawn
ACCURACY = "validation accuracy (% of heads)"
LIGHT = {
    "color": shared.UNIFORM_LOOK["color"],
    "linestyle": style.VARIANTS[1],
}  # uniform u, where dashes are duals


def accuracy(curve: "pd.DataFrame") -> np.ndarray:
    """Return the share of correct heads on the validation split, in percent."""
    return 100 * (1 - curve["test_error"].to_numpy())


def fig12(task: Parsing, runs: Runs) -> "Drawn":
    """Draw the primal for each C, with SGD's learning rates if all of them ran; below, accuracies."""
    count = len(task.Cs) + len(task.rates_at)
    figure, panels = style.panels(-(-count // 2) + 1, 2)
    upper = list(panels[:-1].flat)
    for axes, C in zip(upper, task.Cs, strict=False):
        shared.primal_of_eg(axes, task, runs, C)
        for algorithm, name in ((SGD, "SGD, selected $\\eta_0$"), (LBFGS, "L-BFGS")):
            shared.line(axes, task, runs, algorithm, C, "primal", label=name)
        others = runs.present(task.specs(LBFGS, C)) + runs.present(task.specs(SGD, C))
        shared.finish_primal(axes, task, runs, C, others, 0.25 * task.shown, 0.05)
        if runs.present(task.specs(SGD, C)):
            axes.set_title(f"C = {C:g}, {shared.rate(task, runs, C)} selected")
    for axes, C in zip(upper[len(task.Cs) :], task.rates_at, strict=False):
        _rates(axes, task, runs, C)
    for axes in upper[count:]:
        axes.set_axis_off()
    for axes, algorithm in zip(panels[-1], (LBFGS, SGD), strict=True):
        _accuracies(axes, task, runs, algorithm)
    style.legend_above(figure)
    return figure


def _rates(axes: "Axes", task: Parsing, runs: Runs, C: float) -> None:
    """Draw how far the primal is above the optimum, for SGD with each learning rate and for EG."""
    best = task.optimum(runs, C).primal

    def above(curve: "pd.DataFrame") -> np.ndarray:
        far = 100 * (curve["primal"].to_numpy() / best - 1)
        return np.where((curve["passes"].to_numpy() > 0) & (far > SMALLEST), far, np.nan)

    shared.line(axes, task, runs, EG, C, above, zorder=2.5)
    shared.line(axes, task, runs, EG, C, above, {"start": UNIFORM}, **shared.UNIFORM_LOOK)
    lines = []
    for rank, eta0 in enumerate(ETA0S):
        shade = {"color": style.shade(SGD, rank, len(ETA0S))}
        lines.append(
            (shared.line(axes, task, runs, SGD, C, above, {"eta0": eta0}, **shade), f"$\\eta_0$ = {eta0:g}")
        )
    if axes.lines:
        style.log_ticks(axes.yaxis)
    axes.set_xlim(0, task.shown)
    style.label_ends(axes, lines)
    axes.set(title=f"C = {C:g}, SGD with each $\\eta_0$", xlabel=style.PASSES, ylabel="above the optimum (%)")


def _accuracies(axes: "Axes", task: Parsing, runs: Runs, algorithm: str) -> None:
    """Draw an algorithm at all C, and EG at the paper's best C."""
    name = catalogue.label(algorithm)
    lines = [
        (
            shared.line(axes, task, runs, algorithm, C, accuracy, color=shared.shade(algorithm, C, task.Cs)),
            f"C = {C:g}",
        )
        for C in task.Cs
    ]
    lines.append((shared.line(axes, task, runs, EG, BEST_C, accuracy, linewidth=2.2, zorder=2.5), "EG"))
    uniform = shared.line(axes, task, runs, EG, BEST_C, accuracy, {"start": UNIFORM}, **shared.UNIFORM_LOOK)
    lines.append((uniform, "EG, uniform"))
    others = [run for C in task.Cs for run in runs.present(task.specs(algorithm, C))]
    _frame(axes, [*runs.present(task.specs(EG, BEST_C)), *others], task.shown)
    axes.set_xlim(0, task.shown)
    style.label_ends(axes, lines)
    axes.set(title=f"{name}; EG at C = {BEST_C:g}", xlabel=style.PASSES, ylabel=ACCURACY)


def _frame(axes: "Axes", found: list[Run], end: float) -> None:
    """Limit the y axis to the accuracies from a quarter of ``end`` passes on."""
    late = [accuracy(run.curve)[run.curve["passes"].to_numpy() >= 0.25 * end] for run in found]
    seen = np.concatenate([*late, [np.nan]])
    if np.isfinite(seen).any():
        axes.set_ylim(np.nanmin(seen) - 2, np.nanmax(seen) + 1)


def fig13(task: Parsing, runs: Runs) -> "Drawn":
    """Draw primal and dual of EG and SVM-struct for each C, and accuracies last, against seconds."""
    count = len(task.hinge_Cs) + 1
    figure, panels = style.panels(-(-count // 2), 2)
    for axes, C in zip(panels.flat, task.hinge_Cs, strict=False):
        _primal_and_dual(axes, task, runs, C)
    for axes in list(panels.flat)[count:]:
        axes.set_axis_off()
    axes = panels.flat[count - 1]
    lines = [
        (line(axes, runs, task.hinge(SVM, C), accuracy, color=style.shade(SVM, rank, count)), f"C = {C:g}")
        for rank, C in enumerate(task.hinge_Cs)
    ]
    lines.append((line(axes, runs, task.hinge(EG, BEST_HINGE_C), accuracy, linewidth=2.2), "EG"))
    lines.append((line(axes, runs, task.hinge(EG, BEST_HINGE_C, start=UNIFORM), accuracy, **LIGHT), "EG, uniform"))
    ends = [y for line, _ in lines if line is not None for y in line.get_ydata()[len(line.get_ydata()) // 2 :]]
    if ends:
        margin = 0.15 * (max(ends) - min(ends)) or 1.0
        axes.set_ylim(min(ends) - margin, max(ends) + margin)
    axes.set(title=f"SVM-struct; EG at C = {BEST_HINGE_C:g}", xlabel="CPU seconds", ylabel=ACCURACY)
    shared.log_seconds(axes)
    style.label_ends(axes, lines)
    style.legend_above(figure)
    return figure


def _primal_and_dual(axes: "Axes", task: Parsing, runs: Runs, C: float) -> None:
    for algorithm in (EG, SVM):
        name, dashed = catalogue.label(algorithm), {"linestyle": style.DUAL}
        line(axes, runs, task.hinge(algorithm, C), "primal", label=f"{name}, primal", linestyle="-")
        line(axes, runs, task.hinge(algorithm, C), "dual", label=f"{name}, dual", **dashed)
    uniform = task.hinge(EG, C, start=UNIFORM)
    line(axes, runs, uniform, "primal", label=f"{shared.UNIFORM_EG}, primal", **LIGHT)
    found = [run for algorithm in (EG, SVM) for run in runs.present(task.hinge(algorithm, C))]
    if found:
        best, ends = curves.optimum(found).primal, [run.curve.iloc[-1] for run in found]
        most = max(np.nanmax(shared.later("primal")(run.curve)) for run in found)
        high = max(2.2 * best, 1.3 * max(end["primal"] for end in ends))
        low = min([0.55 * best, *(0.9 * end["dual"] for end in ends)])
        axes.set_ylim(max(0.0, low), min(high, 1.05 * most))
        if any(run.curve["primal"].iloc[-1] > axes.get_ylim()[1] for run in runs.present(uniform)):
            shared.note_above(axes, "left")
    axes.set(title=f"C = {C:g}", xlabel="CPU seconds", ylabel="objective")
    shared.log_seconds(axes)
    style.thousands(axes)


def line(axes: "Axes", runs: Runs, specs: list[Spec], y: style.Column, x: str = "cpu_seconds", **look):
    """Draw a curve from its first pass on, in the look of its algorithm unless another is given."""

    name = specs[0].algorithm
    usual = {"color": style.COLOURS.get(name, style.CYCLE[0]), "linestyle": style.DASHES.get(name, "-")}
    return style.line(axes, runs.present(specs), shared.later(y), x, **usual | look)


def fig15(task: Parsing, runs: Runs) -> "Drawn":
    """Draw objective and accuracy against seconds."""
    figure, ((left, right),) = style.panels(1, 2)
    eg, sgd, lbfgs = (runs.present(task.specs(algorithm, BEST_C)) for algorithm in (EG, SGD, LBFGS))
    shown = [(eg, 0.15 * task.shown), (sgd, 0.1 * task.shown), (lbfgs, 0.25 * task.shown)]
    for axes, y, label in ((left, "primal", "primal objective"), (right, accuracy, ACCURACY)):
        shared.line(axes, task, runs, EG, BEST_C, y, x="cpu_seconds", label="EG", zorder=2.5)
        uniform = {"label": shared.UNIFORM_EG} | shared.UNIFORM_LOOK
        shared.line(axes, task, runs, EG, BEST_C, y, {"start": UNIFORM}, "cpu_seconds", **uniform)
        for algorithm in (SGD, LBFGS):
            name = catalogue.label(algorithm)
            shared.line(axes, task, runs, algorithm, BEST_C, y, x="cpu_seconds", label=name)
        style.frame(axes, shown, y, task.passes, x="cpu_seconds")
        if y is accuracy:
            _frame(axes, [*eg, *sgd, *lbfgs], task.shown)
        axes.set(title=f"C = {BEST_C:g}", xlabel="CPU seconds", ylabel=label)
    style.thousands(left)
    style.legend_above(figure)
    return figure


def _rows(task: Parsing, runs: Runs) -> Rows:
    """Return, for each C of the path, the paper's numbers, ours, and ours from uniform u."""
    found = {start: [path(run) for run in runs.present(replace(task, start=start).path())] for start in STARTS}
    rows = []
    for k, (C, passes, total, correct) in enumerate(task.rows()):
        theirs = {"iterations": f"{passes:.2f}", "total": f"{total:.2f}", "accuracy": f"{correct:.2f}"}
        ours = {start: _step([steps[k] for steps in paths if k < len(steps)]) for start, paths in found.items()}
        row = {"C": f"{C:g}"}
        for name, value in theirs.items():
            row |= {f"{name}, theirs": value}
            row |= {f"{name}, {'ours' if s != UNIFORM else 'uniform'}": step[name] for s, step in ours.items()}
        rows.append(row)
    return rows


def _step(seeds: list[tuple[float, float, float, float]]) -> dict[str, str]:
    """Format means over seeds; dashes without seeds."""
    if not seeds:
        return dict.fromkeys(("iterations", "total", "accuracy"), "-")
    _, passes, total, error = np.mean(seeds, axis=0)
    return {"iterations": f"{passes:.2f}", "total": f"{total:.2f}", "accuracy": f"{100 * (1 - error):.2f}"}


def ours_of(task: Parsing) -> str:
    """Return what every caption says of the data and of our choices."""
    seeds = f" Lines are means over {len(task.seeds)} seeds, bands their range." if len(task.seeds) > 1 else ""
    return (
        f"{task.setting}{seeds} Ours: EG's first dual point (u proportional to exp(-{STARTS[0]:g} x the number of "
        "wrong heads) and uniform), the axes' ranges, the lines' styles. A dot ends a run that reached a relative "
        f"gap of {TREE_GAP:g}, for the hinge {HINGE_GAP:g}."
    )


def figures(task: Parsing) -> dict[str, Figure]:
    """Return the paper's figures and table by file stem."""
    ours, part = ours_of(task), "" if task.whole else ", a part of the data"
    limited = f"Each run may take {task.seconds:g} s."
    return {
        "fig12-parsing": Figure(
            f"eg2008, Figure 12: EG, L-BFGS and SGD, dependency parsing{part}",
            "Log-linear models: primal objective for each C, and of SGD with every learning rate that section 7.2 "
            "lists, and 0.01; eta0 is otherwise selected after one pass, on a held-out tenth of the training "
            "sentences (theirs: on the validation data). Bottom: validation accuracy of L-BFGS and of SGD at "
            f"several C, and of EG at C = {BEST_C:g}. {ours}",
            partial(fig12, task),
        ),
        "fig13-parsing": Figure(
            f"eg2008, Figure 13: EG and SVM-struct, dependency parsing{part}",
            "Max-margin models: primal (solid) and negated dual (dashed) objective of online EG and of SVM-struct "
            "(n-slack cutting planes of ours, whose tolerance falls as they go), against seconds of one thread; "
            f"in the last panel validation accuracy of SVM-struct at several C and of EG at C = {BEST_HINGE_C:g}. "
            f"The seconds' axes are logarithmic (ours; theirs: hours, C++). {limited} {ours}",
            partial(fig13, task),
        ),
        "fig15-parsing": Figure(
            f"eg2008, Figure 15: objective and accuracy against time, dependency parsing{part}",
            f"Primal objective and validation accuracy against wall seconds at C = {BEST_C:g}; the selection of "
            "eta0 and of EG's first step size counts, evaluation and compilation do not. Theirs: about 100 "
            f"effective iterations, C++ (L-BFGS in Fortran) on a 1.8 GHz Opteron. {ours}",
            partial(fig15, task),
        ),
        "table3-parsing": table(
            f"eg2008, Table 3: one C after another, dependency parsing{part}",
            "Effective iterations of randomized online EG for a sequence of values of C, each to a gap of 0.1% of "
            "the primal, started from the dual variables of the last; and the validation accuracy in percent. "
            f"{'Theirs is on all of the data: no number compares. ' if part else ''}{ours}",
            partial(_rows, task),
        ),
    }
