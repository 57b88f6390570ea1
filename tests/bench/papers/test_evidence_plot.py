"""The forest plot: each counted condition is a dot where its number is, and marks say what was asked."""

import math

import numpy as np
import pytest

from structbench.bench.papers import evidence_plot
from structbench.bench.papers.evidence import Evidence
from tests.bench.papers.helpers import condition, judged
from tests.narrowing import not_none


def drawn(*conditions: Evidence) -> dict[str, list[tuple[float, str]]]:
    """The places and marks of each panel, by the first word of its axis."""
    figure = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=[*conditions])]))
    panels = {}
    for axes in figure.axes:
        dots = [line for line in axes.lines if line.get_marker() not in ("None", None, "")]
        heights = {round(float(np.asarray(line.get_ydata())[0]), 6) for line in dots}
        assert sorted(heights) == [-each for each in sorted(heights, reverse=True)]  # about the middle of the row
        assert max(heights) < 0.5 and axes.get_ylim() == (0.5, -0.5)
        assert [label.get_text() for label in axes.get_yticklabels()] == ["a"]
        places = [(round(float(np.asarray(line.get_xdata())[0]), 6), str(line.get_marker())) for line in dots]
        panels[axes.get_xlabel().partition(" (")[0]] = places
    return panels


def test_each_kind_of_number_has_a_panel() -> None:
    assert drawn(
        condition(size=2.0, theirs=3.0),
        condition(kind="count", claimed="number", none=10.0, value=20.0, low=15.0, high=25.0),
        condition(kind="share", none=0.1, value=0.25, low=0.2, high=0.3),
        condition(kind="difference", unit="points of F1", none=0.0, value=-0.5, low=-0.6, high=-0.4),
        condition(value=1e6, low=1e6, high=math.inf, bound="at least"),
    ) == {
        "factor": [(1.5, "o"), (2.0, "|"), (3.0, "D"), (2.0, "o"), (evidence_plot.FACTOR_LIMITS[1], ">")],
        "percent": [(15.0, "o")],
        "points of F1": [(-0.5, "o")],
    }


@pytest.mark.parametrize(("value", "most"), [(0.02, 1.0), (-20.0, 22.0)])
def test_an_axis_holds_all_numbers_of_its_panel_and_does_not_magnify_small_ones(value: float, most: float) -> None:
    one = condition(kind="difference", none=0.0, value=value, low=value - 30, high=math.inf)
    (axes,) = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=[one])])).axes
    assert axes.get_xlim() == pytest.approx((-most, most))
    interval = np.asarray(axes.lines[0].get_xdata(), float)
    assert interval == pytest.approx([-most, most])  # what is beyond ends at the edge


def test_panels_do_not_overlap() -> None:
    units = [condition(kind="value", unit=unit) for unit in "abcde"]
    figure = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=units)]))
    boxes = [axes.get_position() for axes in figure.axes]
    assert len(boxes) == 5 and all(0 < box.y0 < box.y1 < 1 for box in boxes)
    assert not any(boxes[k].overlaps(other) for k in range(5) for other in boxes[k + 1 :])


def test_what_is_not_counted_or_not_known_is_left_out() -> None:
    assert evidence_plot.draw_evidence([judged(id="p/a", conditions=[condition(counted=False)])]) is None
    assert evidence_plot.draw_evidence([judged(id="p/a", conditions=[condition(value=math.nan)])]) is None
    assert evidence_plot.draw_evidence([]) is None
