"""The forest plot: each counted condition is a dot where its number is, and marks say what was asked."""

import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection, LineCollection, PathCollection
from matplotlib.colors import to_rgba

from structbench.bench.papers import evidence_plot
from structbench.bench.papers.evidence import Evidence
from tests.bench.papers.helpers import condition, judged
from tests.narrowing import not_none

SUPPORTS = to_rgba(evidence_plot.SUPPORTS)


def drawn(*conditions: Evidence) -> dict[str, list[tuple[float, str]]]:
    """The places and marks of each panel, by the first word of its axis."""
    figure = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=[*conditions])]))
    panels = {}
    for axes in figure.axes:
        found = marks(axes)
        heights = {height for _, height, _ in found}
        assert sorted(heights) == [-each for each in sorted(heights, reverse=True)]  # about the middle of the row
        assert max(heights) < 0.5 and axes.get_ylim() == (0.5, -0.5)
        assert [label.get_text() for label in axes.get_yticklabels()] == ["it is N times"]
        panels[axes.get_xlabel().partition(" (")[0]] = sorted((place, mark) for place, _, mark in found)
    return panels


def marks(axes: Axes) -> list[tuple[float, float, str]]:
    """Place, height and kind of each mark."""
    groups = [each for each in axes.collections if isinstance(each, PathCollection)]
    return [
        (round(x, 6), round(y, 6), str(group.get_label()))
        for group in groups
        for x, y in np.asarray(group.get_offsets(), float).tolist()
    ]


def test_each_kind_of_number_has_a_panel() -> None:
    assert drawn(
        condition(size=2.0, theirs=3.0),
        condition(kind="count", claimed="number", none=10.0, value=20.0, low=15.0, high=25.0),
        condition(kind="share", none=0.1, value=0.25, low=0.2, high=0.3),
        condition(kind="difference", unit="points of F1", none=0.0, value=-0.5, low=-0.6, high=-0.4),
        condition(value=1e6, low=1e6, high=math.inf, bound="at least"),
    ) == {
        "factor": [
            (1.5, "exact"),
            (2.0, "exact"),
            (2.0, "size"),
            (3.0, "theirs"),
            (200.0, "at least"),
            (200.0, "ends above"),
        ],
        "percent": [(15.0, "exact"), (16.5, "ends above")],
        "points of F1": [(-0.5, "exact")],
    }


@pytest.mark.parametrize(("value", "most"), [(0.02, 1.0), (-20.0, 22.0)])
def test_an_axis_holds_all_numbers_of_its_panel_and_does_not_magnify_small_ones(value: float, most: float) -> None:
    one = condition(kind="difference", none=0.0, value=value, low=value - 30, high=math.inf)
    (axes,) = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=[one])])).axes
    assert axes.get_xlim() == pytest.approx((-most, most))
    (interval,) = [each.get_segments()[0] for each in axes.collections if isinstance(each, LineCollection)]
    assert interval[:, 0] == pytest.approx([-most, most])  # what is beyond ends at the edge, with arrows
    arrows = {kind: place for place, _, kind in marks(axes) if kind.startswith("ends")}
    assert arrows == pytest.approx({"ends below": -most, "ends above": most})


@pytest.mark.parametrize(("largest", "scale"), [(-222.0, "symlog"), (-2.0, "linear")])
def test_a_percent_axis_shows_small_shares_beside_one_of_many_thousand(largest: float, scale: str) -> None:
    shares = [condition(kind="share", none=0.0, value=value, low=value, high=value) for value in (0.3, largest)]
    (axes,) = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=shares)])).axes
    assert axes.get_xscale() == scale
    assert axes.get_xlabel().endswith("; logarithmic beyond 100") == (scale == "symlog")
    middle, small = axes.transData.transform([(0, 0), (30, 0)])[:, 0]
    assert small - middle > axes.get_window_extent().width / 50


@pytest.mark.parametrize(
    ("claimed", "support"), [("above", (1.1, 200)), ("at most", (0.05, 1.1)), ("equal", (1 / 1.1, 1.1))]
)
def test_a_band_marks_the_side_that_supports_the_sentence(claimed: str, support: tuple[float, float]) -> None:
    one = condition(claimed=claimed, none=2.0, band=1.1)
    (axes,) = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=[one])])).axes
    (band,) = [each for each in axes.collections if isinstance(each, FillBetweenPolyCollection)]
    assert np.allclose(band.get_facecolor()[0], SUPPORTS)
    xs = np.asarray(band.get_paths()[0].vertices, float)[:, 0]
    assert (xs.min(), xs.max()) == pytest.approx(support)


def test_conditions_that_the_same_numbers_support_share_a_band() -> None:
    alike = [condition(claimed="above", band=1.1) for _ in range(3)]
    (axes,) = not_none(
        evidence_plot.draw_evidence([judged(id="p/a", conditions=[*alike, condition(claimed="at most")])])
    ).axes
    bands = [each for each in axes.collections if isinstance(each, FillBetweenPolyCollection)]
    heights = [np.asarray(band.get_paths()[0].vertices, float)[:, 1] for band in bands]
    assert [(each.min(), each.max()) for each in heights] == [(-0.5, 0.25), (0.25, 0.5)]


def test_each_group_of_rows_has_an_axis_at_its_top_and_equal_sentences_say_whose_they_are() -> None:
    claims = [judged(id=f"p/speed-{data}", conditions=[condition()]) for data in "ab"]
    claims += [judged(id=f"p/c{k}", conditions=[condition(says=f"{k} is {{}}")]) for k in range(30)]
    first, second = not_none(evidence_plot.draw_evidence(claims)).axes
    assert [each.get_text() for each in first.get_yticklabels()][:3] == [
        "it is N times, a",
        "it is N times, b",
        "0 is N",
    ]
    assert len(second.get_yticks()) == 32 - evidence_plot.MOST_ROWS
    assert first.xaxis.get_label_position() == second.xaxis.get_label_position() == "top"


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
