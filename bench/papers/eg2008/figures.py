"""Draw Figures 4 to 11 and 14 of eg2008, for the log loss on one task."""

from typing import Any, Literal, NamedTuple

import numpy as np

from structbench.algorithms.runtime.options import Given
from structbench.bench.drawing import colours, curves, method_looks, plotted, style
from structbench.bench.papers.eg2008.runs import ANNEALED, CS, POST_HOC, SGD_ERROR_CS, UNIFORM, Task
from structbench.bench.papers.panels import OPTIMUM, later, log, percent
from structbench.bench.papers.terms import Axes, Drawn, Registry, Run, Runs
from structbench.bench.runs import catalogue

# The y axis shows each curve from this share of the x axis on; EG's primal from the later one.
EARLY, LATE = 0.1, 0.3
SECONDS = "cpu_seconds"
SMALLEST = 1e-3  # percent above the optimum; less is not drawn

UNIFORM_EG = "EG, uniform start"
ANNEALED_EG = "EG, annealed"
FROM_UNIFORM: Given = {"start": UNIFORM}
OTHER_WAY: plotted.Look = {"color": style.CYCLE[2]}  # of EG that is annealed, or visits examples in order

draws = Registry()
Lines = list[tuple[plotted.Series | None, str]]


class Panel(NamedTuple):
    """A panel of a figure on one task: its axes, and the runs to draw there."""

    axes: Axes
    task: Task
    runs: Runs

    def present(self, kind: str, C: float, **params: Any) -> list[Run]:
        """Return the finished runs of an algorithm, or of what else a task finds by name."""
        return self.runs.present(self.task.found(kind, C, **params))

    def line(
        self, kind: str, C: float, y: style.Column, params: Given | None = None, x: str = "passes",
        runs: list[Run] | None = None, **look: Any,
    ) -> plotted.Series | None:  # fmt: skip
        """Draw one algorithm's curve, or that of some of its runs, in its own look unless another is given."""
        runs = self.present(kind, C, **(params or {})) if runs is None else runs
        usual = method_looks.look(kind.rpartition(" ")[2], **(params or {}))
        return style.line(self.axes, runs, y, x, **usual | look)

    def at_each_C(
        self, kind: str, Cs: tuple, y: style.Column, of: tuple = (), said: str = "C = {:g}", **how: Any
    ) -> Lines:
        """Draw an algorithm at each C, SGD at each rate, in shades for all of ``of``; return lines with names."""
        of, name, lines = of or Cs, kind.rpartition(" ")[2], []
        for C in Cs:
            how["color"] = style.shade(name, of.index(C), len(of))
            for rate, runs in by_rate(self.present(kind, C, **how.get("params", {}))).items():
                called = said.format(C) + (f", $\\eta_0$ = {rate:g}" if rate else "")
                lines.append((self.line(kind, C, y, runs=runs, **how), called))
        return lines

    def eg_from_starts(self, C: float, y: style.Column) -> None:
        """Draw EG from both starts."""
        self.line("eg", C, y, label="EG", zorder=2.5)
        self.line("eg", C, y, FROM_UNIFORM, label=UNIFORM_EG)

    def eg_beside(self, C: float, y: style.Column, name: str, uniform: str) -> Lines:
        """Draw EG from both starts, under these names, beside another algorithm at several C."""
        line = self.line("eg", C, y, linewidth=2.2, zorder=2.5)
        return [(line, name), (self.line("eg", C, y, FROM_UNIFORM), uniform)]

    def frame_primal_and_dual(self, shown: list[Run], end: float) -> None:
        """Set the limits so that the least dual value is seen."""
        at = LATE / 2 * self.task.shown
        least = float(min((curves.at(run.curve, "dual", at) for run in shown), default=np.nan))
        style.frame(self.axes, [(shown, LATE / 2 * end)], "primal", end, besides=least)

    def finish_primal(self, C: float, others: list[Run], start: float, share: float) -> None:
        """Set limits and labels, and draw the optimum as a thin line.

        EG is compared with the runs ``others``, shown from pass ``start`` on. The y axis goes up to at least
        ``share`` of the optimum above it.
        """
        axes, end, best = self.axes, self.task.shown, self.task.optimum(self.runs, C).primal
        shown = [(self.present("eg", C), LATE * end), (others, start)]
        style.frame(axes, shown, "primal", end, besides=(1 + share) * best)
        uniform = [curves.at(run.curve, "primal", end) for run in self.present("eg", C, start=UNIFORM)]
        if uniform and min(uniform) > axes.get_ylim()[1]:
            self.note_above()
        if np.isfinite(best):
            plotted.level(axes, best, "optimum", **OPTIMUM)
        axes.set(title=f"C = {C:g}", xlabel=style.PASSES, ylabel="primal objective")
        style.thousands(axes)

    def above(self, C: float) -> style.Column:
        """Return a column: how far the primal is above the optimum, in percent; NaN where that is rounding."""
        best = self.task.optimum(self.runs, C).primal
        return later(lambda curve: 100 * (curve["primal"].to_numpy() / best - 1), SMALLEST)

    def finish_above(self) -> None:
        """Set limits and labels of what ``above`` gives."""
        if self.axes.lines:
            self.axes.set_ylim(SMALLEST, 100)
        log(self.axes, "y")
        self.axes.set_xlim(0, self.task.shown)
        self.axes.set(xlabel=style.PASSES, ylabel="above the optimum (%)")

    def note_above(self, side: Literal["left", "right"] = "right") -> None:
        """Note that EG from the uniform start is above the frame, at a place without curves."""
        look = {"ha": side, "va": "top", "color": colours.colour("eg"), "transform": self.axes.transAxes}
        self.axes.text({"left": 0.03, "right": 0.97}[side], 0.97, f"{UNIFORM_EG}:\nabove the frame", **look)

    def error_panel(self, algorithm: str, Cs: tuple[float, ...]) -> None:
        """Draw EG at C = 10 and another algorithm at several C."""
        lines = self.at_each_C(algorithm, Cs, percent, said=f"{catalogue.label(algorithm)}, C = {{:g}}")
        lines += self.eg_beside(10.0, percent, "EG, C = 10", f"{UNIFORM_EG}, C = 10")
        late = 2 * EARLY * self.task.shown
        others = [run for C in Cs for run in self.present(algorithm, C)]
        shown = [(others, 1.0 if algorithm == "sgd" else late), (self.present("eg", 10.0), late)]
        style.frame(self.axes, shown, percent, self.task.shown)
        style.label_ends(self.axes, lines)
        self.axes.set(xlabel=style.PASSES, ylabel=self.task.error_label)

    def sgd_by_rate(self, C: float, y: style.Column) -> None:
        """Draw SGD with the rates that its seeds selected, each by itself."""
        for rate, runs in by_rate(self.present("sgd", C)).items():
            shade = colours.mixed(colours.hue("sgd"), -np.log10(rate) / 4)  # 1 is light, 0.0001 dark
            self.line("sgd", C, y, runs=runs, color=shade, label=f"SGD, selected $\\eta_0$ = {rate:g}")

    def gap(self, C: float, scale: float = 1.0) -> style.Column:
        """Return a column: the gap as a share of the optimum, times ``scale``."""
        best = self.task.optimum(self.runs, C).primal
        return lambda curve: scale * curve["gap"].to_numpy() / best


