"""Draw regularisation paths over A of C ||w||^2 / 2 + A ||w||_1: number of nonzero weights, and test error."""

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


def paths(specs: Iterable[Spec]) -> dict[float, dict[float, list[Spec]]]:
    """C -> A -> the runs with these strengths, where there are several A."""
    found = defaultdict(lambda: defaultdict(list))
    for spec in specs:
        if any(here := strengths(spec.penalty, spec.C)):
            found[here.C][here.A].append(spec)
    return {C: by_A for C, by_A in found.items() if len(by_A) > 1}


def draw_paths(specs: list[Spec], runs: Runs) -> Drawn:
    """A row for each path, with a panel for each of ``SHOWN``."""
    rows, names = paths(specs), labels(specs)
    look = looks(names)
    there = {name for run in runs.present(specs) for name, value in run.summary.items() if value is not None}
    shown = {label: (field, scale) for label, (field, scale) in SHOWN.items() if field in there}
    figure, panels = style.panels(len(rows), len(shown), width=crowds.width([*look]))
    if lacking := [label.partition(" (")[0] for label in SHOWN if label not in shown]:
        figure.suptitle(f"no run has a value of: {', '.join(lacking)}", fontsize=8.5, color="#777777")
    for row, (C, by_A) in zip(panels, rows.items(), strict=True):
        ticks = sorted(by_A)
        for axes, (label, (field, scale)) in zip(row, shown.items(), strict=True):
            lines = []
            for name, own in look.items():
                values = defaultdict(list)
                for run in runs.present([spec for A in ticks for spec in by_A[A] if names[spec] == name]):
                    if run.summary.get(field) is not None:
                        values[strengths(run.spec.penalty, run.spec.C).A].append(run.summary[field])
                means = {A: scale * np.mean(each) for A, each in values.items()}
                line = plotted.line(axes, [*means], [*means.values()], name, **own | {"markevery": 1})
                lines.append((line, name))
            axes.set_xscale("symlog", linthresh=next(filter(None, ticks)))
            plotted.ticks(axes.xaxis, ticks, [f"{A:g}" for A in ticks])
            axes.xaxis.minorticks_off()
            axes.set(title=f"C = {C:g}", xlabel="A", ylabel=label, xlim=(ticks[0], ticks[-1]))
            if field == "num_nonzero":
                style.log_ticks(axes.yaxis)
            style.label_ends(axes, lines)
    return figure
