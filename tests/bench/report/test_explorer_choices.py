"""The explorer's choices in a browser: figures, data sets, the best first, seeds, and pictures to keep."""

import base64
import math
import re
from urllib.parse import unquote

import pandas as pd
import pytest

from structbench.bench.drawing import curves
from structbench.bench.workflow.config import read_config
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
    assert lines(opened) == ["EG"]  # as in the figure: no other is there
    choose(opened, "figure", "every")
    assert "L-BFGS" in lines(opened) and "figure=every" in opened.evaluate("location.hash")


def test_the_best_come_first_in_the_list_and_in_the_table(page):
    opened = page(f"{PROBLEM}&y=error&x=passes")
    rows = "[...at('ends').tBodies[0].rows].map(row => [row.cells[0].innerText, Number(row.cells[2].innerText)])"
    found = opened.evaluate(rows)
    errors = [error for _, error in found]
    assert errors == sorted(errors) and [name for name, _ in found] == lines(opened)
    choose(opened, "y", "gap")
    assert lines(opened)[:3] == ["EG, order random", "EG, order cyclic", "L-BFGS"]
    assert lines(opened)[3:] == ["SGD, eta0 0", "SGD, eta0 9"], "without a certificate"


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
        assert "MNIST digits, log loss, C = 10" in text


def test_the_yaml_that_is_shown_makes_the_runs_that_are_shown_and_no_others(page, tmp_path):
    opened = page(PROBLEM)
    (tmp_path / "shown.yaml").write_text(opened.evaluate("at('yaml').textContent"))
    keys = opened.evaluate("shownLines(bestFirst(grouped())).flatMap(([, some]) => some.map(run => run.key))")
    assert len(keys) == 9 and {spec.key for spec in read_config(tmp_path / "shown.yaml").specs} == {*keys}
    opened.evaluate("DATA.paths = { 'train~1a2b3c': '/my data/train.txt' }")
    yaml = opened.evaluate("config([{ key: 'columns:train~1a2b3c__none__perceptron:average=false__seed=2' }])")
    assert 'data: ["columns:/my data/train.txt"]' in yaml and "perceptron: {average: [false]}" in yaml
    assert "seeds: [2]" in yaml and "C:" not in yaml
    key = "mnist__log__C=1__owl-qn"  # of l2, which is not the algorithm's own first penalty
    (tmp_path / "shown.yaml").write_text(opened.evaluate(f"config([{{ key: '{key}' }}])"))
    assert [spec.key for spec in read_config(tmp_path / "shown.yaml").specs] == [key]


def test_a_line_that_diverged_spoils_no_level_of_the_others(page):
    opened = page()
    choose(opened, "y", "primal")
    found = opened.evaluate("""(() => {
        const run = (status, ys) => ({ status, curve: { passes: ys.map((_, k) => k), primal: ys } });
        const sound = ["a", [run("converged", [3, 2, 1])]], diverged = ["b", [run("diverged", [9])]];
        return [arrivals([sound, diverged]), arrivals([diverged])];
    })()""")
    both, alone = found
    assert (
        both["share"] < 0.1 and both["found"][0] == ["a", pytest.approx(2, abs=0.1)] and both["found"][1][0] == "b"
    )
    assert alone["found"][0][0] == "b" and alone["found"][0][1] in (None, math.inf)


def test_bars_say_how_far_each_line_goes_to_a_level(page):
    opened = page(f"{PROBLEM}&level=0.01")
    bars = "[...at('bars').children].map(each => each.innerText)"
    assert opened.evaluate("at('soon').textContent") == "passes to a certified gap of 1 %"
    names, found = opened.evaluate(bars)[::3], opened.evaluate(bars)[2::3]
    assert {*names} == {"EG, order random", "EG, order cyclic", "L-BFGS"}
    run = "runs.find(run => run.key.includes('lbfgs__passes=60'))"
    gap, passes = opened.evaluate(f"[{run}.curve.gap, {run}.curve.passes]")
    curve = pd.DataFrame({"relative_gap": gap, "passes": passes})
    first = curves.to_gap(curve, 0.01)  # as in the report
    assert 0 < first < passes[-1]
    assert float(dict(zip(names, found, strict=True))["L-BFGS"]) == pytest.approx(first, rel=0.05)
    assert opened.evaluate(f"arrival({run}, 0.01)") == pytest.approx(first, rel=1e-9)
    diverged = f"{{...{run}, status: 'diverged'}}"
    assert opened.evaluate(f"arrival({diverged}, 0.01) === Infinity && middle([{diverged}], 'gap') === null")
    assert opened.evaluate(f"middle([{run}, {run}, {diverged}], 'gap') === middle([{run}], 'gap')")
    choose(opened, "level", "1e-6")
    assert "not reached" in opened.evaluate(bars)


def test_the_choice_of_all_lines_is_in_the_address(page):
    opened = page(PROBLEM)
    opened.evaluate("usual = showFirst; showFirst = () => { hidden = new Set(['EG, order random']); }")
    try:
        assert page(PROBLEM).evaluate("hidden.size") == 1
        assert page(f"{PROBLEM}&without=").evaluate("hidden.size") == 0
        choose(opened, "x", "seconds")
        assert re.search(r"without=(&|$)", opened.evaluate("location.hash"))
    finally:
        opened.evaluate("showFirst = usual")


def test_a_path_that_ended_before_its_strength_is_shorter_than_any_other(page):
    runs = "[null, [0, 2], [0, 1]].map(passes => ({ seed: 0, curve: { passes } }))"
    assert page(PROBLEM).evaluate(f"longest({runs}).map(run => run.curve.passes)") == [[0, 2]]


def test_runs_of_own_algorithms_are_made_again_with_their_folder(page):
    opened = page(PROBLEM)
    opened.evaluate("DATA.with = ['/my data/mine']")
    text = opened.evaluate("config([{ key: 'mnist__log__C=10__eg__passes=60' }])")
    opened.evaluate("delete DATA.with")
    assert text.splitlines()[:2] == ['with: ["/my data/mine"]', "grids:"]
