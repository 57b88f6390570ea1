"""Figures on parsing with weighted context-free grammars: the dual, its gap, and the models' scores. Ours."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.problems import labels, looks
from structbench.bench.drawing.tables import Rows, table
from structbench.bench.papers.eg2004.grammar import CRF, LINES, M3N, Grammars
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawn

SMALLEST = 1e-7  # smaller relative gaps are rounding
BATCH = "EG, mode batch (Figure 2)"
MODEL = {CRF: "CRF", M3N: "M3N"}
HEADS = ("F1", "precision", "recall", "complete", "CPU s", "passes", "certified gap")


def figures(task: Grammars) -> dict[str, Figure]:
    """Return the figure and the table by file stem."""
    repeated = f" Lines are means over {len(task.seeds)} seeds, bands their range." if len(task.seeds) > 1 else ""
    return {
        "fig-wcfg": Figure(
            f"eg2004, Example 2: EG on a weighted context-free grammar, {task.name}",
            "Left: the dual objective against passes; grey: the greatest dual value of all our runs of the panel. "
            "Middle and right: the certified gap, (primal - dual) / primal of the run's own dual point, against "
            "passes and against wall seconds of one thread. The paper derives EG for grammars and never ran it: "
            "trees, features, C and algorithms are ours. EG visits the sentences at random, as eg2008 "
            f"has it, or in proportion to their gaps.{repeated} Data: {task.data}, {task.name}; a part costs 1 if "
            "the right tree has not its left side there.",
            partial(draw, task),
        ),
        "table-wcfg": table(
            f"eg2004, Example 2: what the models are worth, {task.name}",
            "Labelled brackets of the test sentences as evalb counts them, in percent; CPU seconds of training "
            f"alone, and the certified gap at the end. No C is chosen: all are shown. Data: {task.data}; parts of "
            "speech are given. Taskar et al. (2004) train on sentences of the same length, of the whole treebank: "
            f"their numbers do not compare.{' Means over seeds.' if len(task.seeds) > 1 else ''}",
            partial(rows, task),
        ),
    }


def draw(task: Grammars, runs: Runs) -> "Drawn":
    """Draw a row of panels for each loss and C."""
    every = [(loss, C) for loss in LINES for C in task.Cs]
    figure, panels = style.panels(len(every), 3, height=3.0, width=3.9)
    names = _names(task)
    look_of = looks(names)
    entries = {}
    for (loss, C), (left, middle, right) in zip(every, panels, strict=True):
        specs = [spec for spec in names if (spec.loss, spec.C) == (loss, C)]
        greatest = curves.optimum(runs.present(specs)).dual
        for axes, y, x in ((left, "dual", "passes"), (middle, gap, "passes"), (right, gap, "cpu_seconds")):
            for name, look in look_of.items():
                seeds = runs.present([spec for spec in specs if names[spec] == name])
                line = style.line(axes, seeds, y, x, label=name, **look)
                if line is not None and len(line.get_ydata()):
                    entries[name] = line
            axes.set(title=f"{loss} loss, C = {C:g}", xlabel=style.PASSES if x == "passes" else "CPU seconds")
        left.set_ylabel("dual objective")
        if np.isfinite(greatest):
            left.axhline(greatest, color="#999999", linewidth=0.7, zorder=1)
            left.set_ylim(-0.02 * greatest, 1.04 * greatest)
        left.set_xlim(0, task.passes)
        middle.set_ylabel("(primal - dual) / primal")
        for axes in (middle, right):
            if axes.lines:
                axes.set_ylim(top=1.5)
                style.log_ticks(axes.yaxis)
        if right.lines:
            style.log_ticks(right.xaxis)
    style.legend_below(figure, entries)
    return figure


def gap(curve: "pd.DataFrame") -> np.ndarray:
    """Return the certified gap; NaN if it is rounding, or before the first visit."""
    found = curve["relative_gap"].to_numpy()
    return np.where((found > SMALLEST) & (curve["passes"].to_numpy() > 0), found, np.nan)


def _names(task: Grammars) -> dict[Spec, str]:
    """Return the name of each run that is drawn; batch EG is in the panels of the hinge."""
    names = labels([spec for loss in LINES for C in task.Cs for spec in task.trained(loss, C)])
    return names | {spec: BATCH for C in task.Cs for spec in task.batch(C)}


def rows(task: Grammars, runs: Runs) -> Rows:
    """Return a row for each model, way to train it, and C."""
    found = []
    for loss in (CRF, M3N):
        names = labels([spec for C in task.Cs for spec in task.trained(loss, C)])
        for C in task.Cs:
            specs = [spec for spec in names if spec.C == C]
            for name in dict.fromkeys(names[spec] for spec in specs):
                seeds = runs.present([spec for spec in specs if names[spec] == name])
                found.append({"model": MODEL[loss], "trained by": name, "C": f"{C:g}"} | _row(seeds))
    specs = task.unpenalised()
    for algorithm in dict.fromkeys(spec.algorithm for spec in specs):
        seeds = runs.present([spec for spec in specs if spec.algorithm == algorithm])
        found.append({"model": catalogue.label(algorithm), "trained by": "-", "C": "-"} | _row(seeds))
    return found


def _row(seeds: list[Run]) -> dict[str, str]:
    if not seeds:
        return dict.fromkeys(HEADS, "-")
    shares = (_mean(seeds, f"test_{what}") for what in ("f1", "precision", "recall", "complete"))
    told = ["-" if np.isnan(share) else f"{100 * share:.1f}" for share in shares]
    told += [f"{_mean(seeds, 'cpu_seconds'):.2g}", f"{_mean(seeds, 'passes'):.4g}"]
    certified = _mean(seeds, "relative_gap")
    return dict(zip(HEADS, [*told, "-" if np.isnan(certified) else f"{certified:.2g}"], strict=True))


def _mean(seeds: list[Run], column: str) -> float:
    """Return the mean of a column's last values; NaN if a run has no such column."""
    return float(np.mean([run.curve[column].iloc[-1] if column in run.curve else np.nan for run in seeds]))
