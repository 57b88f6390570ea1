"""The numbers that a figure shows, read off the drawn figure itself, so that its file cannot hold others."""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import BarContainer, ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

DECORATION = "_decoration"  # label of what shows no numbers of its own, such as the way from a line to its name
OF = "_of "  # begins the label of what no legend names, such as a band whose line is in it already
COLUMNS = ("panel", "title", "x_axis", "y_axis", "kind", "series", "x", "y", "low", "high")
SAME_PLACE = 1e-3  # of a figure's width
DURING = re.compile("pass|seconds|sweeps|visits|steps")  # in the name of an axis along which a run proceeds

Row = dict[str, Any]


def as_csv(figure: "Figure") -> str:
    """A row for each point of a line, bar, stem, step of a band and cell of a map. Call it after layout.

    ``low`` and ``high`` are the ends of a bar, a stem, a band or an error bar. Of a cell, both are its value.
    """
    rows = []
    for number, axes in enumerate(figure.axes, 1):
        where = {"panel": number, "title": _title(figure, axes)}
        where |= {"x_axis": axes.get_xlabel(), "y_axis": axes.get_ylabel()}
        rows += [where | row for row in _rows(axes)]
    return text(COLUMNS, rows)


def text(columns: Sequence[str], rows: list[Row]) -> str:
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


def name(artist: Any, text: str) -> None:
    """Name the series of an artist that has no label, without naming it in a legend."""
    if str(artist.get_label()).startswith("_"):
        artist.set_label(OF + text)


def _rows(axes: "Axes") -> Iterator[Row]:
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.container import BarContainer

    parts = set()
    for container in axes.containers:
        parts.update(container.get_children())
        yield from (_bars if isinstance(container, BarContainer) else _error_bars)(axes, container)
    for line in axes.lines:
        if line not in parts and line.get_label() != DECORATION:
            yield from _line(axes, line)
    for collection in axes.collections:
        if collection in parts:
            continue
        if isinstance(collection, LineCollection):
            series = _series(collection)
            for (x, low), (_, high) in collection.get_segments():
                yield _row("stem", series, x=x, low=low, high=high)
        elif isinstance(collection, PolyCollection):
            series = _series(collection)
            corners = collection.get_paths()[0].vertices
            for x in np.unique(corners[:, 0]):
                at = corners[corners[:, 0] == x, 1]
                yield _row("band", series, x=x, low=at.min(), high=at.max())
    for image in axes.images:
        columns, rows = _words(axes.xaxis), _words(axes.yaxis)
        for (y, x), value in np.ndenumerate(np.ma.filled(image.get_array(), np.nan)):
            yield _row("cell", "", x=columns.get(x, x), y=rows.get(y, y), low=value, high=value)


def _line(axes: "Axes", line: "Line2D") -> Iterator[Row]:
    """Its points; of a line across the panel just the level at which it is."""
    series = _series(line)
    across, along = line.get_transform().contains_branch_seperately(axes.transData)
    words = _words(axes.xaxis)
    points = zip(line.get_xdata(orig=False), line.get_ydata(orig=False), strict=True)
    for x, y in points if across and along else [next(points)]:
        yield _row("line" if across and along else "level", series, x=words.get(x, x) if across else None,
                   y=y if along else None)  # fmt: skip


def _bars(axes: "Axes", bars: "BarContainer") -> Iterator[Row]:
    upright = bars.orientation == "vertical"
    words = _words(axes.xaxis if upright else axes.yaxis)
    for bar, value in zip(bars.patches, bars.datavalues, strict=True):
        box = bar.get_bbox()
        ends = box.intervaly if upright else box.intervalx
        middle = float(np.mean(box.intervalx if upright else box.intervaly))
        place = words.get(round(middle, 9), middle)
        x, y = (place, value) if upright else (value, place)
        yield _row("bar", _series(bars), x=x, y=y, low=min(ends), high=max(ends))


def _error_bars(axes: "Axes", bars: "ErrorbarContainer") -> Iterator[Row]:
    line, _, (spread, *_) = bars.lines
    series = _series(bars)
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


def _series(artist: Any) -> str:
    """The name of a series: its label, of which ``OF`` may be the beginning."""
    label = str(artist.get_label() or "").removeprefix(OF)
    return "" if label.startswith("_") else label
