"""What panels and tables of several papers have in common: columns, lines by name, logarithmic axes, cells."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structbench.bench.drawing import plotted, style
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn
else:  # matplotlib takes a second to load
    Axes = Drawn = Any

OPTIMUM: plotted.Look = {"color": "#999999", "linewidth": 0.7, "zorder": 1}  # the look of a line at an optimum


def later(y: style.Column, least: float = -np.inf) -> Callable[["pd.DataFrame"], np.ndarray]:
    """Return a column without rows before the first pass, as a log axis needs, and without small values."""

    def column(curve: "pd.DataFrame") -> np.ndarray:
        values = np.asarray(curve[y] if isinstance(y, str) else y(curve), float)
        return np.where((curve["passes"].to_numpy() > 0) & (values > least), values, np.nan)

    return column


def percent(curve: "pd.DataFrame") -> np.ndarray:
    """Return the test error in percent."""
    return 100 * curve["test_error"].to_numpy()


def lines_by_name(
    axes: Axes, runs: Runs, names: dict[Spec, str], looks: dict[str, dict], y: style.Column, x: str = "passes"
) -> dict[str, plotted.Series]:
    """Draw a line for each name, the mean over the runs that have it; return those with points."""
    drawn = {}
    for name, look in looks.items():
        seeds = runs.present([spec for spec in names if names[spec] == name])
        line = style.line(axes, seeds, y, x, label=name, **look)
        if line is not None and len(line.y):
            drawn[name] = line
    return drawn


def with_range(axes: Axes, values: Mapping[int, Sequence[float] | np.ndarray], label: str, **look: Any) -> None:
    """Draw the means of several values at each place as a line, and their range as a band."""
    plotted.line(axes, [*values], [np.mean(each) for each in values.values()], label=label, **look)
    ends = np.array([(min(each), max(each)) for each in values.values()]).T
    plotted.band(axes, [*values], ends[0], ends[1], label, color=look["color"], alpha=style.BAND)


def log(axes: Axes, which: str) -> None:
    """Make the axes of these letters logarithmic, if anything is drawn."""
    for letter in which if axes.lines else "":
        style.log_ticks(getattr(axes, f"{letter}axis"))


def fit_y(*panels: Axes, skip: float = 0.0) -> None:
    """Fit the y axis that panels share to their lines, each without this share of its first points."""
    each = [line.y for axes in panels for line in plotted.lines(axes)]
    if values := [y for ys in each for y in ys[int(skip * len(ys)) :]]:
        margin = 0.1 * (max(values) - min(values)) or 0.5
        panels[0].set_ylim(min(values) - margin, max(values) + margin)


def names_at_ends(axes: Axes) -> None:
    """Write each line's label at its end. Set the limits before."""
    style.label_ends(axes, [(line, line.name) for line in plotted.lines(axes) if line.in_legend])


def legend_beside(axes: Axes) -> None:
    """Put the legend of a panel to its right, if anything is drawn."""
    if axes.lines:
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))


def cell(value: float | np.floating, form: str, scale: float = 1.0) -> str:
    """Format a number of a table; a dash if it is not finite."""
    return format(scale * value, form) if np.isfinite(value) else "-"
