"""The explorer's drawing in a browser: its ticks, what it says of a point, and zooming."""

import pytest

from tests.bench.chromium import BINARY
from tests.bench.report.explorer_page import EG, HOSTS, PROBLEM, choose, hover, mouse

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]
EDGES = "(({ left, top, right, bottom }) => [left, top, right, bottom])({})"
TICKS = {
    "[0, 60], false, 8": "0 10 20 30 40 50 60",
    "[-2, 1], false, 4": "-2 -1 0 1",
    "[118.02, 118.09], false, 5": "118.02 118.04 118.06 118.08",
    "[0, 2.5e7], false, 6": "0 0.5x10⁷ 1.0x10⁷ 1.5x10⁷ 2.0x10⁷ 2.5x10⁷",
    "[-9.2, 0.3], true, 12": "10⁻⁹ 10⁻⁸ 10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 0.1 1",
    "[-9.2, 0.3], true, 5": "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 1",
    "[-4.5, -2.9], true, 12": "5x10⁻⁵ 10⁻⁴ 2x10⁻⁴ 5x10⁻⁴ 0.001",
    "[-1, 0.8], true, 9": "0.1 0.2 0.5 1 2 5",
    "[1.2, 1.9], true, 7": "20 30 40 50 60 70",
}


def test_ticks_are_round_numbers(page):
    found = {given: page().evaluate(f"ticks({given}).map(tick => tick.text).join(' ')") for given in TICKS}
    assert {given: text.replace("\N{MULTIPLICATION SIGN}", "x") for given, text in found.items()} == TICKS


def test_hover_shows_the_run_or_the_band_and_a_click_keeps_its_name(page):
    _, text = hover(page(f"{PROBLEM}&band=25"), "!line.run")
    assert "25 to 75 %: " in text and "median of 4 runs" in text
    opened = page(f"{PROBLEM}&band=runs")
    place, text = hover(opened, "line.run?.key.endsWith('eg__passes=60__seed=1')")
    for words in (
        "EG",
        "seed 1, ended: all passes used",
        HOSTS[0],
        "mnist",
        "__eg",
        "__seed=1",
        "gap ",
        "primal ",
    ):
        assert words in text
    mouse(opened, "Pressed", *place)
    mouse(opened, "Released", *place)
    assert opened.evaluate("at('picked').querySelector('code').innerText") == f"{EG}__seed=1"
    inner, outer = (opened.evaluate(EDGES.replace("{}", f"{n}.getBoundingClientRect()")) for n in ("tip", "plot"))
    assert inner[0] > outer[0] and inner[1] > outer[1] and inner[2] < outer[2] and inner[3] < outer[3]


def test_a_drag_zooms_and_two_clicks_or_a_button_end_that(page):
    opened = page(PROBLEM)
    left, top, right, bottom = opened.evaluate(EDGES.replace("{}", "view.chart"))
    middle = (left + right) / 2, (top + bottom) / 2
    xs = f"[{left}, {right}].map(view.chart.x.back)"
    whole = opened.evaluate(xs)

    def click_twice():
        for count in (1, 2):
            mouse(opened, "Pressed", *middle, clicks=count)
            mouse(opened, "Released", *middle, clicks=count)

    for end in (click_twice, lambda: opened.evaluate("at('whole').click()")):
        mouse(opened, "Pressed", *middle)
        mouse(opened, "Moved", right - 9, top + 9)
        mouse(opened, "Released", right - 9, top + 9)
        zoomed = opened.evaluate(xs)
        assert zoomed[0] == pytest.approx(sum(whole) / 2, rel=0.01)
        assert not opened.evaluate("at('whole').hidden")
        choose(opened, "band", "25")
        assert opened.evaluate(xs) == zoomed, "as long as the axes are the same"
        end()
        assert opened.evaluate(xs) == whole and opened.evaluate("at('whole').hidden")
        choose(opened, "band", "0")
