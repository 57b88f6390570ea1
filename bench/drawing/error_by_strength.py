"""The error by which C is chosen, against C, as ``bench best`` has it: a panel for each data set."""

import numpy as np

from structbench.bench.drawing import best, crowds, plotted, style
from structbench.bench.drawing.intervals import FEWEST
from structbench.bench.drawing.measures import MEASURES
from structbench.bench.drawing.method_looks import looks, problems
from structbench.bench.drawing.plotted import Drawn
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

CAPTION = (
    "The error on the split by which C is chosen, at the end of runs: means over seeds and folds, with the 95 % "
    f"interval over folds (without any, over seeds) from {FEWEST} on. If the least error is at an end of "
    "the axis, the grid lacks a better C. "
    "Equal lines lie in each other: the lower are wider, and their marks a little aside."
)
SHIFT = 12.0  # points: marks of equal errors stand beside each other, within this
WIDEST = 3.2  # points: of the first line
MARGIN = 1.25  # of the axis of C, at each end
APART = 0.1  # of the axis of C: the least distance of two values that are both written


def draw_errors(specs: list[Spec], runs: Runs) -> Drawn:
    """A line for each method over its C."""
    from matplotlib.transforms import ScaledTranslation

    tables = [table for table in best.best(specs, runs).tables if any(len(by_C) > 1 for by_C in table.by_C)]
    if not tables:
        return style.sentence("no method is finished at two C")
    by = tables[0].by
    tables = [table for table in tables if table.is_measured]
    if not tables:
        return style.sentence(f"no run has a {by.replace('_', ' ')}")
    names = [{row.runs[0]: _name(row, table) for row in table.rows} for table in tables]
    wide = crowds.width([name for each in names for name in each.values()])
    figure, panels = style.panels(1, len(tables), width=wide)
    for axes, table, named in zip(panels.flat, tables, names, strict=True):
        look, lines, Cs = looks(named), [], sorted({C for by_C in table.by_C for C in by_C})
        scale = MEASURES[table.by].scale
        several = [(row, by_C) for row, by_C in zip(table.rows, table.by_C, strict=True) if len(by_C) > 1]
        for place, (row, by_C) in enumerate(several):
            name = named[row.runs[0]]
            found = scale * np.array([each.interval(table.by) for each in by_C.values()])
            line = plotted.line(axes, [*by_C], found[:, 0], name, **look[name] | {"markevery": 1, "markersize": 6})
            aside = SHIFT * ((place + 0.5) / len(several) - 0.5) / 72
            line.artist.set_transform(axes.transData + ScaledTranslation(aside, 0, figure.dpi_scale_trans))
            line.artist.set_linewidth(max(1.2, WIDEST - place))  # what lies below a line is wider
            if np.isfinite(found).all():
                band = look[name]["color"]
                plotted.band(axes, [*by_C], found[:, 1], found[:, 2], name, color=band, alpha=0.15)
            lines.append((line, name))
        axes.set_xscale("log")
        steps = np.diff(np.log(Cs))
        if steps.min() > APART * steps.sum():
            plotted.ticks(axes.xaxis, Cs, [f"{C:g}" for C in Cs])
            axes.xaxis.minorticks_off()
        first = problems([table.rows[0].on_everything])[0][0]
        title = first.title.replace("$", r"\$")  # a file may have it in its name
        limits = Cs[0] / MARGIN, Cs[-1] * MARGIN
        axes.set(title=title, xlabel="C", ylabel=table.heading(table.by), xlim=limits)
        style.label_ends(axes, lines)
    return figure


def _name(row: best.Row, table: best.Table) -> str:
    """The method, with its loss and penalty if they differ in the panel."""
    drawn = [each for each, by_C in zip(table.rows, table.by_C, strict=True) if len(by_C) > 1]
    several = [name for name in ("loss", "penalty") if len({getattr(each, name) for each in drawn}) > 1]
    return ", ".join([row.family, *(getattr(row, name) for name in several)])
