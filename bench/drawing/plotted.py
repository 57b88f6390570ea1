"""Draw lines, bars, bands and maps, and keep the numbers drawn, for the file beside a figure."""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Drawn
else:  # matplotlib takes a second to load
    Artist = Axes = Axis = Drawn = Any

COLUMNS = ("panel", "title", "x_axis", "y_axis", "kind", "series", "x", "y", "low", "high")
SAME_PLACE = 1e-3  # of a figure's width
DURING = re.compile("pass|seconds|sweeps|visits|steps")  # in the name of an axis along which a run proceeds
SERIES, WORDS = "_structbench_series", "_structbench_words"  # attributes: they live as long as the panel

Look = dict[str, Any]  # properties of matplotlib
Row = Mapping[str, object]


@dataclass(eq=False)
class Series:
    """What a panel shows under one name: its points, and the artists that show them.

    ``x`` and ``y`` are numbers, or words. ``low`` and ``high`` are the ends of a bar, a stem, a band or an error
    bar; of a cell of a map, both are its value. None where there is no such number.
    """

    kind: str
    name: str
    artist: Any
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    in_legend: bool
    band: "Series | None" = None  # of a line: the range of several seeds
    dot: Any = None  # of a line: its end
    is_open: bool = False  # of a line: whether its dot is
    is_led: bool = False  # of a line: whether a thin line leads from its end to its name
    runs: Sequence[Any] = ()  # of a line: whose mean it is

    def call(self, name: str) -> None:
        """Name a series that has no name, and its band."""
        self.name = self.name or name
        if self.band is not None:
            self.band.call(name)


def line(axes: Axes, x: ArrayLike, y: ArrayLike, name: str = "", **look: Any) -> Series:
    """Draw points and the line through them. As all functions here, return what is drawn.

    Args:
        name: Of the series, if no legend is to have it; else it is the ``label``.
        look: Properties of matplotlib.
    """
    (drawn,) = axes.plot(x, y, **look)
    return _keep(axes, "line", drawn, name, look, x=x, y=y)


def level(axes: Axes, y: float, name: str = "", **look: Any) -> Series:
    """Draw a line across the whole panel."""
    return _keep(axes, "level", axes.axhline(y, **look), name, look, y=y)


def band(axes: Axes, x: ArrayLike, low: ArrayLike, high: ArrayLike, name: str = "", **look: Any) -> Series:
    """Fill what is between two lines."""
    drawn = axes.fill_between(x, low, high, linewidth=0, **look)
    return _keep(axes, "band", drawn, name, look, x=x, low=low, high=high)


def bars(
    axes: Axes,
    places: ArrayLike,
    lengths: ArrayLike,
    name: str = "",
    *,
    start: float = 0,
    lying: bool = False,
    **look: Any,
) -> Series:
    """Draw bars of these lengths from ``start`` on: upright, or lying."""
    x, y = (lengths, places) if lying else (places, lengths)
    drawn = axes.barh(y, x, left=start, **look) if lying else axes.bar(x, y, bottom=start, **look)
    ends = start + np.atleast_1d(lengths)
    low, high = np.minimum(start, ends), np.maximum(start, ends)
    return _keep(axes, "bar", drawn, name, look, x=x, y=y, low=low, high=high)


def error_bars(
    axes: Axes, x: Any, y: Any, name: str = "", *, xerr: Any = None, yerr: Any = None, **look: Any
) -> Series:
    """Draw points with what they may be off, in one direction: a number, one a point, or below and above."""
    off = np.maximum(xerr if yerr is None else yerr, 0)  # the mean of equal numbers is off by rounding
    drawn = axes.errorbar(x, y, **{"xerr" if yerr is None else "yerr": off}, **look)
    middle = np.atleast_1d(x if yerr is None else y)
    below, above = np.broadcast_to(off, (2, len(middle)))
    return _keep(axes, "error bar", drawn, name, look, x=x, y=y, low=middle - below, high=middle + above)


def stems(axes: Axes, x: np.ndarray, ends: np.ndarray, name: str = "", **look: Any) -> Series:
    """Draw upright lines from 0."""
    low, high = np.zeros(len(x)), ends
    return _keep(axes, "stem", axes.vlines(x, 0, ends, **look), name, look, x=x, low=low, high=high)


def cells(axes: Axes, values: np.ndarray, name: str = "", **look: Any) -> Series:
    """Draw a map: a colour for each value, shape (rows, columns)."""
    rows, columns = np.indices(values.shape).reshape(2, -1)
    drawn = axes.imshow(values, **look)
    return _keep(axes, "cell", drawn, name, look, x=columns, y=rows, low=values.ravel(), high=values.ravel())


def ticks(axis: Axis, places: Sequence, words: Sequence[str], **look: Any) -> None:
    """Write words at these places of an axis; the numbers beside the figure have them, too."""
    axis.set_ticks(places, words, **look)
    vars(axis)[WORDS] = dict(zip(places, words, strict=True))


def series(axes: Axes) -> list[Series]:
    """What these functions drew in a panel, in order."""
    return vars(axes).setdefault(SERIES, [])


def lines(axes: Axes) -> list[Series]:
    """The lines of a panel that have points."""
    return [each for each in series(axes) if each.kind == "line" and len(each.y)]


def _keep(
    axes: Axes, kind: str, artist: Any, name: str, look: Mapping[str, object], **numbers: ArrayLike
) -> Series:
    given = {column: np.atleast_1d(values) for column, values in numbers.items()}
    nothing = np.full(max(map(len, given.values())), None)
    x, y, low, high = (given.get(column, nothing) for column in ("x", "y", "low", "high"))
    kept = Series(kind, name or str(look.get("label", "")), artist, x, y, low, high, in_legend="label" in look)
    series(axes).append(kept)
    return kept


def as_csv(figure: Drawn) -> str:
    """A row for each point of each series of a figure. Call it after layout."""
    rows = []
    for number, axes in enumerate(figure.axes, 1):
        left = axes.get_position().x0  # only the first panel of a column may have a title
        column = [axes, *(other for other in figure.axes if abs(other.get_position().x0 - left) < SAME_PLACE)]
        titles = (other.get_title(where) for other in column for where in ("left", "center"))
        where = {"panel": number, "title": next(filter(None, titles), "")}
        where |= {"x_axis": axes.get_xlabel(), "y_axis": axes.get_ylabel()}
        rows += [{**where, **row} for row in _rows(axes)]
    return csv_text(COLUMNS, rows)


def csv_text(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Rows as CSV."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def has_curves(file: Path) -> bool:
    """Whether a figure draws curves of runs, by its CSV: lines against passes, seconds or steps."""
    if not file.exists():
        return False
    with file.open(newline="", encoding="utf-8") as table:
        return any(row.get("kind") == "line" and DURING.search(row["x_axis"]) for row in csv.DictReader(table))


def _rows(axes: Axes) -> Iterator[Row]:
    across, up = (vars(axis).get(WORDS, {}) for axis in (axes.xaxis, axes.yaxis))
    for each in series(axes):
        for x, y, low, high in zip(each.x, each.y, each.low, each.high, strict=True):
            numbers = {"x": across.get(x, x), "y": up.get(y, y), "low": low, "high": high}
            yield {"kind": each.kind, "series": each.name, **{name: _shown(one) for name, one in numbers.items()}}


def _shown(value: Any) -> float | str | None:
    """A number in full; None if it is not finite."""
    if value is None or isinstance(value, str):
        return value
    return float(value) if math.isfinite(value) else None
