"""The numbers that a figure shows, read off the drawn figure itself, so that its file cannot hold others."""

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import BarContainer, ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

DECORATION = "_decoration"  # label of a line that shows no numbers of its own, such as a dot at the end of another
OF = "_of "  # begins the label of a band whose series is in the legend already
COLUMNS = ("panel", "title", "x_axis", "y_axis", "kind", "series", "x", "y", "low", "high")
SAME_PLACE = 1e-3  # of a figure's width

Row = dict[str, Any]
Names = dict[Any, set[str]]  # of series, by colour, and by colour and dash


def as_csv(figure: "Figure") -> str:
    """A row for each point of a line, bar, stem, step of a band and cell of a map. Call it after layout.

    ``low`` and ``high`` are the ends of a bar, a stem, a band or an error bar. Of a cell, both are its value.
    """
    rows = []
    for number, axes in enumerate(figure.axes, 1):
        where = {"panel": number, "title": _title(figure, axes)}
        where |= {"x_axis": axes.get_xlabel(), "y_axis": axes.get_ylabel()}
        rows += [where | row for row in _rows(axes, _names(figure, axes))]
    return text(COLUMNS, rows)


def text(columns: Sequence[str], rows: list[Row]) -> str:
    """Rows as CSV."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _rows(axes: "Axes", names: Names) -> Iterator[Row]:
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.container import BarContainer

    parts = set()
    for container in axes.containers:
        parts.update(container.get_children())
        yield from (_bars if isinstance(container, BarContainer) else _error_bars)(axes, container, names)
    for line in axes.lines:
        if line not in parts and line.get_label() != DECORATION:
            yield from _line(axes, line, names)
    for collection in axes.collections:
        if collection in parts:
            continue
        if isinstance(collection, LineCollection):
            series = _series(collection, names, collection.get_color())
            for (x, low), (_, high) in collection.get_segments():
                yield _row("stem", series, x=x, low=low, high=high)
        elif isinstance(collection, PolyCollection):
            series = _series(collection, names, collection.get_facecolor())
            corners = collection.get_paths()[0].vertices
            for x in np.unique(corners[:, 0]):
                at = corners[corners[:, 0] == x, 1]
                yield _row("band", series, x=x, low=at.min(), high=at.max())
    for image in axes.images:
        columns, rows = _words(axes.xaxis), _words(axes.yaxis)
        for (y, x), value in np.ndenumerate(np.ma.filled(image.get_array(), np.nan)):
            yield _row("cell", "", x=columns.get(x, x), y=rows.get(y, y), low=value, high=value)


def _line(axes: "Axes", line: "Line2D", names: Names) -> Iterator[Row]:
    """Its points; of a line across the panel just the level at which it is."""
    series = _series(line, names, line.get_color(), line.get_linestyle())
    across, along = line.get_transform().contains_branch_seperately(axes.transData)
    words = _words(axes.xaxis)
    points = zip(line.get_xdata(orig=False), line.get_ydata(orig=False), strict=True)
    for x, y in points if across and along else [next(points)]:
        yield _row("line" if across and along else "level", series, x=words.get(x, x) if across else None,
                   y=y if along else None)  # fmt: skip


def _bars(axes: "Axes", bars: "BarContainer", names: Names) -> Iterator[Row]:
    upright = bars.orientation == "vertical"
    words = _words(axes.xaxis if upright else axes.yaxis)
    for bar, value in zip(bars.patches, bars.datavalues, strict=True):
        box = bar.get_bbox()
        ends = box.intervaly if upright else box.intervalx
        middle = float(np.mean(box.intervalx if upright else box.intervaly))
        place = words.get(round(middle, 9), middle)
        x, y = (place, value) if upright else (value, place)
        series = _series(bars, names, bar.get_facecolor())
        yield _row("bar", series, x=x, y=y, low=min(ends), high=max(ends))


def _error_bars(axes: "Axes", bars: "ErrorbarContainer", names: Names) -> Iterator[Row]:
    line, _, (spread, *_) = bars.lines
    series = _series(bars, names, line.get_color(), line.get_linestyle())
    columns, rows = _words(axes.xaxis), _words(axes.yaxis)
    points = zip(line.get_xdata(orig=False), line.get_ydata(orig=False), spread.get_segments(), strict=True)
    for x, y, ends in points:
        low, high = ends[:, 0 if bars.has_xerr else 1]
        yield _row("error bar", series, x=columns.get(x, x), y=rows.get(y, y), low=low, high=high)


def _row(kind: str, series: str, **numbers: Any) -> Row:
    """Numbers in full; what is not finite is empty."""
    shown = {
        name: value if value is None or isinstance(value, str) else float(value) for name, value in numbers.items()
    }
    empty = {name: None for name, value in shown.items() if isinstance(value, float) and not math.isfinite(value)}
    return {"kind": kind, "series": series} | shown | empty


def _words(axis: "Axis") -> dict[float, str]:
    """Place -> word, of an axis whose ticks have words of their own."""
    from matplotlib.category import StrCategoryLocator
    from matplotlib.ticker import FixedLocator, FuncFormatter

    locator, formatter = axis.get_major_locator(), axis.get_major_formatter()
    given = isinstance(locator, FixedLocator) and isinstance(formatter, FuncFormatter)
    if not given and not isinstance(locator, StrCategoryLocator):
        return {}
    return {float(tick.get_loc()): tick.label1.get_text() for tick in axis.get_major_ticks()}


def _title(figure: "Figure", axes: "Axes") -> str:
    """The title of a panel, or of the one above it: only the first of a column may have one."""
    left = axes.get_position().x0
    column = [axes, *(other for other in figure.axes if abs(other.get_position().x0 - left) < SAME_PLACE)]
    titles = (other.get_title(where) for other in column for where in ("left", "center"))
    return next(filter(None, titles), "")


def _names(figure: "Figure", axes: "Axes") -> Names:
    """What legends, and words in the panel of a line's colour, call the series."""
    found: Names = defaultdict(set)
    own = axes.get_legend()
    for legend in [*figure.legends, *([own] if own else [])]:
        for handle, label in zip(legend.legend_handles, legend.get_texts(), strict=True):
            colour = _hex(handle.get_color() if hasattr(handle, "get_color") else handle.get_facecolor())
            for looks in ((colour, str(handle.get_linestyle())), colour):
                found[looks].add(label.get_text())
    for note in axes.texts:
        found[_hex(note.get_color())].add(note.get_text())
    return found


def _series(artist: Any, names: Names, colour: Any, dash: Any = None) -> str:
    """The name of a series: its own label, or the only one that goes with its looks; else empty."""
    label = str(artist.get_label() or "").removeprefix(OF)
    if label and not label.startswith("_"):
        return label
    for looks in ((_hex(colour), str(dash)), _hex(colour)):
        if len(names.get(looks, ())) == 1:
            return next(iter(names[looks]))
    return ""


def _hex(colour: Any) -> str:
    """The colour, or the first of several, without its opacity."""
    from matplotlib.colors import to_hex, to_rgba_array

    return to_hex(to_rgba_array(colour)[0])