def by_rate(runs: list[Run]) -> dict[float, list[Run]]:
    """Return runs by the rate that SGD selected; 0 of other algorithms."""
    rates = [run.summary["notes"].get("eta0", 0.0) for run in runs]
    return {rate: [run for run, its in zip(runs, rates, strict=True) if its == rate] for rate in sorted({*rates})}


def panels_of(task: Task, runs: Runs, rows: int, columns: int, **size: float) -> tuple[Drawn, list[Panel]]:
    """Return a figure and its panels, row by row."""
    figure, panels = style.panels(rows, columns, **size)
    return figure, [Panel(axes, task, runs) for axes in panels.flat]


@draws("fig04")
def fig04(task: Task, runs: Runs) -> Drawn:
    figure, panels = panels_of(task, runs, 1, 2)
    for panel, Cs, start, title in zip(panels, (CS, CS[2:]), (EARLY, LATE), ("EG", "EG, enlarged"), strict=True):
        lines = panel.at_each_C("eg", Cs, percent, CS)
        shown = [run for C in Cs for run in panel.present("eg", C)]
        style.frame(panel.axes, [(shown, start * task.shown)], percent, task.shown)
        style.label_ends(panel.axes, lines)
        panel.axes.set(title=title, xlabel=style.PASSES, ylabel=task.error_label)
    return figure


