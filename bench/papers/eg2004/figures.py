"""Draw the figures of eg2004: titles, captions, panels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.papers.eg2004.read_off import bound, by_sweeps
from structbench.bench.papers.eg2004.runs import Task
from structbench.bench.papers.eg2004.setting import ADAPTIVE, CS, ETAS, FIXED, QP_CS, SMO_PASSES, THETA, THETAS
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Line = tuple[str, list[Spec], dict[str, Any]]  # name, one run a seed, look

SMO_LOOK = {"color": style.COLOURS["smo"], "linestyle": style.DASHES["smo"], "zorder": 3}
ADAPTIVE_DASH = (0, (4, 1.2))


def fig04a(task: Task, runs: Runs) -> "Figure":
    def lines(C: float) -> list[Line]:
        return [
            (
                _name(f"$\\eta$ = {eta:g}", adaptive),
                task.eg(C, eta, adaptive=adaptive),
                _look(rank, ETAS, adaptive),
            )
            for adaptive in (FIXED, ADAPTIVE)
            for rank, eta in enumerate(ETAS)
        ]

    return _panels(task, runs, lines, True)


def fig04b(task: Task, runs: Runs) -> "Figure":
    def lines(C: float) -> list[Line]:
        return [
            (
                _name(f"$\\theta$ = {-theta:g}", adaptive),
                task.eg(C, 1.0, theta, adaptive),
                _look(rank, THETAS, adaptive),
            )
            for adaptive in (FIXED, ADAPTIVE)
            for rank, theta in enumerate(THETAS)
        ]

    return _panels(task, runs, lines, True)


def fig04c(task: Task, runs: Runs) -> "Figure":
    def lines(C: float) -> list[Line]:
        hybrid = {"color": style.COLOURS["smo-eg"], "linestyle": style.DASHES["smo-eg"]}
        return [
            ("EG", task.eg(C), {"color": style.COLOURS["eg"]}),
            (f"{SMO_PASSES} passes of SMO, then EG", task.hybrid(C), hybrid),
        ]

    return _panels(task, runs, lines, False)


def _name(setting: str, adaptive: bool) -> str:
    return f"EG, {setting}, {'adaptive' if adaptive else 'fixed'}"


def _look(rank: int, of: tuple[float, ...], adaptive: bool) -> dict[str, Any]:
    """Return the look of a line; adaptive EG, our variant, is thin."""
    width = {"linewidth": 0.8} if adaptive else {}
    return {"color": style.shade("eg", rank, len(of)), "linestyle": ADAPTIVE_DASH if adaptive else "-"} | width


def _panels(task: Task, runs: Runs, others: Any, sweeps: bool) -> "Figure":
    """Draw the dual of SMO and of other methods against sweeps or visits, one panel for each C."""
    figure, panels = style.panels(1, len(CS), height=3.3, width=3.6)
    for axes, C in zip(panels[0], CS, strict=True):
        greatest = curves.optimum(runs.present(task.problem(C))).dual
        below = 0
        for name, specs, look in [("SMO", task.smo(C), SMO_LOOK), *others(C)]:
            found = runs.present(specs)
            line = style.line(
                axes, [by_sweeps(run) for run in found] if sweeps else found, "dual", label=name, **look
            )
            below += line is not None and line.get_ydata()[-1] < 0
        axes.set_xlim(0, task.sweeps)
        if np.isfinite(greatest):
            axes.axhline(greatest, color="#999999", linewidth=0.7, zorder=1)
            axes.set_ylim(-0.02 * greatest, 1.04 * greatest)
        if below:
            said = f"{below} {'line ends' if below == 1 else 'lines end'} below the frame"
            note = {"ha": "right", "fontsize": 8, "bbox": {"color": "white", "alpha": 0.8, "pad": 1}, "zorder": 4}
            axes.text(0.97, 0.08, said, transform=axes.transAxes, color="#555555", **note)
        axes.set(title=f"C = {C:g}", xlabel="sweeps over the training set" if sweeps else "visits / sentences")
    panels[0, 0].set_ylabel("dual objective")
    _legend(figure)
    return figure


def _legend(figure: "Figure") -> None:
    entries = {
        name: handle
        for axes in figure.axes
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if entries:
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower center",
            ncols=-(-len(entries) // (1 + (len(entries) > 4))),
        )


def fig_bound(task: Task, runs: Runs) -> "Figure":
    figure, panels = style.panels(1, len(QP_CS), height=3.2, width=4.4)
    for axes, C in zip(panels[0], QP_CS, strict=True):
        found = runs.present([task.qp(C), task.exact(C)])
        if len(found) == 2:
            T, distance, allowed = bound(*found)
            axes.plot(T, allowed, color=style.INK, linestyle=style.DUAL, label="Theorem 2")
            axes.plot(T, distance, color=style.COLOURS["eg"], label="EG-QP")
            style.log_ticks(axes.xaxis)
            style.log_ticks(axes.yaxis)
        axes.set(title=f"C = {C:g}", xlabel="steps T", ylabel="Q($\\alpha^{T+1}$) - Q*")
    style.legend_above(figure)
    return figure


DRAWN = {
    "fig04a": (
        "Figure 4a: SMO and EG, two learning rates",
        "Dual objective against sweeps over the training set, in which each sentence is updated once, for "
        "factored SMO and for online EG with learning rates 0.5 and 1, fixed; thin, ours, one seed: adapted as in "
        f"eg2008 (halved until the dual does not fall, times 1.05 after a visit). From theta = -{THETA:g} (ours: "
        "Figure 4a does not say). The grey line is the greatest dual value of all our runs.",
        fig04a,
    ),
    "fig04b": (
        "Figure 4b: SMO and EG, three initial settings of theta",
        "Dual objective against sweeps for factored SMO and for online EG with learning rate 1, fixed (thin, "
        "ours, one seed: adaptive), and theta = -2.7, -3 and -4.5 at first, as we read it for all wrong parts, "
        "nodes and edges: u proportional to exp(theta x 3 x Hamming loss). The grey line is the greatest "
        "dual value of all our runs.",
        fig04b,
    ),
    "fig04c": (
        "the hybrid of SMO and EG that its last paragraph proposes",
        "Dual objective against visits, two for an update of SMO, for factored SMO, online EG (adaptive from "
        f"learning rate 1, theta = -{THETA:g}), and {SMO_PASSES} passes of SMO whose marginals become conditional "
        "probabilities and these theta, from where adaptive EG goes on. A figure of ours. The grey line is the "
        "greatest dual value of all our runs.",
        fig04c,
    ),
    "fig-bound": (
        "Theorem 2 and the measured dual",
        "EG-QP with eta = 0.4 / (B + lambda) on the quadratic program of 50 images of MNIST, from uniform u: "
        "distance of Q = -D from the optimum, and Theorem 2's bound of it with B and lambda of the program and "
        "D(u, u1) of the last point u reached. A figure of ours.",
        fig_bound,
    ),
}
