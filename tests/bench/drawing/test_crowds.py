"""Panels of many lines: eight names at the ends, the rest and what is far from the optimum in grey."""

import numpy as np
import pytest

from structbench.bench.drawing import colours, crowds, plotted, style
from structbench.bench.runs.spec import make
from tests.bench.drawing import texts

PASSES = np.arange(1.0, 11.0)


def panel(rates: list[float], rank: crowds.Rank, poor: float = np.inf, own: tuple[str, ...] = ()):
    """A panel with a line exp(-rate passes) for each rate, labelled."""
    with style.context():
        figure, ((axes,),) = style.panels(1, 1, width=crowds.width(["method 10"]))
        axes.set_yscale("log")
        curves = {f"method {k}": np.exp(-rate * PASSES) for k, rate in enumerate(rates)}
        lines = {name: plotted.line(axes, PASSES, curve) for name, curve in curves.items()}
        crowds.label_best(axes, lines, rank, poor, own)
        figure.draw_without_rendering()
    return figure, axes, lines


def grey(lines: dict) -> set[str]:
    return {name for name, line in lines.items() if line.artist.get_color() == crowds.GREY}


def test_eight_have_names_and_the_others_are_grey() -> None:
    figure, axes, lines = panel([0.2 * k for k in range(1, 12)], crowds.by_level)
    assert grey(lines) == {"method 0", "method 1", "method 2"}
    assert {text.get_text() for text in axes.texts} == {*lines} - grey(lines) | {"3 others"}
    assert texts.faults(figure) == []


@pytest.mark.parametrize("rank", [crowds.by_level, crowds.by_end])
def test_few_others_keep_their_names(rank: crowds.Rank) -> None:
    _, axes, lines = panel([0.3 * k for k in range(1, 11)], rank)
    assert grey(lines) == {"method 0", "method 1"} and {text.get_text() for text in axes.texts} == {*lines}


def test_what_never_gets_below_a_half_is_grey() -> None:
    _, _, lines = panel([0.01, 0.06, 0.08], crowds.by_level, crowds.POOR)  # exp(-0.6) is above a half
    assert grey(lines) == {"method 0", "method 1"}


def test_methods_of_the_user_are_never_grey_nor_among_others() -> None:
    _, axes, lines = panel(
        [0.2 * k for k in range(1, 13)], crowds.by_level, crowds.POOR, own=("method 0", "method 9")
    )
    assert grey(lines) == {"method 1", "method 2", "method 3"}
    assert {text.get_text() for text in axes.texts} == {*lines} - grey(lines) | {"3 others"}


def test_own_methods_are_those_with_the_hue_of_own_ones(monkeypatch) -> None:
    names = {make("mnist", "log", 1, name): name for name in ("eg", "sgd")}
    assert crowds.own(names) == set() and crowds.caption(2, of_shares=False, own=crowds.own(names)) == []
    monkeypatch.setattr(colours, "hue", {"eg": colours.OWN, "sgd": colours.OTHER}.get)
    assert crowds.own(names) == {"eg"}
    assert crowds.caption(2, of_shares=False, own=crowds.own(names)) == ["Your own are never grey."]


def test_the_first_at_the_level_is_the_best_though_another_ends_lower() -> None:
    soon, late = np.array([1, 1e-3, 1e-3]), np.array([1, 0.1, 1e-9])
    assert crowds.by_level(PASSES[:3], soon) < crowds.by_level(PASSES[:3], late)
    assert crowds.by_level(PASSES[:3], late) < crowds.by_level(PASSES[:3], np.array([1, 1, 0.01]))
    assert crowds.by_area(PASSES[:3], np.array([0, 1, 1])) < crowds.by_area(PASSES[:3], np.array([0, 0, 1]))


def test_texts_that_overlap_or_are_cut_are_seen() -> None:
    with style.context():
        figure, ((axes,),) = style.panels(1, 1)
        axes.text(0.5, 0.5, "one", transform=axes.transAxes)
        axes.text(0.5, 0.51, "two", transform=axes.transAxes)
        figure.text(0.99, 0.5, "a word at the edge")
        figure.draw_without_rendering()
    assert texts.faults(figure) == ["'a word at the edge' is cut", "'one' and 'two' overlap"]
