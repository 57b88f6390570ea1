"""Texts of a drawn figure that overlap, or that its edge cuts."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

ROOM = 1.0  # pixels by which two texts, or a text and the edge, may meet


def faults(figure: "Figure") -> list[str]:
    """Say which texts overlap, which the edge cuts, and which labels are longer than their axes."""
    from matplotlib.text import Text

    figure.draw_without_rendering()  # as saving may have left it at another resolution
    boxes = [(each, Text.get_window_extent(each)) for each in _shown(figure)]  # without arrows
    edge = figure.bbox
    cut = [
        f"{each.get_text()!r} is cut"
        for each, box in boxes
        if box.x0 < -ROOM or box.y0 < -ROOM or box.x1 > edge.x1 + ROOM or box.y1 > edge.y1 + ROOM
    ]
    long = [
        f"{axis.label.get_text()!r} is longer than its axis"
        for axes in figure.axes
        for axis, side in ((axes.xaxis, "width"), (axes.yaxis, "height"))
        if getattr(axis.label.get_window_extent(), side) > getattr(axes.bbox, side) + ROOM
    ]
    pairs = combinations([(each.get_text(), box) for each, box in boxes if each.get_rotation() % 90 == 0], 2)
    return cut + long + [f"{one!r} and {two!r} overlap" for (one, a), (two, b) in pairs if _overlap(a, b)]


def _overlap(one: "Bbox", two: "Bbox") -> bool:
    across = min(one.x1, two.x1) - max(one.x0, two.x0)
    along = min(one.y1, two.y1) - max(one.y0, two.y0)
    return across > ROOM and along > ROOM


def _shown(figure: "Figure") -> Iterator["Text"]:
    """All texts that are seen: titles, labels of axes and ticks, names, notes, legends."""
    yield from _seen(figure.texts)
    if (suptitle := vars(figure)["_suptitle"]) is not None:
        yield from _seen([suptitle])
    for legend in figure.legends:
        yield from _seen(legend.get_texts())
    for axes in figure.axes:
        if not axes.axison:
            continue
        left, right = vars(axes)["_left_title"], vars(axes)["_right_title"]
        yield from _seen([axes.title, left, right, axes.xaxis.label, axes.yaxis.label])
        yield from _seen(axes.texts)
        if legend := axes.get_legend():
            yield from _seen(legend.get_texts())
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            inside = [tick for tick in ticks if min(low, high) <= tick.get_loc() <= max(low, high)]
            yield from _seen([tick.label1 for tick in inside])


def _seen(texts) -> Iterator["Text"]:
    return (text for text in texts if text.get_visible() and text.get_text().strip())