@draws("fig05")
def fig05(task: Task, runs: Runs) -> Drawn:
    from matplotlib.lines import Line2D

    figure, panels = panels_of(task, runs, 1, 2)
    for panel, Cs in zip(panels, (CS[:2], CS[2:]), strict=True):
        lines = []
        for C in Cs:
            lines += panel.at_each_C("eg", (C,), "primal", Cs)
            panel.at_each_C("eg", (C,), "dual", Cs, **style.DUAL, label=f"dual, C = {C:g}")
        panel.frame_primal_and_dual([run for C in Cs for run in panel.present("eg", C)], task.shown)
        style.label_ends(panel.axes, lines)
        keys = {"primal": {}, "dual, negated": style.DUAL}
        handles = [Line2D([], [], color=style.INK, label=name, **look) for name, look in keys.items()]
        panel.axes.legend(handles=handles, loc="best")
        panel.axes.set(title=" and ".join(f"C = {C:g}" for C in Cs), xlabel=style.PASSES, ylabel="objective")
        style.thousands(panel.axes)
    return figure


@draws("fig06")
def fig06(task: Task, runs: Runs) -> Drawn:
    figure, (left, right) = panels_of(task, runs, 1, 2, height=3.6, width=4.6)
    lines = {}
    for panel, params, title in ((left, {}, "EG"), (right, FROM_UNIFORM, UNIFORM_EG)):
        lines[panel.axes] = [
            each for C in CS for each in panel.at_each_C("eg", (C,), panel.gap(C, 100), CS, params=params)
        ]
        panel.axes.set(title=title, xlabel=style.PASSES, ylabel="duality gap (% of the optimum)")
    right.axes.sharey(left.axes)
    for axes, drawn in lines.items():
        axes.set_xlim(0, task.passes)
        style.log_ticks(axes.yaxis)
        style.label_ends(axes, drawn)
    return figure


@draws("fig07")
def fig07(task: Task, runs: Runs) -> Drawn:
    figure, (left, right) = panels_of(task, runs, 1, 2)
    gaps, shown = [], []
    for order, name, look in (("random", "randomized", {}), ("cyclic", "deterministic", OTHER_WAY)):
        params = {"order": order}
        left.line("eg", 1.0, "primal", params, label=f"{name}, primal", **look)
        left.line("eg", 1.0, "dual", params, label=f"{name}, dual", **style.DUAL, **look)
        gaps.append((right.line("eg", 1.0, right.gap(1.0), params, **look), name))
        shown += left.present("eg", 1.0, **params)
    left.frame_primal_and_dual(shown, task.passes)
    left.axes.set(title="C = 1", xlabel=style.PASSES, ylabel="objective")
    style.thousands(left.axes)
    right.axes.set_xlim(0, task.passes)
    style.log_ticks(right.axes.yaxis)
    style.label_ends(right.axes, gaps)
    right.axes.set(title="C = 1", xlabel=style.PASSES, ylabel="gap / optimum")
    return style.legend_above(figure)


