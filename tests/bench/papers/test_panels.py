"""What papers' figures share: frames of axes, means with their range, and which function draws what."""

from pathlib import Path
from typing import Any

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import plotted, style
from structbench.bench.papers import figure_rows
from structbench.bench.papers.claim_rows import Registry
from structbench.bench.papers.panels import fit_y, with_range


def test_the_y_axis_is_fitted_to_the_later_points_of_all_lines() -> None:
    figure, ((left, right),) = style.panels(1, 2)
    fit_y(left, right)
    plotted.line(left, [0, 1, 2, 3], [9, 8, 1, 2])
    plotted.line(right, [0, 1], [-5, 4])
    fit_y(left, right, skip=0.5)
    assert left.get_ylim() == pytest.approx((1 - 0.3, 4 + 0.3))
    fit_y(right)
    assert right.get_ylim() == pytest.approx((-5 - 0.9, 4 + 0.9))
    assert figure.axes == [left, right]


def test_a_line_of_means_has_their_range() -> None:
    _, ((axes,),) = style.panels(1, 1)
    with_range(axes, {1: [2.0, 4.0], 3: [5.0]}, "a", color="red")
    assert [*axes.lines[0].get_xydata().ravel()] == [1, 3, 3, 5]
    assert [*axes.collections[0].get_datalim(axes.transData).intervaly] == [2, 5]


def test_a_figure_is_drawn_by_the_function_that_is_registered_for_it(tmp_path: Path) -> None:
    file = tmp_path / "figures.toml"
    file.write_text(
        '[words]\n[table-one]\ntitle = "A"\ncaption = "B"\n[two]\ntitle = "C"\ncaption = "D {many}."\n'
    )
    draws = Registry()
    draws("table-one")(lambda task, runs: [{"a": f"{task} {runs}"}])
    draws("two")(lambda task, runs: (task, runs))
    found = figure_rows.figures(file, draws, "T", suffix="-mnist", many="three")
    runs: Any = "R"
    assert found["table-one-mnist"].draw(runs) == [{"a": "T R"}]
    assert found["two-mnist"].draw(runs) == ("T", "R")
    assert found["two-mnist"].caption == "D three."
    draws("twoo")(len)
    with pytest.raises(UserError, match="unknown figure 'twoo': did you mean 'two'\\? there are table-one, two"):
        figure_rows.figures(file, draws)
    with pytest.raises(ValueError, match="two is registered twice"):
        draws("two")(len)
