"""Draw Figures 9, 10, 11 and 14 of eg2008, EG against SGD and L-BFGS on one task: titles, captions, panels."""

from typing import TYPE_CHECKING

from structbench.bench.drawing import style
from structbench.bench.papers.eg2008 import panels as shared
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import ANNEALED, CS, POST_HOC, SGD_ERROR_CS
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def fig09(task: Task, runs: Runs) -> "Figure":
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=6.2)
    shared.error_panel(axes, task, runs, "sgd", SGD_ERROR_CS)
    return figure


def fig10(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(2, 2)
    for axes, C in zip(panels.flat, CS, strict=True):
        shared.primal_of_eg(axes, task, runs, C)
        shared.line(axes, task, runs, "sgd", C, "primal", label="SGD, selected $\\eta_0$")
        others = runs.present(task.specs("sgd", C))
        if C == 1:
            colour = style.shade("sgd", 2, 3)
            label = f"SGD, $\\eta_0$ = {POST_HOC['eta0']:g}"
            shared.line(axes, task, runs, "sgd", C, "primal", POST_HOC, color=colour, linestyle=":", label=label)
            others += runs.present(task.specs("sgd", C, **POST_HOC))
            shared.line(
                axes, task, runs, "eg", C, "primal", ANNEALED, label=shared.ANNEALED_EG, **shared.ANNEALED_LOOK
            )
        shared.finish_primal(axes, task, runs, C, others, 1.0, 0.01)
        axes.set_title(f"C = {C:g}, {shared.rate(task, runs, C)} selected")
    style.legend_above(figure)
    return figure


def fig11(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(3, 2)
    for axes, C in zip(panels[:2].flat, CS, strict=True):
        shared.primal_of_eg(axes, task, runs, C)
        shared.line(axes, task, runs, "lbfgs", C, "primal", label="L-BFGS")
        others = runs.present(task.specs("lbfgs", C))
        shared.finish_primal(axes, task, runs, C, others, 2 * shared.EARLY * task.shown, 0.05)
    grid = panels[2, 0].get_gridspec()
    for axes in panels[2]:
        axes.remove()
    shared.error_panel(figure.add_subplot(grid[2, :]), task, runs, "lbfgs", CS)
    style.legend_above(figure)
    return figure


def fig14(task: Task, runs: Runs) -> "Figure":
    figure, ((left, right),) = style.panels(1, 2)
    eg, sgd, lbfgs = (runs.present(task.specs(algorithm, 10.0)) for algorithm in ("eg", "sgd", "lbfgs"))
    shown = [(eg, shared.LATE * task.shown), (sgd, 1.0), (lbfgs, 2 * shared.EARLY * task.shown)]
    for axes, y, label in (
        (left, "primal", "primal objective"),
        (right, shared.percent, shared.error_label(task)),
    ):
        for algorithm in ("eg", "sgd", "lbfgs"):
            name = catalogue.label(algorithm)
            shared.line(axes, task, runs, algorithm, 10.0, y, x="cpu_seconds", label=name)
        style.frame(axes, shown, y, task.passes, x="cpu_seconds")
        axes.set(title="C = 10", xlabel="CPU seconds", ylabel=label)
    style.thousands(left)
    style.legend_above(figure)
    return figure


DRAWN = {
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
        "of the training data (theirs: on the validation data), and at C = 1 also 0.1, and "
        "EG with C annealed from 10 (Figure 8).",
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
        "Primal objective and validation error against wall seconds at C = 10; the selection of "
        "eta0 counts, evaluation and compilation do not. Theirs: C++ (L-BFGS in Fortran) on a 1.8 GHz Opteron.",
        fig14,
    ),
}