@draws("fig08")
def fig08(task: Task, runs: Runs) -> Drawn:
    figure, (left, right) = panels_of(task, runs, 1, 2)
    shown = [
        run for params in ({}, ANNEALED, ANNEALED | FROM_UNIFORM) for run in left.present("eg", 1.0, **params)
    ]
    above = 1.01 * task.optimum(runs, 1.0).primal
    for panel, y, besides in ((left, "primal", above), (right, percent, np.nan)):
        panel.eg_from_starts(1.0, y)
        for params, name in (({}, ANNEALED_EG), (FROM_UNIFORM, f"{ANNEALED_EG}, uniform start")):
            dash = method_looks.look("eg", **params)["linestyle"]
            panel.line("eg", 1.0, y, ANNEALED | params, label=name, linestyle=dash, **OTHER_WAY)
        style.frame(panel.axes, [(shown, LATE * task.shown)], y, task.shown, besides=besides)
        panel.axes.set(title="C = 1", xlabel=style.PASSES)
    left.axes.set_ylabel("primal objective")
    right.axes.set_ylabel(task.error_label)
    style.thousands(left.axes)
    return style.legend_above(figure)


@draws("fig09")
def fig09(task: Task, runs: Runs) -> Drawn:
    figure, (panel,) = panels_of(task, runs, 1, 1, height=3.6, width=6.2)
    panel.error_panel("sgd", SGD_ERROR_CS)
    return figure


@draws("fig10")
def fig10(task: Task, runs: Runs) -> Drawn:
    figure, panels = panels_of(task, runs, 2, len(CS), height=2.8, width=3.1)
    for panel, below, C in zip(panels, panels[len(CS) :], CS, strict=False):
        others = panel.present("sgd", C)
        others += panel.present("sgd", C, **POST_HOC) if C == 1 else []
        for each, y in ((panel, "primal"), (below, below.above(C))):
            each.eg_from_starts(C, y)
            each.sgd_by_rate(C, y)
            if C == 1:
                each.line("sgd", C, y, POST_HOC, label=f"SGD, $\\eta_0$ = {POST_HOC['eta0']:g}")
                each.line("eg", C, y, ANNEALED, label=ANNEALED_EG, linestyle="-", **OTHER_WAY)
        panel.finish_primal(C, others, 1.0, 0.01)
        below.finish_above()
    for panel in panels[: len(CS)]:
        panel.axes.set_xlabel("")
    for panel in (each for k, each in enumerate(panels) if k % len(CS)):
        panel.axes.set_ylabel("")
    return style.legend_above(figure)


@draws("fig11")
def fig11(task: Task, runs: Runs) -> Drawn:
    figure, panels = panels_of(task, runs, 2, 3, height=3.0, width=3.6)
    shown = [panel for k, panel in enumerate(panels) if k % 3 < 2]
    for panel, C in zip(shown, CS, strict=True):
        panel.eg_from_starts(C, "primal")
        panel.line("lbfgs", C, "primal", label="L-BFGS")
        panel.finish_primal(C, panel.present("lbfgs", C), 2 * EARLY * task.shown, 0.05)
    grid = panels[0].axes.get_gridspec()
    assert grid, "panels of subplots have one"
    for panel in (panels[2], panels[5]):
        panel.axes.remove()
    Panel(figure.add_subplot(grid[:, 2]), task, runs).error_panel("lbfgs", CS)
    return style.legend_above(figure)


def in_seconds(task: Task, runs: Runs, score: style.Column, label: str, starts: tuple[float, ...] = ()) -> Drawn:
    """Draw the objective and a score against seconds, at C = 10; EG also from other ``starts``."""
    figure, (left, right) = panels_of(task, runs, 1, 2)
    shown_from = {"eg": LATE * task.shown, "sgd": 1.0, "lbfgs": 2 * EARLY * task.shown}
    shown = [(left.present(algorithm, 10.0), start) for algorithm, start in shown_from.items()]
    for panel, y, name in ((left, "primal", "primal objective"), (right, score, label)):
        for algorithm in shown_from:
            panel.line(algorithm, 10.0, y, x=SECONDS, label=catalogue.label(algorithm))
        for start in starts:
            panel.line("eg", 10.0, y, {"start": start}, SECONDS, label=UNIFORM_EG)
        style.frame(panel.axes, shown, y, task.passes, x=SECONDS)
        panel.axes.set(title="C = 10", xlabel="CPU seconds", ylabel=name)
    style.thousands(left.axes)
    return style.legend_above(figure)


draws["fig14"] = lambda task, runs: in_seconds(task, runs, percent, task.error_label)
