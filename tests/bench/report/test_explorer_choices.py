"""The explorer's choices in a browser: figures, data sets, the best first, seeds, and pictures to keep."""

import base64
import re
from urllib.parse import unquote

import pytest

from tests.bench.chromium import BINARY
from tests.bench.report.explorer_page import FIGURE, LONG, PROBLEM, choose, drawn, lines
from tests.narrowing import not_none

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]


def test_a_figure_narrows_every_choice_to_its_runs(page, fresh):
    opened = fresh(f"figure={FIGURE}")
    group = "form.elements.figure.selectedOptions[0].parentNode.label"
    assert opened.evaluate(group) == "Collins et al. 2008 (EG)"
    values = "name => [...form.elements[name].options].map(option => option.value)"
    found = [["mnist", LONG], ["every", "log"], ["every", "10"]]
    assert opened.evaluate(f"['data', 'loss', 'C'].map({values})") == found
    assert lines(opened) == ["EG, order=cyclic"]
    choose(opened, "figure", "every")
    assert "L-BFGS" in lines(opened) and "figure=every" in opened.evaluate("location.hash")


def test_the_best_come_first_in_the_list_and_in_the_table(page):
    opened = page(f"{PROBLEM}&y=error&x=passes")
    rows = "[...at('ends').tBodies[0].rows].map(row => [row.cells[0].innerText, Number(row.cells[6].innerText)])"
    found = opened.evaluate(rows)
    errors = [error for _, error in found]
    assert errors == sorted(errors) and [name for name, _ in found] == lines(opened)
    choose(opened, "y", "gap")
    assert lines(opened)[:3] == ["EG", "EG, order=cyclic", "L-BFGS"]
    assert lines(opened)[3:] == ["SGD", "SGD, eta0=9"], "without a certificate"


def test_seeds_are_a_band_or_each_run_by_itself(page):
    opened = page(f"{PROBLEM}&without=L-BFGS")
    assert drawn(opened) == {}
    assert opened.evaluate("view.picture.lines.filter(line => line.low).length") == 2
    choose(opened, "band", "runs")
    assert len(drawn(opened)) == 8
    assert opened.evaluate("view.picture.lines.filter(line => line.low).length") == 0


def luminance(colour: str) -> float:
    """The relative luminance of a colour such as ``#084d8c``, by the standard of sRGB."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_plot_is_dark_on_a_dark_page_its_lines_are_seen_and_a_picture_stays_white(page, browser):
    opened = page(PROBLEM)
    colours = "[view.picture.on.paper, view.picture.on.ink, getComputedStyle(document.body).color]"
    scheme = {"name": "prefers-color-scheme", "value": "dark"}
    browser.call("Emulation.setEmulatedMedia", features=[scheme])
    try:
        opened.wait_for("view.picture.on.paper === '#191e25'")
        assert opened.evaluate(colours) == ["#191e25", "#e4e8ed", "rgb(228, 232, 237)"]
        opened.evaluate("DATA.colours.own.EG = '#000000'; show()")
        lines = opened.evaluate("view.picture.lines.map(line => line.colour)")
        assert min(map(luminance, lines)) >= 0.15
        white = "pictured(shownLines(grouped()), WHITE)"
        assert opened.evaluate(f"{white}.on.paper") == "#fff"
        assert opened.evaluate(f"{white}.lines.some(line => line.colour === '#000000')")
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[scheme | {"value": "light"}])
        opened.wait_for("view.picture.on.paper === '#fff'")


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_has_the_title_twice_the_size_and_a_name_that_says_what_it_shows(page, kind):
    opened = page(PROBLEM)
    opened.evaluate("HTMLAnchorElement.prototype.click = function () { window.saved = this; }")
    opened.evaluate(f"document.querySelector('[data-format={kind}]').click()")
    assert opened.wait_for("window.saved?.download") == f"mnist-log-loss-C=10.{kind}"
    address = opened.evaluate("saved.href")
    opened.evaluate("window.saved = null")
    body = address.partition(",")[2]
    width = opened.evaluate("Math.round(plot.getBoundingClientRect().width)")
    if kind == "png":
        assert int.from_bytes(base64.b64decode(body)[16:20]) == pytest.approx(2 * width, abs=2)
    else:
        text = unquote(body)
        shown = not_none(re.search(r'<svg[^>]* width="([\d.]+)"', text))
        assert float(shown[1]) == pytest.approx(2 * width, abs=2)
        assert "MNIST digits (mnist), log loss, C = 10" in text
