"""The forest plot: each counted condition is a dot where its number is, and marks say what was asked."""

import math

import matplotlib.pyplot as plt
import numpy as np

from structbench.bench.papers import evidence_plot
from structbench.bench.papers.evidence import Evidence
from tests.bench.papers.helpers import condition, judged
from tests.narrowing import not_none


def drawn(*conditions: Evidence) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
    """The places and marks on the left, of factors, and on the right."""
    figure = not_none(evidence_plot.draw_evidence([judged(id="p/a", conditions=[*conditions])]))
    panels, heights = [], set()
    for axes in figure.axes:
        dots = [line for line in axes.lines if line.get_marker() not in ("None", None, "")]
        heights |= {round(float(np.asarray(line.get_ydata())[0]), 6) for line in dots}
        panels.append([(round(float(np.asarray(line.get_xdata())[0]), 6), line.get_marker()) for line in dots])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a"]
    assert sorted(heights) == [-each for each in sorted(heights, reverse=True)]  # about the middle of the row
    assert len(heights) == len(conditions) and max(heights) < 0.5
    assert [axes.get_ylim() for axes in figure.axes] == [(0.5, -0.5)] * 2
    plt.close(figure)
    return tuple(panels)


def test_factors_lie_left_as_ratios_to_no_effect_and_points_right() -> None:
    factors, points = drawn(
        condition(size=2.0, theirs=3.0),
        condition(kind="count", claimed="number", none=10.0, value=20.0, low=15.0, high=25.0),
        condition(kind="share", none=0.1, value=0.25, low=0.2, high=0.3),
        condition(kind="difference", none=0.0, value=-0.5, low=-0.6, high=-0.4),
        condition(value=1e6, low=1e6, high=math.inf, bound="at least"),
    )
    assert factors == [(1.5, "o"), (2.0, "|"), (3.0, "D"), (2.0, "o"), (evidence_plot.FACTOR_LIMITS[1], ">")]
    assert points == [(15.0, "o"), (-0.5, "o")]


def test_what_is_not_counted_or_not_known_is_left_out() -> None:
    assert evidence_plot.draw_evidence([judged(id="p/a", conditions=[condition(counted=False)])]) is None
    assert evidence_plot.draw_evidence([judged(id="p/a", conditions=[condition(value=math.nan)])]) is None
    assert evidence_plot.draw_evidence([]) is None
