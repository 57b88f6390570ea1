"""Paths over A of C ||w||^2 / 2 + A ||w||_1: how many weights are not 0, and how many predictions are wrong."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from structbench.algorithms.learning.penalties import strengths
from structbench.bench.drawing import crowds, plotted, style
from structbench.bench.drawing.method_looks import labels, looks
from structbench.bench.drawing.plotted import Drawn
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

CAPTION = "A row for each C. Each point is a run at its end, or the mean over seeds. A = 0 is the penalty l2."
SHOWN = {"nonzero weights": ("num_nonzero", 1), "test error (%)": ("test_error", 100)}  # field of summaries, scale


def paths(specs: Iterable[Spec]) -> dict[float, list[Spec]]:
    """C -> the runs of problems that differ in A, if there are several of them."""
    found = defaultdict(list)
    for spec in specs:
        if any(strengths(spec.penalty, spec.C)):
            found[strengths(spec.penalty, spec.C).C].append(spec)
    return {C: each for C, each in found.items() if len({strengths(spec.penalty, spec.C).A for spec in each}) > 1}


def draw_paths(specs: list[Spec], runs: Runs) -> Drawn:
    """A row for each path, with a panel for each of ``SHOWN``."""
    rows, names = paths(specs), labels(specs)
    look = looks(names)
    figure, panels = style.panels(len(rows), len(SHOWN), width=crowds.width([*look]))
    for row, (C, members) in zip(panels, rows.items(), strict=True):
        ticks = sorted({strengths(spec.penalty, spec.C).A for spec in members})
        for axes, (label, (field, scale)) in zip(row, SHOWN.items(), strict=True):
            lines = []
            for name, own in look.items():
                values = defaultdict(list)
                for run in runs.present([spec for spec in members if names[spec] == name]):
                    if (value := run.summary.get(field)) is not None:
                        values[strengths(run.spec.penalty, run.spec.C).A].append(scale * value)
                means = [np.mean(values[A]) for A in sorted(values)]
                lines.append((plotted.line(axes, sorted(values), means, name, **own | {"markevery": 1}), name))
            axes.set_xscale("symlog", linthresh=next(filter(None, ticks)))
            plotted.ticks(axes.xaxis, ticks, [f"{A:g}" for A in ticks])
            axes.xaxis.minorticks_off()
            axes.set(title=f"C = {C:g}", xlabel="A", ylabel=label)
            axes.set_xlim(ticks[0], ticks[-1])
            if field == "num_nonzero":
                style.log_ticks(axes.yaxis)
            style.label_ends(axes, lines)
    return figure
