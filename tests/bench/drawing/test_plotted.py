"""The numbers kept beside a figure are those that it shows."""

import csv
import io
import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from structbench.bench.drawing import plotted, style
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves
from tests.narrowing import not_none


@pytest.fixture
def axes():
    return Figure().subplots()


def rows(axes):
    axes.figure.draw_without_rendering()
    return list(csv.DictReader(io.StringIO(plotted.as_csv(axes.figure))))


def numbers(axes, *columns):
    return [tuple(row[column] for column in columns) for row in rows(axes)]


def test_a_line_has_its_panel_its_name_and_all_its_digits(axes):
    plotted.line(axes, [1, 2], [1 / 3, math.nan], label="EG")
    axes.set(xlabel="passes", ylabel="gap")
    axes.set_title("C = 1", loc="left")
    first, second = rows(axes)
    assert first == {
        "panel": "1", "title": "C = 1", "x_axis": "passes", "y_axis": "gap", "kind": "line", "series": "EG",
        "x": "1.0", "y": repr(1 / 3), "low": "", "high": "",
    }  # fmt: skip
    assert second["y"] == ""


def test_a_line_has_the_name_at_its_end_if_it_has_no_label(axes):
    """Two of one colour keep their names; a name that a legend has stays."""
    names = ({}, {"label": "dual"}, {"name": "alone"}, {})
    lines = [plotted.line(axes, [0, 1], [k, k], color="red", **name) for k, name in enumerate(names)]
    axes.plot([0], [4], color="red")  # a decoration: no number of the figure
    axes.set_xlim(0, 2)
    style.label_ends(axes, [*zip(lines[:3], ("primal", "another", "third"), strict=True)])
    found = [("primal", "0.0"), ("dual", "1.0"), ("alone", "2.0"), ("", "3.0")]
    assert [*dict.fromkeys(numbers(axes, "series", "y"))] == found
    assert axes.get_legend_handles_labels()[1] == ["dual"]


def test_levels_stems_maps_and_bars_of_error_have_their_ends(axes):
    plotted.level(axes, 3.5, label="optimum")
    plotted.stems(axes, np.array([3, 5]), np.array([0.5, 0.7]), "weights")
    plotted.error_bars(axes, [1, 2], [10, 20], yerr=[[1, 2], [3, 4]], capsize=2, label="M3N")
    plotted.error_bars(axes, 5, 6, xerr=0.5)
    assert numbers(axes, "kind", "series", "x", "y", "low", "high") == [
        ("level", "optimum", "", "3.5", "", ""),
        ("stem", "weights", "3.0", "", "0.0", "0.5"),
        ("stem", "weights", "5.0", "", "0.0", "0.7"),
        ("error bar", "M3N", "1.0", "10.0", "9.0", "13.0"),
        ("error bar", "M3N", "2.0", "20.0", "18.0", "24.0"),
        ("error bar", "", "5.0", "6.0", "4.5", "5.5"),
    ]


def test_a_map_has_the_words_of_its_ticks(axes):
    plotted.cells(axes, np.array([[1.0, math.nan], [3.0, 4.0]]))
    plotted.ticks(axes.xaxis, [0, 1], ["a", "b"])
    places = [("a", "0.0", "1.0"), ("b", "0.0", ""), ("a", "1.0", "3.0"), ("b", "1.0", "4.0")]
    assert numbers(axes, "x", "y", "low") == places


def test_bars_and_ticks_have_their_words(axes):
    plotted.bars(axes, "SGD", 3.0, lying=True, label="marginals")
    plotted.bars(axes, "SGD", 2.0, start=3.0, lying=True)
    plotted.bars(axes, "EG", 4.0, "marginals", lying=True)
    assert numbers(axes, "kind", "y", "x", "low", "high", "series") == [
        ("bar", "SGD", "3.0", "0.0", "3.0", "marginals"),
        ("bar", "SGD", "2.0", "3.0", "5.0", ""),
        ("bar", "EG", "4.0", "0.0", "4.0", "marginals"),
    ]
    assert [bar.get_x() for bar in axes.patches] == [0, 3, 0]
    assert axes.get_legend_handles_labels()[1] == ["marginals"]


def test_ticks_name_the_places_of_bars_and_lines(axes):
    plotted.bars(axes, [0, 1], [5.0, -6.0])
    plotted.line(axes, [0, 1], [7.0, 8.0])
    plotted.ticks(axes.xaxis, [0, 1], ["beam 1", "beam ∞"])
    found = [("beam 1", "5.0"), ("beam ∞", "-6.0"), ("beam 1", "7.0"), ("beam ∞", "8.0")]
    assert numbers(axes, "x", "y") == found
    assert numbers(axes, "low", "high")[:2] == [("0.0", "5.0"), ("-6.0", "0.0")]


def test_the_mean_of_seeds_its_band_and_nothing_for_decorations(tmp_path):
    specs = [make("mnist:train=100", "log", 10, "eg", passes=20.0, seed=seed) for seed in (0, 1)]
    made = [synthetic_curves.write(tmp_path, s, gap0=g) for s, g in zip(specs, (1.0, 3.0), strict=True)]
    for run in made:
        run.summary["status"] = "converged"
    figure, ((axes,),) = style.panels(1, 1)
    drawn = not_none(style.line(axes, made, "gap", color="#123456"))
    axes.set_xlim(0, 40)
    style.label_ends(axes, [(drawn, "EG")])
    found = rows(axes)
    assert {row["series"] for row in found} == {"EG"}
    line, band = ([row for row in found if row["kind"] == kind] for kind in ("line", "band"))
    shown = drawn.artist.get_ydata()
    assert [float(row["y"]) for row in line] == pytest.approx(shown)
    assert shown[0] == pytest.approx(2 * synthetic_curves.BEST)
    assert len(line) + len(band) == len(found) and len(band) == len(line)
    for row, inside in zip(band, line, strict=True):
        assert float(row["low"]) <= float(inside["y"]) <= float(row["high"])
    assert float(band[0]["low"]) == made[0].curve.gap[0] and float(band[0]["high"]) == made[1].curve.gap[0]
    assert figure.axes == [axes]


def test_the_mean_of_seeds_ends_where_one_diverged(tmp_path):
    specs = [make("mnist:train=100", "log", 10, "eg", passes=20.0, seed=seed) for seed in (0, 1)]
    whole, short = (synthetic_curves.write(tmp_path, spec) for spec in specs)
    short.summary["status"] = "diverged"
    short.curve.loc[short.curve["passes"] > 5, "primal"] = np.inf
    _, ((axes,),) = style.panels(1, 1)
    drawn = not_none(style.line(axes, [whole, short], "primal"))
    passes = short.curve["passes"].to_numpy()
    last = passes[passes <= 5][-1]
    assert drawn.artist.get_xdata()[-1] == last and passes[-1] > last and drawn.dot is None


def test_a_panel_without_a_title_has_that_of_its_column():
    _, panels = style.panels(2, 2)
    for axes in panels.flat:
        plotted.line(axes, [0], [1])
    for axes, title in zip(panels[0], ("one", "two"), strict=True):
        axes.set_title(title)
    assert [row["title"] for row in rows(panels[0, 0])] == ["one", "two", "one", "two"]
