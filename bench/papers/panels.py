"""What panels and tables of several papers have in common: columns, logarithmic axes, open dots, cells."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structbench.bench.drawing import plotted, style
from structbench.bench.drawing.curves import Curve
from structbench.bench.drawing.plotted import Axes
from structbench.bench.runs.store import Run

OPTIMUM: plotted.Look = {"color": "#999999", "linewidth": 0.7, "zorder": 1}  # the look of a line at an optimum


def later(y: style.Column, least: float = -np.inf) -> Callable[[Curve], np.ndarray]:
    """Return a column without rows before the first pass, as a log axis needs, and without small values."""

    def column(curve: Curve) -> np.ndarray:
        values = np.asarray(curve[y] if isinstance(y, str) else y(curve), float)
        return np.where((curve["passes"].to_numpy() > 0) & (values > least), values, np.nan)

    return column


def percent(curve: Curve) -> np.ndarray:
    """Return the test error in percent."""
    return 100 * curve["test_error"].to_numpy()


def with_range(axes: Axes, values: Mapping[Any, ArrayLike], label: str, **look: Any) -> None:
    """Draw the means of the finite values at each place as a line, and their range as a band, if there are any."""
    known = {place: np.array(each)[np.isfinite(each)] for place, each in values.items() if np.isfinite(each).any()}
    if known:
        means, least, most = ([f(each) for each in known.values()] for f in (np.mean, np.min, np.max))
        plotted.line(axes, [*known], means, label=label, **look)
        plotted.band(axes, [*known], least, most, label, color=look["color"], alpha=style.BAND)


def is_cut(run: Run) -> bool:
    """Tell whether a limit in seconds ended a run."""
    return run.summary["status"] == "timeout"


def open_dots(axes: Axes, x: np.ndarray, y: np.ndarray, cut: np.ndarray, name: str, **look: Any) -> None:
    """Draw those points of a line open that are of runs which a limit in seconds cut."""
    if cut.any():
        own = {"linestyle": "none", "markerfacecolor": "white", "zorder": 2.5}
        plotted.line(axes, x[cut], y[cut], f"{name}, cut by the limit of seconds", **look | own)


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


def widen(axes: Axes, least: float) -> None:
    """Have the y axis span at least this much, about its middle, so that it does not magnify noise."""
    low, high = axes.get_ylim()
    more = max(0.0, least - (high - low)) / 2
    axes.set_ylim(low - more, high + more)


def names_at_ends(axes: Axes) -> None:
    """Write each line's label at its end. Set the limits before."""
    style.label_ends(axes, [(line, line.name) for line in plotted.lines(axes) if line.in_legend])


def legend_beside(axes: Axes) -> None:
    """Put the legend of a panel to its right, if anything is drawn."""
    if axes.lines:
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))


def cell(values: ArrayLike, form: str, scale: float = 1.0) -> str:
    """Format a number of a table, or the mean of several; a dash if there is none, or if it is not finite."""
    known = np.asarray(values, float)
    mean = known.mean() if known.size else np.nan
    return format(scale * mean, form) if np.isfinite(mean) else "-"
